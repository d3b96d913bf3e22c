package proxy

import (
	"io"
	"net/http"
	"strconv"
	"sync"

	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
	"strata/proxy/internal/wire"
)

// BufferMax is the longest answer, in bytes, that is read to its end before the client gets any of it. Up to there an
// answer can still be replaced by another node's, shared and kept.
const BufferMax = 1 << 20

// answer is a node's. Once it is made, nobody changes it.
type answer struct {
	status int
	fields []wire.Field // in few, where that suffices
	few    [4]wire.Field
	body   []byte // the beginning of it, where there is a rest
	node   string // that gave it; empty if it was kept
	height int64  // of the node's tip; -1: it didn't say
	// lag is how many blocks the node was behind the pool; -1 if it was one that serves.
	lag   int64
	tries int
	// rest is what still comes from the node, where the request has its seat until the end; nil if there is nothing.
	rest *wire.Response
	seat pool.Seat
	// shareable says that there was no rest, ever.
	shareable bool
	// kept says that it is from the cache.
	kept bool
	// loan is the memory of body if it goes back to the pool.
	loan *[]byte
}

// buffers has memory for the bodies of answers that nobody keeps.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, bufferSize); return &b }}

// Sizes of such memory: what it begins with, and above which it isn't used again.
const (
	bufferSize = 16 << 10
	bufferMax  = 256 << 10
)

// discard gives up an answer that the client will not see.
func (a *answer) discard() {
	if a.rest != nil {
		a.rest.Close()
		a.seat.Leave(pool.Cancelled)
	}
	a.release()
}

func (a *answer) release() {
	if a.loan == nil {
		return
	}
	if cap(a.body) <= bufferMax {
		*a.loan = a.body[:0]
	}
	buffers.Put(a.loan)
	a.loan, a.body = nil, nil
}

// serve writes the answer.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, x *exchange, a *answer) {
	x.status, x.node, x.tries = a.status, a.node, a.tries
	body := a.body
	if x.endpoint.Kind == policy.Estimate && a.status == http.StatusOK && a.rest == nil && p.config.FeeOverride != nil {
		if other, ok := p.config.FeeOverride(x.request.Body, body); ok {
			body = other
		}
	}
	length := int64(len(body))
	if a.rest != nil {
		length = a.rest.Length
	}
	p.setHeader(w.Header(), x, a, length)
	if r.Header["X-Strata-Trace"] != nil {
		w.Header()[nodeHeader] = []string{or(a.node, x.source.String())}
		w.Header()["X-Strata-Tries"] = []string{strconv.Itoa(a.tries)}
	}
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		a.discard()
		return
	}
	n, err := w.Write(body)
	x.bytes = int64(n)
	switch {
	case a.rest == nil:
	case err != nil:
		a.discard()
	default:
		p.stream(w, x, a)
	}
	a.release()
}

// setHeader sets the header of an answer: the node's fields, and the proxy's. The values share one piece of memory.
func (p *Proxy) setHeader(header http.Header, x *exchange, a *answer, length int64) {
	values := x.values[:0]
	set := func(name, value string) {
		values = append(values, value)
		header[name] = values[len(values)-1 : len(values) : len(values)]
	}
	header[wire.ContentType] = nil // where the node sent none, none is guessed
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

// stream passes the rest of an answer on. If it ends early, so does the client's connection: the client must not take
// what it has for the whole.
func (p *Proxy) stream(w io.Writer, x *exchange, a *answer) {
	loan := buffers.Get().(*[]byte)
	defer buffers.Put(loan)
	piece := (*loan)[:cap(*loan)]
	for {
		a.rest.Extend(p.config.Timeouts.Stall)
		n, readErr := a.rest.Read(piece)
		written, writeErr := w.Write(piece[:n])
		x.bytes += int64(written)
		switch {
		case writeErr != nil:
			a.discard()
			return
		case readErr == io.EOF: //nolint:errorlint // Read returns it as it is
			a.rest.Close()
			a.seat.Leave(pool.OfStatus(a.status))
			return
		case readErr != nil:
			a.rest.Close()
			a.seat.Leave(pool.Broken)
			panic(http.ErrAbortHandler)
		}
	}
}
