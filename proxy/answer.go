package proxy

import (
	"cmp"
	"net/http"
	"strconv"
	"sync"
	"time"

	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
	"strata/proxy/internal/wire"
)

// BufferMax is the longest answer, in bytes, that the proxy reads to its end before it sends any of it to the client.
// Up to this size an answer can still be replaced by another node's, shared and cached.
const BufferMax = 1 << 20

// answer is a node's answer. It is immutable once built.
type answer struct {
	status int
	fields []wire.Field // backed by few if they fit
	few    [4]wire.Field
	body   []byte // the first part only, if rest is not nil
	node   string // the node's name; empty for an answer from the cache
	height int64  // of the node's tip; -1 if the node didn't tell
	// burnHeight is that of the node's Bitcoin tip, as it said before the request; -1 if unknown.
	burnHeight int64
	// lag is the number of blocks that the node was behind the pool; -1 if the node is serving.
	lag   int64
	tries int
	// rest delivers the part of the body that is still to come; nil if there is none. The request holds its seat at the
	// node until rest ends.
	rest *wire.Response
	seat pool.Seat
	// shareable means that the answer was whole from the start.
	shareable bool
	// cached means that the answer came from the cache.
	cached bool
	// buffer is the memory of body if it must go back to buffers; nil otherwise.
	buffer *[]byte
}

// buffers pools memory for the bodies of answers that are neither shared nor cached.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, bufferSize); return &b }}

const (
	bufferSize = 16 << 10  // initial size of a buffer
	bufferMax  = 256 << 10 // larger buffers do not go back to the pool
)

// discard releases an answer that the client will not see.
func (a *answer) discard() {
	if a.rest != nil {
		a.rest.Close()
		a.seat.Leave(pool.Cancelled)
	}
	a.release()
}

func (a *answer) release() {
	if a.buffer == nil {
		return
	}
	if cap(a.body) <= bufferMax {
		*a.buffer = a.body[:0]
	}
	buffers.Put(a.buffer)
	a.buffer, a.body = nil, nil
}

// serve writes an answer to the client.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, x *exchange, a *answer) {
	x.status, x.node, x.tries = a.status, a.node, a.tries
	body := a.body
	if x.endpoint.Kind == policy.Estimate && a.status == http.StatusOK && a.rest == nil && p.config.FeeOverride != nil {
		if replacement, ok := p.config.FeeOverride(x.request.Body, body); ok {
			body = replacement
		}
	}
	length := int64(len(body))
	var taken ahead
	if a.rest != nil {
		length = a.rest.Length
		var ok bool
		if taken, ok = p.memory.readAhead(max(length-int64(len(body)), -1)); !ok {
			a.discard()
			p.refuse(w, x, &failure{status: http.StatusServiceUnavailable, message: "too many long answers are being read slowly; try again soon", retryAfter: time.Second})
			return
		}
		defer taken.release()
	}
	p.setHeader(w.Header(), x, a, length)
	if r.Header["X-Strata-Trace"] != nil {
		w.Header()[nodeHeader] = []string{cmp.Or(p.shownName(a.node), x.source.String())}
		w.Header()["X-Strata-Tries"] = []string{strconv.Itoa(a.tries)}
	}
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		a.discard()
		return
	}
	if a.rest == nil {
		n, _ := w.Write(body)
		x.bytes = int64(n)
	} else {
		p.stream(w, r, x, a, taken)
	}
	a.release()
}

// setHeader sets the header of an answer: the node's fields and the proxy's own. The values share one array, x.values.
func (p *Proxy) setHeader(header http.Header, x *exchange, a *answer, length int64) {
	values := x.values[:0]
	set := func(name, value string) {
		values = append(values, value)
		header[name] = values[len(values)-1 : len(values) : len(values)]
	}
	header[wire.ContentType] = nil // if the node sent none, the server must not guess one
	for i := range a.fields {
		f := &a.fields[i]
		if before := header[f.Name]; before != nil && i > 0 {
			header[f.Name] = append(before, f.Value)
			continue
		}
		set(f.Name, f.Value)
	}
	if length >= 0 && a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		set("Content-Length", strconv.FormatInt(length, 10))
	}
	if a.lag >= 0 {
		header["X-Backend-Lag"] = []string{strconv.FormatInt(a.lag, 10)}
	}
	header["Cache-Control"] = p.cacheControl(x, a)
}
