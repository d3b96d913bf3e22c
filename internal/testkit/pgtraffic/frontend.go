package pgtraffic

import (
	"bytes"
	"encoding/binary"
)

// Message is a message from a client (https://www.postgresql.org/docs/current/protocol-message-formats.html).
type Message struct {
	Kind byte // its type; 0 of the first on a connection, which has none
	Body []byte
	Text string // of the statement that it executes or binds; else empty
}

// Frontend reads the messages of a client on one connection, which is not encrypted.
type Frontend struct {
	begun bool
	texts map[string]string // of prepared statements
}

// Next returns the first message in b and its size with its head; 0 if it is not whole.
func (f *Frontend) Next(b []byte) (m Message, size int) {
	head := 1
	if !f.begun {
		head = 0
	}
	if len(b) < head+4 {
		return m, 0
	}
	if size = head + int(binary.BigEndian.Uint32(b[head:])); len(b) < size {
		return m, 0
	}
	m.Body = b[head+4 : size]
	if !f.begun {
		f.begun = true
		return m, size
	}
	switch m.Kind = b[0]; m.Kind {
	case 'P': // parse: a name and a text
		name, rest, _ := bytes.Cut(m.Body, []byte{0})
		if f.texts == nil {
			f.texts = map[string]string{}
		}
		f.texts[string(name)] = text(rest)
	case 'B': // bind: a portal and the name of a statement
		_, rest, _ := bytes.Cut(m.Body, []byte{0})
		m.Text = f.texts[text(rest)]
	case 'Q':
		m.Text = text(m.Body)
	}
	return m, size
}

// text returns the text that b begins with, up to its NUL.
func text(b []byte) string {
	first, _, _ := bytes.Cut(b, []byte{0})
	return string(first)
}
