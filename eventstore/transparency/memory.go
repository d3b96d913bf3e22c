package transparency

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"strata/internal/durable"
)

// remember writes a signed checkpoint to the memory file. The caller has committed it before: if the process dies in
// between, the checkpoint is still in the database.
func (l *Log) remember(c *Checkpoint) error {
	file := l.config.MemoryFile
	if file == "" {
		return nil
	}
	return durable.WriteFile(file, []byte(c.Note), 0o600)
}

// remembered returns the last checkpoint that the key has signed, as far as this machine knows; nil if there is none. It
// ignores a checkpoint of another key, which does not bind this one.
func (l *Log) remembered() (*Checkpoint, error) {
	if l.config.MemoryFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(l.config.MemoryFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the checkpoint that was signed last: %w", err)
	}
	c, err := ParseCheckpoint(text, l.config.Key.VerifierKey())
	if errors.Is(err, ErrNotSigned) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.config.MemoryFile, err)
	}
	return c, nil
}
