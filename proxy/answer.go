package proxy

import (
	"cmp"
	"maps"
	"net/http"
	"strconv"
	"time"

	"strata/proxy/internal/client"
	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
)

// BufferMax is the longest answer, in bytes, that the proxy reads to its end before it sends any of it to the client.
// Up to this size an answer can still be replaced by another node's, shared and cached.
const BufferMax = 1 << 20

// tipHeight names the header field with the height of the node's newest Stacks block. It is in every answer of status 2xx.
const tipHeight = "X-Canonical-Stacks-Tip-Height"

// answer is a node's answer. It is immutable once built.
type answer struct {
	status int
	header http.Header
	body   []byte // the first part only, if rest is not nil
	node   string // the node's name; empty for an answer from the cache
	height int64  // of the node's tip; -1 if the node didn't tell
	// burnHeight is that of the node's Bitcoin tip, as it said before the request; -1 if unknown.
	burnHeight int64
	// lag is the number of blocks that the node was behind the pool; -1 if the node is serving.
	lag   int64
	tries int
	// length is that of the whole body; -1 if the node didn't tell. rest is the part that is still to come; nil if there is
	// none. The request holds its seat at the node until rest ends.
	length int64
	rest   *client.Rest
	seat   pool.Seat
	// shareable means that the answer was whole from the start.
	shareable bool
	// cached means that the answer came from the cache.
	cached bool
}

// discard releases an answer that the client will not see.
func (a *answer) discard() {
	if a.rest != nil {
		a.rest.Close()
		a.seat.Leave(pool.Cancelled)
	}
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
		length = a.length
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
}

// setHeader sets the header of an answer: the node's fields and the proxy's own.
func (p *Proxy) setHeader(header http.Header, x *exchange, a *answer, length int64) {
	header["Content-Type"] = nil // if the node sent none, the server must not guess one
	maps.Copy(header, a.header)
	if length >= 0 && a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		header["Content-Length"] = []string{strconv.FormatInt(length, 10)}
	}
	if a.lag >= 0 {
		header["X-Backend-Lag"] = []string{strconv.FormatInt(a.lag, 10)}
	}
	header["Cache-Control"] = p.cacheControl(x, a)
}
