package json5

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"strata/domain/lossy"
)

// Read reads a text that is one value. Bytes that are not UTF-8 become U+FFFD. Of members with the same name, the last
// value counts, at the position of the first. Read returns an error if more than depthMax arrays and objects are
// nested; every other error is a syntax error. All errors have the line and the column.
func Read(b []byte, depthMax int) (Value, error) {
	r := &reader{text: lossy.String(b), depthLeft: depthMax}
	v, err := r.document()
	if err != nil {
		line := 1 + strings.Count(r.text[:r.at], "\n")
		column := 1 + utf8.RuneCountInString(r.text[strings.LastIndexByte(r.text[:r.at], '\n')+1:r.at])
		return Value{}, fmt.Errorf("JSON5, line %d, column %d: %w", line, column, err)
	}
	return v, nil
}

// reader is a position in a UTF-8 text.
type reader struct {
	text      string
	at        int
	depthLeft int // the number of arrays and objects that may still be nested
}

func (r *reader) document() (Value, error) {
	v, err := r.value()
	if err != nil {
		return Value{}, err
	}
	if err := r.skipBlanks(); err != nil {
		return Value{}, err
	}
	if r.at < len(r.text) {
		return Value{}, r.unexpected("the end")
	}
	return v, nil
}

// value reads a value and the blanks before it.
func (r *reader) value() (Value, error) {
	if err := r.skipBlanks(); err != nil {
		return Value{}, err
	}
	switch c := r.peek(); {
	case c == '{' || c == '[':
		if r.depthLeft == 0 {
			return Value{}, errors.New("arrays and objects are nested too deeply")
		}
		r.depthLeft--
		defer func() { r.depthLeft++ }()
		if c == '{' {
			return r.object()
		}
		return r.array()
	case c == '"' || c == '\'':
		s, err := r.quoted()
		return Text(s), err
	case r.take("null"):
		return Value{}, nil
	case r.take("true"):
		return Value{Kind: Bool, Text: "true"}, nil
	case r.take("false"):
		return Value{Kind: Bool, Text: "false"}, nil
	}
	return r.number()
}

func (r *reader) array() (Value, error) {
	v := Value{Kind: Array}
	err := r.list(']', func() error {
		item, err := r.value()
		v.Items = append(v.Items, item)
		return err
	})
	return v, err
}

func (r *reader) object() (Value, error) {
	v := Value{Kind: Object}
	index := map[string]int{}
	err := r.list('}', func() error {
		name, err := r.name()
		if err != nil {
			return err
		}
		if err := r.skipBlanks(); err != nil {
			return err
		}
		if !r.take(":") {
			return r.unexpected(`":"`)
		}
		member, err := r.value()
		if i, ok := index[name]; ok {
			v.Items[i] = member.Named(name)
			return err
		}
		index[name] = len(v.Items)
		v.Items = append(v.Items, member.Named(name))
		return err
	})
	return v, err
}

// list reads from the opening to the closing bracket: elements with commas between them, and an optional comma after
// the last.
func (r *reader) list(closing byte, element func() error) error {
	r.at++
	for {
		if err := r.skipBlanks(); err != nil {
			return err
		}
		if r.take(string(closing)) {
			return nil
		}
		if err := element(); err != nil {
			return err
		}
		if err := r.skipBlanks(); err != nil {
			return err
		}
		if !r.take(",") && r.peek() != closing {
			return r.unexpected(fmt.Sprintf(`"," or "%c"`, closing))
		}
	}
}

// skipBlanks skips white space and comments.
func (r *reader) skipBlanks() error {
	for r.at < len(r.text) {
		switch {
		case r.take("//"):
			r.skipTo("\n", "\r", "\u2028", "\u2029")
		case r.take("/*"):
			begin := r.at - len("/*")
			if !r.skipTo("*/") {
				r.at = begin
				return errors.New("the comment does not end")
			}
			r.at += len("*/")
		default:
			c, size := utf8.DecodeRuneInString(r.text[r.at:])
			if !isBlank(c) {
				return nil
			}
			r.at += size
		}
	}
	return nil
}

// skipTo skips everything before the first of the marks. If there is none, it skips to the end and returns false.
func (r *reader) skipTo(marks ...string) bool {
	rest := r.text[r.at:]
	for i := range rest {
		for _, mark := range marks {
			if strings.HasPrefix(rest[i:], mark) {
				r.at += i
				return true
			}
		}
	}
	r.at = len(r.text)
	return false
}

func isBlank(c rune) bool {
	switch c {
	case '\t', '\n', '\v', '\f', '\r', ' ', '\u2028', '\u2029', '\ufeff':
		return true
	}
	return c >= utf8.RuneSelf && unicode.Is(unicode.Zs, c)
}

// peek returns the next byte. At the end it returns NUL, which begins nothing in JSON5.
func (r *reader) peek() byte {
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// take consumes s if it is next.
func (r *reader) take(s string) bool {
	if !strings.HasPrefix(r.text[r.at:], s) {
		return false
	}
	r.at += len(s)
	return true
}

func (r *reader) unexpected(want string) error {
	if r.at == len(r.text) {
		return fmt.Errorf("want %s, got the end", want)
	}
	c, _ := utf8.DecodeRuneInString(r.text[r.at:])
	return fmt.Errorf("want %s, got %q", want, c)
}
