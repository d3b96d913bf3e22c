package archive

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// column is one of the four columns, unescaped.
type column struct {
	text []byte
	null bool
}

type columns [4]column

const wantColumns = "4 tab-separated columns"

// splitRaw cuts at the first three tabs.
func splitRaw(line []byte) (columns, *fault) {
	var c columns
	rest := line
	for i := range 3 {
		tab := bytes.IndexByte(rest, '\t')
		if tab < 0 {
			return c, &fault{want: wantColumns, got: fmt.Sprintf("%d in %s", i+1, quote(line))}
		}
		c[i].text, rest = rest[:tab], rest[tab+1:]
	}
	if bytes.HasSuffix(rest, []byte{'\r'}) {
		return c, &fault{want: "a line that ends in LF alone", got: "CR LF"}
	}
	c[3].text = rest
	return c, nil
}

// splitCopy cuts at tabs and unescapes COPY text. A column points into line, or into scratch if it had escapes. splitCopy
// returns scratch for reuse. canonical is false if there is an escape that Postgres never writes.
func splitCopy(line, scratch []byte) (c columns, newScratch []byte, canonical bool, f *fault) {
	if bytes.IndexByte(line, '\r') >= 0 {
		return c, scratch, false, &fault{want: `a carriage return to be written as \r`, got: "a bare one"}
	}
	// Unescaping never makes text longer, so scratch does not move while columns point into it.
	if cap(scratch) < len(line) && bytes.IndexByte(line, '\\') >= 0 {
		scratch = make([]byte, 0, len(line)+len(line)/4)
	}
	scratch = scratch[:0]
	canonical = true
	rest := line
	n := 0
	for more := true; more; n++ {
		end := fieldEnd(rest)
		field := rest[:end]
		if more = end < len(rest); more {
			rest = rest[end+1:]
		}
		if n >= len(c) {
			continue // only count it, for the error
		}
		if len(field) == 2 && field[0] == '\\' && field[1] == 'N' {
			c[n].null = true
			continue
		}
		if bytes.IndexByte(field, '\\') < 0 {
			c[n].text = field
			continue
		}
		from := len(scratch)
		var plain bool
		scratch, plain, f = unescape(scratch, field)
		if f != nil {
			return c, scratch, false, f
		}
		canonical = canonical && plain
		c[n].text = scratch[from:len(scratch):len(scratch)]
	}
	if n != len(c) {
		return c, scratch, false, &fault{want: wantColumns, got: fmt.Sprintf("%d in %s", n, quote(line))}
	}
	return c, scratch, canonical, nil
}

// fieldEnd returns the index of the tab that ends the first field. A tab right after a backslash is data.
func fieldEnd(b []byte) int {
	from := 0
	for {
		tab := bytes.IndexByte(b[from:], '\t')
		if tab < 0 {
			return len(b)
		}
		end := from + tab
		slashes := 0
		for slashes < end && b[end-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end
		}
		from = end + 1
	}
}

// unescape appends the unescaped field to dst. canonical is true if Postgres writes all of its escapes.
func unescape(dst, field []byte) (out []byte, canonical bool, f *fault) {
	canonical = true
	for {
		slash := bytes.IndexByte(field, '\\')
		if slash < 0 {
			return append(dst, field...), canonical, nil
		}
		dst = append(dst, field[:slash]...)
		field = field[slash+1:]
		if len(field) == 0 {
			return dst, false, &fault{want: "a character after a backslash", got: "the end of the column"}
		}
		ch := field[0]
		field = field[1:]
		switch ch {
		case '\\':
			dst = append(dst, '\\')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'v':
			dst = append(dst, '\v')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, used := number(field, 8, 2, int(ch-'0'))
			dst, field, canonical = append(dst, byte(v)), field[used:], false // above \377 the high bit is lost, as in Postgres
		case 'x':
			v, used := number(field, 16, 2, 0)
			if used == 0 {
				v = 'x' // without a hex digit, \x is just an x
			}
			dst, field, canonical = append(dst, byte(v)), field[used:], false
		default:
			dst, canonical = append(dst, ch), false
		}
	}
}

// number appends at most n digits of a base to v.
func number(b []byte, base, n, v int) (value, used int) {
	for used < n && used < len(b) {
		d := digit(b[used])
		if d >= base {
			break
		}
		v = v*base + d
		used++
	}
	return v, used
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

// escapes maps a byte to the letter that follows the backslash; 0 means that the byte needs no escape.
var escapes = [256]byte{'\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v', 0: 'x'}

// appendEscaped appends text as a COPY column: the escapes of Postgres, and \xHH for what Postgres text can't hold
// (NUL, and bytes that are not UTF-8).
func appendEscaped(dst, text []byte) []byte {
	const hexDigits = "0123456789abcdef"
	valid := utf8.Valid(text)
	from := 0
	for i := 0; i < len(text); {
		c, size := text[i], 1
		letter := escapes[c]
		if !valid && c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRune(text[i:]); r == utf8.RuneError && size == 1 {
				letter = 'x'
			}
		}
		if letter != 0 {
			dst = append(append(dst, text[from:i]...), '\\', letter)
			if letter == 'x' {
				dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
			}
			from = i + 1
		}
		i += size
	}
	return append(dst, text[from:]...)
}
