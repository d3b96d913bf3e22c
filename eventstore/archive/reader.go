package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// Lookahead is the number of bytes that Auto examines after a line that is good in both dialects.
	Lookahead = 1 << 20
	// DefaultMaxLine is the default of Options.MaxLine in bytes.
	DefaultMaxLine = 1 << 30
)

// Options configures a Reader. The zero value reads any archive.
type Options struct {
	// Dialect is the dialect of the file.
	Dialect Dialect
	// Name is the name of the file, for messages.
	Name string
	// MaxLine is the maximum length of a line in bytes; 0 means DefaultMaxLine.
	MaxLine int
	// AnyPayload disables the check that payloads are JSON. Use it only with a given dialect, or for a file with at least
	// some JSON: without JSON, Auto decides by the timestamp alone.
	AnyPayload bool
}

// errContradiction is the reason to refuse a readable line that contradicts the detected dialect.
var errContradiction = errors.New("the dialect was decided as copy by the lines before")

// Reader reads the records of an archive in order, in memory bounded by the longest line. It is not safe for use by
// several goroutines.
type Reader struct {
	src     lineSource
	opts    Options
	dialect Dialect // Auto until a line needs a decision
	guess   Dialect // suggested by the timestamp of the first record; Auto before it
	scratch []byte
	paths   map[string]string
	ended   bool // an end marker was read
	err     error
}

// NewReader returns a reader of r, which may be gzip (recognised by its first bytes). Nothing is read yet. The reader
// buffers: it may take more from r than the records it returned.
func NewReader(r io.Reader, o Options) *Reader {
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	return &Reader{
		src:     lineSource{raw: r, max: o.MaxLine},
		opts:    o,
		dialect: o.Dialect,
		paths:   map[string]string{},
	}
}

// Dialect returns the dialect in use: the given or the detected one. While all lines so far mean the same in both
// dialects, it returns the one that the first timestamp suggests; before the first record it returns Auto.
func (r *Reader) Dialect() Dialect {
	if r.dialect != Auto {
		return r.dialect
	}
	return r.guess
}

// Next returns the next record. Its payload is valid until the following call.
//
// At the end it returns io.EOF. For an unreadable line it returns a *LineError; the next call continues with the line
// after it, so a caller may report bad lines and go on. After an error of the stream (ErrTruncatedGzip or the error of the
// underlying reader, both wrapped in a *LineError) every further call returns the same error.
func (r *Reader) Next() (Record, error) {
	if r.err != nil {
		return Record{}, r.err
	}
	line, terminated, err := r.src.next()
	switch {
	case errors.Is(err, io.EOF):
		r.err = io.EOF
		return Record{}, io.EOF
	case errors.Is(err, ErrLineTooLong):
		return Record{}, r.lineError(&fault{
			want: fmt.Sprintf("a line of at most %d bytes", r.opts.MaxLine),
			got:  strconv.FormatInt(r.src.after-r.src.start, 10),
			err:  ErrLineTooLong,
		})
	case err != nil:
		r.err = r.lineError(&fault{want: "a readable stream", got: fmt.Sprintf("an error after %d bytes", r.src.after), err: err})
		return Record{}, r.err
	}
	if r.ended {
		r.err = io.EOF
		return Record{}, r.lineError(&fault{want: `nothing after the end marker \.`, got: quote(line)})
	}
	if r.dialect != Raw && string(line) == `\.` {
		r.ended = true
		r.dialect = Copy
		return r.Next()
	}
	if r.dialect == Auto && matters(line) {
		line = r.src.hold(line)
		r.dialect = r.decide(line)
	}
	got, f := r.parse(line, r.dialect, !r.opts.AnyPayload || !terminated)
	if f == nil && r.opts.Dialect == Auto && r.dialect == Copy && !got.canonical && r.judge(line) == Raw {
		f = &fault{want: "escapes that Postgres writes", got: "others", err: errContradiction}
	}
	if f != nil {
		if !terminated {
			f.err = ErrTruncatedLine
		} else {
			r.hint(f, line)
		}
		return Record{}, r.lineError(f)
	}
	if r.guess == Auto {
		r.guess = got.shape.dialect()
	}
	rec := got.record
	rec.Line, rec.Offset, rec.End = r.src.line, r.src.start, r.src.after
	return rec, nil
}

// matters reports whether a line may mean different things in the two dialects.
func matters(line []byte) bool {
	return bytes.IndexByte(line, '\\') >= 0 || bytes.IndexByte(line, '\r') >= 0 || bytes.Count(line, []byte{'\t'}) > 3
}

// decide detects the dialect at the first line where it matters, by the rules of the package comment.
func (r *Reader) decide(line []byte) Dialect {
	if d := r.judge(line); d != Auto {
		return d
	}
	window := r.src.ahead()
	for {
		end := bytes.IndexByte(window, '\n')
		if end < 0 {
			break
		}
		next := window[:end]
		window = window[end+1:]
		if !matters(next) {
			continue
		}
		if d := r.judge(next); d != Auto {
			return d
		}
	}
	if cols, f := splitRaw(line); f == nil {
		if _, shape, ok := parseTime(cols[1].text); ok {
			return shape.dialect()
		}
	}
	if r.guess != Auto {
		return r.guess
	}
	return Copy
}

// judge parses a line in both dialects and returns the one that it must have. Auto means that the line proves nothing.
func (r *Reader) judge(line []byte) Dialect {
	if string(line) == `\.` {
		return Copy
	}
	_, f := r.parse(line, Raw, true)
	raw := f == nil
	reading, f := r.parse(line, Copy, true)
	copied := f == nil
	switch {
	case raw && !copied:
		return Raw
	case copied && !raw:
		return Copy
	case raw && copied && !reading.canonical:
		return Raw
	}
	return Auto
}

// reading is the result of parsing a line in one dialect.
type reading struct {
	record    Record
	shape     timeShape
	canonical bool // Postgres writes all of its escapes
}

// parse parses a line in a dialect. Auto is for a line that means the same in both. The payload may point into the
// reader's scratch buffer.
func (r *Reader) parse(line []byte, d Dialect, wantJSON bool) (got reading, f *fault) {
	var cols columns
	if d == Copy {
		if cap(r.scratch) > retain {
			r.scratch = nil
		}
		cols, r.scratch, got.canonical, f = splitCopy(line, r.scratch)
	} else {
		cols, f = splitRaw(line)
	}
	if f != nil {
		return got, f
	}
	rec := &got.record

	id := cols[0]
	if !id.null && (d == Copy || len(id.text) > 0) {
		rec.IDText = string(id.text)
		n, err := strconv.ParseInt(rec.IDText, 10, 64)
		if err != nil {
			return got, &fault{want: "a 64-bit integer as id", got: quote(id.text)}
		}
		rec.ID, rec.HasID = n, true
	}

	at, shape, ok := parseTime(cols[1].text)
	if !ok {
		return got, &fault{want: "a timestamp with its offset, such as 2024-03-13 15:34:10.446375+00", got: show(cols[1])}
	}
	rec.ReceivedAt, rec.TimeText, got.shape = at, string(cols[1].text), shape

	if !isPath(cols[2].text) {
		return got, &fault{want: "a path that starts with a slash", got: show(cols[2])}
	}
	rec.Path = r.path(cols[2].text)

	if cols[3].null {
		return got, &fault{want: "a payload", got: "NULL"}
	}
	rec.Payload = cols[3].text
	if wantJSON && !validJSON(rec.Payload) {
		return got, &fault{want: "a JSON payload" + inDialect(d), got: syntaxError(rec.Payload), err: ErrNotJSON}
	}
	return got, nil
}

// path returns a path as a string. It reuses the strings of the first paths, because few different ones occur.
func (r *Reader) path(b []byte) string {
	if s, ok := r.paths[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(r.paths) < 64 {
		r.paths[s] = s
	}
	return s
}

// hint adds a note to a fault if the line would be good in the other dialect.
func (r *Reader) hint(f *fault, line []byte) {
	var other Dialect
	switch r.dialect {
	case Copy:
		other = Raw
	case Raw:
		other = Copy
	default:
		return
	}
	if _, otherFault := r.parse(line, other, true); otherFault == nil {
		f.got += fmt.Sprintf(" (it is a good line in the %s dialect; if the whole file is, name that dialect)", other)
	}
}

func (r *Reader) lineError(f *fault) error {
	return &LineError{Name: r.opts.Name, Line: r.src.line, Offset: r.src.start, Want: f.want, Got: f.got, Err: f.err}
}

func inDialect(d Dialect) string {
	if d == Auto {
		return ""
	}
	return fmt.Sprintf(" in the %s dialect", d)
}

func show(c column) string {
	if c.null {
		return "NULL"
	}
	return quote(c.text)
}

// validJSON accepts the same as json.Valid, but is several times faster. This check limits the speed of an import.
func validJSON(b []byte) bool {
	return jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// syntaxError describes the first place where a payload is not JSON.
func syntaxError(payload []byte) string {
	if len(payload) == 0 {
		return "an empty one"
	}
	var raw json.RawMessage
	err := json.Unmarshal(payload, &raw)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%v at byte %d of %s", err, syntax.Offset, quote(payload))
	}
	return quote(payload)
}
