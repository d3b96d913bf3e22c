package picture

import "bytes"

// reader takes pieces from the front of a file. When there is less than asked for it is short from then on, and gives
// nothing more.
type reader struct {
	rest  []byte
	short bool
}

// take gives the next n bytes, or nil.
func (r *reader) take(n int) []byte {
	if r.short || n < 0 || n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

// byte gives the next byte, or 0.
func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// index is how many bytes stand before the next one of this value; -1, with which take fails, when there is none.
func (r *reader) index(value byte) int { return bytes.IndexByte(r.rest, value) }
