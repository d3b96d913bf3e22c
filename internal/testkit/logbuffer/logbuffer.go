// Package logbuffer provides a log that a test reads while the code under test writes it.
package logbuffer

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// Buffer collects text. It is an io.Writer, safe for concurrent use. The zero value is ready to use.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns all text written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// HasLine reports whether one line contains all of these parts.
func (b *Buffer) HasLine(parts ...string) bool {
	for line := range strings.Lines(b.String()) {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
			return true
		}
	}
	return false
}
