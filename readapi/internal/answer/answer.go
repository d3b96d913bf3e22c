package answer

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

// MaxBody is the length of the longest body that is worth caching, in bytes.
const MaxBody = 1 << 20

// Config is what an answer is made of. The answer owns all of it from then on.
type Config struct {
	// Status is the HTTP status code. Zero means 200.
	Status int
	// ContentType is the media type of the body, with its parameters. Empty means application/octet-stream, if there is
	// a body.
	ContentType string
	Body        []byte
	Class       Class // zero means NoStore
	// Tag identifies the content. Zero: a digest of Body, so that a tag lasts for as long as the body stays the same; no
	// entity tag for a body that is not held in memory as a whole.
	Tag Tag
	// SettlesAt is the height of the Bitcoin chain from which on an answer of class Tip counts as Settled. Zero: never.
	SettlesAt int64
	// Fields are further header fields. Those that Serve sets itself (Cache-Control, Content-Encoding, Content-Length,
	// Content-Type, ETag, Strata-Position, Vary) are left out.
	Fields []Field
	// Rest writes what follows Body, for bodies that are not held in memory as a whole. It is called once for each time
	// the body is sent, and has to write exactly the bytes that are missing to Size.
	Rest func(ctx context.Context, w io.Writer) error
	// Open gives the whole body, which is not held in memory at all, to whoever it is sent to; Body is empty then. It is
	// sent in parts to those who ask for some (RFC 9110 section 14), and closed.
	Open func(ctx context.Context) io.ReadSeekCloser
	// Size is the length of the whole body in bytes. It counts only together with Rest or Open.
	Size int64
}

// Answer is a finished answer. What it says doesn't change once it is made, so that many may serve it at the same time.
type Answer struct {
	status      int
	class       Class
	tag         Tag
	settlesAt   int64
	contentType value
	fields      []Field
	repeated    int // the first so many fields are in a 304 too
	plain       form
	offered     codingSet // the codings there are, besides identity
	compressed  [codings]laterForm
	etags       [codings]value
	rest        func(ctx context.Context, w io.Writer) error
	open        func(ctx context.Context) io.ReadSeekCloser
	weight      atomic.Int64
	heavier     func()
}

// form is the answer in one encoding.
type form struct {
	body   []byte
	length value
}

// laterForm is a form that is made when it is asked for the first time.
type laterForm struct {
	making sync.Once
	made   atomic.Pointer[form]
}

// value is a header value that is ready to be put into a header, by slicing it. Empty: the header has no such field.
type value [1]string

func (v *value) isSet() bool { return v[0] != "" }

// New makes an answer.
func New(c Config) *Answer {
	a := assemble(c)
	a.finish()
	return a
}

// assemble makes an answer that has only the body as it is.
func assemble(c Config) *Answer {
	a := &Answer{status: c.Status, class: c.Class, tag: c.Tag, settlesAt: c.SettlesAt, rest: c.Rest, open: c.Open}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.class == 0 {
		a.class = NoStore
	}
	a.fields, a.repeated = arrange(c.Fields)
	if !hasBody(a.status) {
		a.rest, a.open = nil, nil
		return a
	}
	size := int64(len(c.Body))
	if c.Rest != nil || c.Open != nil {
		size = c.Size
	}
	a.contentType[0] = c.ContentType
	if c.ContentType == "" && size > 0 {
		a.contentType[0] = "application/octet-stream"
	}
	a.plain.body = c.Body
	if a.Cacheable() {
		a.plain.body = trimmed(c.Body)
	}
	if a.tag == (Tag{}) && a.isTagged() && c.Rest == nil && c.Open == nil {
		digest := sha256.Sum256(c.Body)
		copy(a.tag[:], digest[:])
	}
	a.plain.length[0] = strconv.FormatInt(size, 10)
	if a.isText() && shrinks(a.plain.body) {
		a.offered.add(gzipCoding)
		a.offered.add(zstdCoding)
		if a.Cacheable() {
			a.offered.add(brotliCoding)
		}
	}
	return a
}

// isText says if the body may be compressed.
func (a *Answer) isText() bool {
	return a.rest == nil && a.open == nil && len(a.Body()) >= minCompressed && compressible(a.contentType[0])
}

// keep adds the answer's form in a coding, if there is one.
func (a *Answer) keep(c coding, body []byte) {
	if len(body) == 0 {
		return
	}
	a.compressed[c].made.Store(newForm(body))
	a.offered.add(c)
}

func newForm(body []byte) *form {
	return &form{trimmed(body), value{strconv.Itoa(len(body))}}
}

// finish computes the tag, the header and the compressed forms.
func (a *Answer) finish() {
	if a.tag != (Tag{}) && a.isTagged() {
		for c := range codings {
			if c == identity || a.offered.has(c) {
				a.etags[c][0] = a.tag.entityTag(c)
			}
		}
	}
	a.weight.Store(a.weigh())
}

// isTagged says if clients may keep the answer, and ask whether it has changed.
func (a *Answer) isTagged() bool { return a.class != NoStore && a.status < http.StatusBadRequest }

// form is the answer in a coding that it has.
func (a *Answer) form(c coding) *form {
	if c == identity {
		return &a.plain
	}
	later := &a.compressed[c]
	if made := later.made.Load(); made != nil {
		return made
	}
	first := false
	later.making.Do(func() {
		made := newForm(c.compress(a.Body()))
		a.weight.Add(made.weight())
		later.made.Store(made)
		first = true
	})
	if first && a.heavier != nil {
		a.heavier()
	}
	return later.made.Load()
}

// WhenHeavier has a function called each time that the answer has become heavier, by a form that somebody asked for. It is
// set before others have the answer.
func (a *Answer) WhenHeavier(heavier func()) { a.heavier = heavier }

// hasBody is false for statuses whose answers end with the header (RFC 9110 section 6.4.1).
func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// Status is the HTTP status code.
func (a *Answer) Status() int { return a.status }

// Class is the class that the answer was made with.
func (a *Answer) Class() Class { return a.class }

// Body is the body without content coding, or what is held of it in memory. It must not be changed.
func (a *Answer) Body() []byte { return a.plain.body }

// Cacheable is false for answers that a cache should not keep, neither here nor elsewhere: those that nobody may store,
// failures of the server, bodies above MaxBody, and those that are not held in memory as a whole.
func (a *Answer) Cacheable() bool {
	return a.class != NoStore && a.status < http.StatusInternalServerError && a.rest == nil && a.open == nil && len(a.Body()) <= MaxBody
}
