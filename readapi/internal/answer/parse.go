package answer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Parse reads an answer from its binary form, see AppendBinary. The answer keeps b, which must not be changed after. b
// may hold anything: the error says what is wrong with it.
func Parse(b []byte) (*Answer, error) {
	a, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("parse a stored answer of %d bytes: %w", len(b), err)
	}
	return a, nil
}

func parse(b []byte) (*Answer, error) {
	if len(b) < numbersEnd {
		return nil, errTooShort
	}
	if string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("it starts with %x, not with %x", b[:len(magic)], magic)
	}
	want := binary.BigEndian.Uint64(b[len(magic):])
	if got := xxhash.Sum64(b[sumEnd:]); got != want {
		return nil, fmt.Errorf("its checksum is %016x, not %016x", got, want)
	}
	numbers, r := b[sumEnd:numbersEnd], reader{left: b[numbersEnd:]}
	config := Config{
		Status:      int(binary.BigEndian.Uint16(numbers)),
		Class:       Class(numbers[2]),
		Tag:         Tag(numbers[3:19]),
		SettlesAt:   int64(binary.BigEndian.Uint64(numbers[19:])),
		ContentType: string(r.bytes()),
		Fields:      r.fields(),
		Body:        r.bytes(),
	}
	compressed := [codings][]byte{gzipCoding: r.bytes(), zstdCoding: r.bytes(), brotliCoding: r.bytes()}
	switch {
	case r.err != nil:
		return nil, r.err
	case len(r.left) > 0:
		return nil, fmt.Errorf("%d bytes too many", len(r.left))
	}
	a := assemble(config)
	if err := checkAssembled(a, config); err != nil {
		return nil, err
	}
	if !a.Cacheable() && slices.ContainsFunc(compressed[:], func(form []byte) bool { return len(form) > 0 }) {
		return nil, errors.New("compressed forms of an answer that is not to be kept")
	}
	for _, c := range [...]coding{gzipCoding, zstdCoding, brotliCoding} {
		a.keep(c, compressed[c])
	}
	a.finish()
	return a, nil
}

// checkAssembled refuses what New would not have made.
func checkAssembled(a *Answer, c Config) error {
	switch {
	case c.Status < http.StatusOK || c.Status > 599:
		return fmt.Errorf("status %d", c.Status)
	case c.Class == 0 || c.Class >= classes:
		return fmt.Errorf("class %d", c.Class)
	case a.contentType[0] != c.ContentType || len(a.Body()) != len(c.Body):
		return fmt.Errorf("content type %q and a body of %d bytes, with status %d", c.ContentType, len(c.Body), c.Status)
	case !slices.EqualFunc(a.fields, c.Fields, func(a, b Field) bool { return a.Name == b.Name && slices.Equal(a.Values, b.Values) }):
		return errors.New("header fields that are not as an answer has them")
	}
	return nil
}

var errTooShort = errors.New("it ends early")

// reader takes values off the front of left. After an error it gives empty ones. What it allocates is bounded by what
// there is to read.
type reader struct {
	left []byte
	err  error
}

func (r *reader) fields() (fields []Field) {
	for n := r.number(); n > 0 && r.err == nil; n-- {
		f := Field{Name: string(r.bytes())}
		for n := r.number(); n > 0 && r.err == nil; n-- {
			f.Values = append(f.Values, string(r.bytes()))
		}
		fields = append(fields, f)
	}
	return fields
}

// bytes reads a string. Its memory is that of the data.
func (r *reader) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.left)) {
		r.fail()
		return nil
	}
	taken := r.left[:n:n]
	r.left = r.left[n:]
	return taken
}

// number reads a length or a count.
func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.left)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.left = r.left[size:]
	return n
}

func (r *reader) fail() { r.left, r.err = nil, errTooShort }
