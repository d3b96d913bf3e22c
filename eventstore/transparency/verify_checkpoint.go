package transparency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	formats "github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/formats/note"
	sumdb "golang.org/x/mod/sumdb/note"
)

// checkpoints is the part of a verification that compares checkpoints.
type checkpoints struct {
	last      int64 // number of the newest checkpoint to compare
	seen      int64 // number of the previous stored checkpoint
	verifiers sumdb.Verifiers
	kept      []*item // the rest of those kept outside, by size
	next      func() (*item, error, bool)
	waiting   *item // the item whose root Rebuild computes next
	// The first checkpoint without the root of the rows since the last one with it, and how many there are.
	wrong      *item
	wrongCount int
}

// item is a checkpoint to compare with the tree of the rows.
type item struct {
	name     string // for messages
	kept     bool
	believed bool // one of the keys signed it
	// forgotten says that it is kept, and that the log does not have it any more.
	forgotten bool
	size      int64
	root      []byte
}

// beginCheckpoints determines the keys and parses the checkpoints kept outside.
func (v *verification) beginCheckpoints(ctx context.Context) error {
	v.result.Keys, v.result.Given = v.config.Keys, len(v.config.Keys) > 0
	if !v.result.Given {
		first, err := queryCheckpoint(ctx, v.db, `ORDER BY number LIMIT 1`)
		if err != nil {
			return err
		}
		if first != nil {
			if _, err := note.NewVerifier(first.VerifierKey); err != nil {
				v.find(CheckCheckpoint, 0, 0, "checkpoint %d of %d events: the key that it is said to be signed with is none: %q", first.Number, first.Size, first.VerifierKey)
			} else {
				v.result.Keys = []string{first.VerifierKey}
			}
		}
	}
	if len(v.result.Keys) == 0 && len(v.config.Kept) > 0 {
		return ErrNoKey
	}
	var verifiers []sumdb.Verifier
	for _, key := range v.result.Keys {
		verifier, err := note.NewVerifier(key)
		if err != nil {
			return fmt.Errorf("verifier key %q: %w", key, err)
		}
		verifiers = append(verifiers, verifier)
	}
	v.checkpoints.verifiers = sumdb.VerifierList(verifiers...)
	for _, kept := range v.config.Kept {
		body, fault, err := v.checkpoints.open(kept.Note)
		if err != nil {
			return fmt.Errorf("%s: %w", kept.Name, err)
		}
		if fault != "" {
			v.find(CheckKept, 0, 0, "%s: %s", kept.Name, fault)
		}
		v.checkpoints.kept = append(v.checkpoints.kept, &item{name: kept.Name, kept: true, believed: fault == "", size: int64(body.Size), root: body.Hash})
	}
	if err := v.markForgotten(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(v.checkpoints.kept, func(a, b *item) int { return int(min(max(a.size-b.size, -1), 1)) })
	return nil
}

// markForgotten marks kept checkpoints that the log signed, and that are no longer among those that it has. Every signed
// checkpoint stays in the table, and is there before anybody can get it.
func (v *verification) markForgotten(ctx context.Context) error {
	for _, i := range v.checkpoints.kept {
		if !i.believed {
			continue
		}
		var there bool
		if err := v.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM log.checkpoint WHERE size = $1 AND root = $2)`, i.size, i.root).Scan(&there); err != nil {
			return fmt.Errorf("look for the checkpoint of %s: %w", i.name, err)
		}
		i.forgotten = !there
	}
	return nil
}

// open parses a note and describes what is wrong with its signatures, if anything. It fails if the note is no checkpoint.
func (c *checkpoints) open(text []byte) (body formats.Checkpoint, fault string, err error) {
	signed, err := sumdb.Open(text, c.verifiers)
	var (
		unknown *sumdb.UnverifiedNoteError
		wrong   *sumdb.InvalidSignatureError
	)
	switch {
	case errors.As(err, &unknown):
		signed = unknown.Note
		fault = "it is signed with another key, " + signers(signed.UnverifiedSigs)
	case errors.As(err, &wrong):
		fault = fmt.Sprintf("its signature of %s+%08x is wrong: what it says was changed after it was signed", wrong.Name, wrong.Hash)
		// Compare its content all the same, as an unsigned checkpoint.
		text, _, _ := bytes.Cut(text, []byte("\n\n"))
		body, err = parseBody(string(text) + "\n")
		return body, fault, err
	case err != nil:
		return body, "", fmt.Errorf("read a checkpoint: %w", err)
	}
	if body, err = parseBody(signed.Text); err != nil {
		return body, "", err
	}
	if fault == "" && !slices.ContainsFunc(signed.Sigs, func(s sumdb.Signature) bool { return s.Name == body.Origin }) {
		fault = fmt.Sprintf("it is of %q, and signed by %s", body.Origin, signers(signed.Sigs))
	}
	return body, fault, nil
}

// signers lists the keys of signatures as <name>+<hash>, the form in which a verifier key starts.
func signers(signatures []sumdb.Signature) string {
	names := make([]string, len(signatures))
	for i, s := range signatures {
		names[i] = fmt.Sprintf("%s+%08x", s.Name, s.Hash)
	}
	return strings.Join(names, ", ")
}

// items yields all checkpoints to compare, by size. It skips those that were signed after begin.
func (v *verification) items(ctx context.Context) iter.Seq2[*item, error] {
	const page = 1000
	return func(yield func(*item, error) bool) {
		var size, number int64
		for {
			rows, _ := v.db.Query(ctx, checkpointColumns+`WHERE (size, number) > ($1, $2) AND number <= $3 ORDER BY size, number LIMIT $4`,
				size, number, v.checkpoints.last, page)
			checkpoints, err := pgx.CollectRows(rows, scanCheckpoint)
			if err != nil {
				yield(nil, fmt.Errorf("read checkpoints: %w", err))
				return
			}
			for _, c := range checkpoints {
				size, number = c.Size, c.Number
				if !v.keptUpTo(c.Size, yield) || !yield(v.stored(c), nil) {
					return
				}
			}
			if len(checkpoints) < page {
				v.keptUpTo(-1, yield)
				return
			}
		}
	}
}

// keptUpTo yields the remaining kept checkpoints of at most the given size, or all of them for a negative size.
func (v *verification) keptUpTo(size int64, yield func(*item, error) bool) bool {
	kept := &v.checkpoints.kept
	for len(*kept) > 0 && (size < 0 || (*kept)[0].size <= size) {
		next := (*kept)[0]
		*kept = (*kept)[1:]
		if !yield(next, nil) {
			return false
		}
	}
	return true
}

// stored checks a stored checkpoint without the rows, and returns the item to compare with them.
func (v *verification) stored(c *Checkpoint) *item {
	i := &item{name: fmt.Sprintf("checkpoint %d of %d events", c.Number, c.Size), size: c.Size, root: c.Root}
	find := func(format string, args ...any) {
		v.find(CheckCheckpoint, 0, 0, "%s: "+format, append([]any{i.name}, args...)...)
	}
	v.result.Checkpoints++
	if c.Number != v.checkpoints.seen+1 {
		find("want number %d there: one is missing, or was changed", v.checkpoints.seen+1)
	}
	v.checkpoints.seen = c.Number
	body, fault, err := v.checkpoints.open([]byte(c.Note))
	switch {
	case err != nil:
		find("%v", err)
		return i
	case fault != "":
		find("%s", fault)
		return i
	case !slices.Contains(v.result.Keys, c.VerifierKey):
		find("it is said to be signed with %q, and is not", c.VerifierKey)
	}
	i.believed = int64(body.Size) == c.Size && bytes.Equal(body.Hash, c.Root)
	if !i.believed {
		find("the row has the root %x, and what was signed is %d events with the root %x", c.Root, body.Size, body.Hash)
	}
	return i
}

// sizes yields the sizes at which Rebuild has to call compare.
func (v *verification) sizes() iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		for {
			i, err, ok := v.checkpoints.next()
			switch {
			case !ok:
				return
			case err != nil:
				yield(0, err)
				return
			}
			if i.size > v.size {
				v.beyond(i)
				continue
			}
			v.checkpoints.waiting = i
			if !yield(i.size, nil) {
				return
			}
		}
	}
}

// beyond reports a checkpoint that covers more events than the log has.
func (v *verification) beyond(i *item) {
	if i.kept {
		v.find(CheckKept, v.size+1, i.size, "%s is of %d events, and the log has %d", i.name, i.size, v.size)
		return
	}
	v.find(CheckCheckpoint, v.size+1, i.size, "%s: the log has %d", i.name, v.size)
}

// compare compares the waiting checkpoint with the root of the rows at its size.
func (v *verification) compare(size int64, root []byte) error {
	c := &v.checkpoints
	i := c.waiting
	c.waiting = nil
	same := bytes.Equal(i.root, root)
	switch {
	case i.kept && !same:
		v.find(CheckKept, v.result.Signed+1, size, "not the events that %s was signed of", i.name)
	case i.kept && i.forgotten:
		v.find(CheckKept, 0, 0, "%s is of the events that are there, but is not among the log's checkpoints any more: it was deleted, or an earlier backup was restored", i.name)
	case i.kept, same && !i.believed: // an agreement proves nothing if a stranger's key signed the checkpoint
	case same:
		if c.wrong != nil {
			v.find(CheckCheckpoint, 0, 0, "%s%s: not the root of its events, although a later one has theirs: the checkpoint was changed, not the events", c.wrong.name, c.others())
		}
		c.wrong, c.wrongCount = nil, 0
		v.result.Signed = size
	default:
		if c.wrong == nil {
			c.wrong = i
		}
		c.wrongCount++
	}
	return nil
}

// others returns the part of a message that counts the wrong checkpoints after the first; empty if there are none.
func (c *checkpoints) others() string {
	if c.wrongCount == 1 {
		return ""
	}
	return fmt.Sprintf(", and %d after it", c.wrongCount-1)
}

// endCheckpoints reports the last wrong checkpoints, and those of more events than the log has.
func (v *verification) endCheckpoints() error {
	c := &v.checkpoints
	if c.wrong != nil {
		v.find(CheckCheckpoint, v.result.Signed+1, c.wrong.size, "not the events that %s%s was signed of", c.wrong.name, c.others())
	}
	for {
		i, err, ok := c.next()
		switch {
		case !ok:
			return nil
		case err != nil:
			return err
		}
		if i.size > v.size {
			v.beyond(i)
		}
	}
}
