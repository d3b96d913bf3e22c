package transparency

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// remember writes a signed checkpoint beside the key. It comes after the commit: what is not remembered for want of
// time is in the database.
func (l *Log) remember(c *Checkpoint) error {
	file := l.config.MemoryFile
	if file == "" {
		return nil
	}
	temporary, err := writeTemporary(file, c.Note)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, file); err != nil {
		_ = os.Remove(temporary)
		return err
	}
	return syncDir(filepath.Dir(file))
}

// remembered is the last checkpoint that the key has signed, as far as this machine knows; nil for none. What another
// key has signed was not promised by this one.
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
	if errors.Is(err, errNotSigned) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.config.MemoryFile, err)
	}
	return c, nil
}
