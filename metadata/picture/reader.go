package picture

import "bytes"

// reader takes pieces from the front of a file. Once a piece is longer than the rest, short is true, and the reader
// returns nothing more.
type reader struct {
	rest  []byte
	short bool
}

// take returns the next n bytes, or nil if there are fewer.
func (r *reader) take(n int) []byte {
	if r.short || n < 0 || n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

// byte returns the next byte, or 0 if there is none.
func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// index returns the number of bytes before the next byte of this value. If there is none, it returns -1, with which
// take fails.
func (r *reader) index(value byte) int { return bytes.IndexByte(r.rest, value) }
