package answer

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
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
	Class       Class
	// Tag identifies the content. Zero: the answer has no entity tag.
	Tag Tag
	// SettlesAt is the height of the Bitcoin chain from which on an answer of class Tip counts as Settled. Zero: never.
	SettlesAt int64
	// Fields are further header fields. Those that Serve sets itself (Cache-Control, Content-Encoding, Content-Length,
	// Content-Type, ETag, Strata-Position, Vary) are left out.
	Fields []Field
	// Rest writes what follows Body, for bodies that are not held in memory as a whole. It is called once for each time
	// the body is sent, and has to write exactly the bytes that are missing to Size.
	Rest func(ctx context.Context, w io.Writer) error
	// Size is the length of the whole body in bytes. It counts only together with Rest.
	Size int64
}

// Answer is a finished answer. It doesn't change once it is made, so that many may serve it at the same time.
type Answer struct {
	status      int
	class       Class
	tag         Tag
	settlesAt   int64
	contentType value
	fields      []Field
	repeated    int // the first so many fields are in a 304 too
	forms       [codings]form
	offered     codingSet // the forms there are, besides identity
	rest        func(ctx context.Context, w io.Writer) error
	weight      int
}

// form is the answer in one encoding.
type form struct {
	body   []byte
	length value
	etag   value
	// making, unless nil, makes body and length when they are asked for the first time.
	making *sync.Once
}

// value is a header value that is ready to be put into a header, by slicing it. Empty: the header has no such field.
type value [1]string

func (v *value) isSet() bool { return v[0] != "" }

// New makes an answer. One that is Cacheable is compressed here.
func New(c Config) *Answer {
	a := assemble(c)
	switch {
	case !a.isText():
	case a.Cacheable():
		for _, c := range [...]coding{gzipCoding, zstdCoding} {
			a.keep(c, worthwhile(c.compress(a.Body()), a.Body()))
		}
	default:
		a.makeLater()
	}
	a.finish()
	return a
}

// assemble makes an answer that has only the body as it is.
func assemble(c Config) *Answer {
	a := &Answer{status: c.Status, class: c.Class, tag: c.Tag, settlesAt: c.SettlesAt, rest: c.Rest}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.fields, a.repeated = arrange(c.Fields)
	if !hasBody(a.status) {
		a.rest = nil
		return a
	}
	size := int64(len(c.Body))
	if c.Rest != nil {
		size = c.Size
	}
	a.contentType[0] = c.ContentType
	if c.ContentType == "" && size > 0 {
		a.contentType[0] = "application/octet-stream"
	}
	a.forms[identity].body = c.Body
	if a.Cacheable() {
		a.forms[identity].body = snug(c.Body)
	}
	a.forms[identity].length[0] = strconv.FormatInt(size, 10)
	return a
}

// isText says if the body may be compressed.
func (a *Answer) isText() bool {
	return a.rest == nil && len(a.Body()) >= minCompressed && compressible(a.contentType[0])
}

// keep adds the answer's form in a coding, if there is one.
func (a *Answer) keep(c coding, body []byte) {
	if len(body) == 0 {
		return
	}
	a.forms[c].body = snug(body)
	a.forms[c].length[0] = strconv.Itoa(len(body))
	a.offered.add(c)
}

// makeLater adds the forms that are made when they are asked for.
func (a *Answer) makeLater() {
	for _, c := range [...]coding{gzipCoding, zstdCoding} {
		a.forms[c].making = new(sync.Once)
		a.offered.add(c)
	}
}

// finish makes what follows from all the rest.
func (a *Answer) finish() {
	if a.tag != (Tag{}) && a.class != NoStore && a.status < http.StatusBadRequest {
		for c := range codings {
			if c == identity || a.offered.has(c) {
				a.forms[c].etag[0] = a.tag.entityTag(c)
			}
		}
	}
	a.weight = a.weigh()
}

// form is the answer in a coding that it has.
func (a *Answer) form(c coding) *form {
	f := &a.forms[c]
	if f.making != nil {
		f.making.Do(func() {
			f.body = c.compress(a.Body())
			f.length[0] = strconv.Itoa(len(f.body))
		})
	}
	return f
}

// hasBody is false for statuses whose answers end with the header (RFC 9110 section 6.4.1).
func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// Status is the HTTP status code.
func (a *Answer) Status() int { return a.status }

// Class is the class that the answer was made with.
func (a *Answer) Class() Class { return a.class }

// Tag is the tag that the answer was made with.
func (a *Answer) Tag() Tag { return a.tag }

// Body is the body without content coding, or what is held of it in memory. It must not be changed.
func (a *Answer) Body() []byte { return a.forms[identity].body }

// Cacheable is false for answers that a cache should not keep, neither here nor elsewhere: those that nobody may store,
// failures of the server, bodies above MaxBody, and bodies that continue with a stream.
func (a *Answer) Cacheable() bool {
	return a.class != NoStore && a.status < http.StatusInternalServerError && a.rest == nil && len(a.Body()) <= MaxBody
}
