package proof

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"

	"strata/cmd/strata/internal/program"
)

// Command checks proof files without a server or a database.
type Command struct {
	Files []string `arg:"" name:"file" type:"existingfile" help:"Proof files, as strata trace --proof writes them."`
	Key   string   `required:"" placeholder:"KEY" help:"Verifier key of the log. Get it from the operator by another way than the proofs."`
	Body  string   `type:"existingfile" placeholder:"FILE" help:"Body of the event, to compare with the digest in the proof; with one proof only."`
}

// Validate checks the combination of flags; kong calls it.
func (c *Command) Validate() error {
	if c.Body != "" && len(c.Files) != 1 {
		return errors.New("--body: name one proof file, that of the event with this body")
	}
	return nil
}

// Run checks the files. It prints what each one proves.
func (c *Command) Run() error {
	for _, file := range c.Files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		checked, err := Check(text, c.Key)
		if err != nil {
			return program.MismatchError{Err: fmt.Errorf("%s proves nothing: %w", file, err)}
		}
		e, of := checked.Event, checked.Checkpoint
		fmt.Printf("%s: event %d is among the first %d events of the log: %s, received %s, %d bytes, sha256 0x%x\n",
			file, e.Seq, of.Size, program.Visible(e.Path), e.ReceivedAt.Format("2006-01-02T15:04:05.000000Z"), e.Size, e.SHA256)
		if c.Body == "" {
			continue
		}
		body, err := os.ReadFile(c.Body)
		if err != nil {
			return err
		}
		if digest := sha256.Sum256(body); digest != e.SHA256 {
			return program.MismatchError{Err: fmt.Errorf("%s is not the body of event %d: its sha256 is 0x%x", c.Body, e.Seq, digest)}
		}
		fmt.Printf("%s: it is the body of event %d\n", c.Body, e.Seq)
	}
	return nil
}
