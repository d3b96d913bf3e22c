package proxy

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"strata/domain/hash"
	"strata/proxy/internal/policy"
)

// nodeHeader names the node that gave an answer. In a request for an endpoint that is PerNode, it names the node that
// shall answer.
const nodeHeader = "X-Strata-Node"

// admit decides whether a request may be forwarded, and fills x.request. Nothing else of the client's request reaches a
// node.
func (p *Proxy) admit(w http.ResponseWriter, r *http.Request, x *exchange) *failure {
	target, f := targetOf(r)
	if f != nil {
		return f
	}
	x.path = r.URL.Path
	x.endpoint = policy.Match(r.Method, x.path)
	if x.endpoint.Operator && !p.config.AllowOperator {
		return &failure{status: http.StatusForbidden, message: "this endpoint is for who runs the nodes, and closed here; " +
			"the operator of this proxy can open it (AllowOperator)"}
	}
	if allowed := p.throttle.Take(r.RemoteAddr); !allowed.Show(w.Header()) {
		return &failure{status: http.StatusTooManyRequests, message: "too many requests from your address", retryAfter: allowed.Wait}
	}
	x.request.Method, x.request.Target, x.request.ID = r.Method, target, p.requestIDs.Add(1)
	x.request.Accept = singleValue(r.Header["Accept"])
	if x.endpoint.Authorized {
		x.request.Authorization = singleValue(r.Header["Authorization"])
	}
	x.request.Once = !x.endpoint.Safe && x.endpoint.Kind != policy.Broadcast
	if tip := policy.PinnedTip(r.URL.RawQuery); tip != "" {
		x.tip, _ = hash.Parse32(tip)
		x.pinned = true
	}
	if x.endpoint.PerNode {
		if name := singleValue(r.Header[nodeHeader]); name != "" {
			node, ok := p.nodeShownAs(name)
			if !ok {
				return &failure{status: http.StatusBadRequest, message: "there is no node of the name that " + nodeHeader + " asks for"}
			}
			x.only = node
		}
	}
	if r.Method == http.MethodHead || r.Method == http.MethodGet {
		x.request.Method = http.MethodGet // nodes don't support HEAD
		return nil
	}
	x.request.ContentType = singleValue(r.Header["Content-Type"])
	return p.readBody(w, r, x)
}

// fieldMax is the longest header field of a client that is forwarded, in bytes. A node reads a head of 4096 bytes at
// most.
const fieldMax = 1024

// singleValue returns the value of a header field that the client sent exactly once, and "" for any other.
func singleValue(values []string) string {
	if len(values) != 1 || len(values[0]) > fieldMax {
		return ""
	}
	return values[0]
}

// targetOf returns the path and query to request from a node, as the client wrote them.
func targetOf(r *http.Request) (string, *failure) {
	switch {
	case r.Method == http.MethodConnect, r.Method == http.MethodTrace:
		return "", &failure{status: http.StatusMethodNotAllowed, message: "this method is not forwarded"}
	case r.URL.Host != "", r.URL.Scheme != "", r.URL.Opaque != "", r.URL.User != nil:
		return "", &failure{status: http.StatusBadRequest, message: "the request names a host to forward to; only a path is taken"}
	}
	path := r.URL.EscapedPath()
	if !strings.HasPrefix(path, "/v2/") && !strings.HasPrefix(path, "/v3/") {
		return "", &failure{status: http.StatusNotFound, message: "a node's paths begin with /v2/ or /v3/"}
	}
	if !plainPath(path) {
		return "", &failure{status: http.StatusBadRequest, message: "the path has dots, slashes or control characters where a node has none"}
	}
	if r.URL.RawQuery == "" && !r.URL.ForceQuery {
		return path, nil
	}
	if !printable(r.URL.RawQuery) {
		return "", &failure{status: http.StatusBadRequest, message: "the query has control characters"}
	}
	return path + "?" + r.URL.RawQuery, nil
}

// plainPath reports whether every HTTP implementation reads an escaped path alike: no segment is empty, "." or "..",
// and no slash, backslash, dot or control character is escaped.
func plainPath(path string) bool {
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c <= ' ' || c == 0x7f || c == '\\':
			return false
		case c == '/' && strings.HasPrefix(path[i:], "//"), c == '/' && startsWithDotSegment(path[i+1:]):
			return false
		case c == '%':
			if i+2 >= len(path) || ambiguousEscape(path[i+1], path[i+2]) {
				return false
			}
		}
	}
	return true
}

// startsWithDotSegment reports whether the first segment of a path is "." or "..".
func startsWithDotSegment(path string) bool {
	if len(path) == 0 || path[0] != '.' {
		return false
	}
	segment, _, _ := strings.Cut(path, "/")
	return segment == "." || segment == ".."
}

// ambiguousEscape reports whether %hl is a control character, dot, slash, backslash, percent sign or delete.
func ambiguousEscape(h, l byte) bool {
	l |= 0x20
	switch h {
	case '0', '1':
		return true
	case '2':
		return l == 'e' || l == 'f' || l == '5'
	case '5':
		return l == 'c'
	case '7':
		return l == 'f'
	}
	return false
}

// printable reports whether s is free of control characters and spaces, which would end a request line.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// readBody reads the whole body, so that the proxy can send it again and no node waits for a slow client.
func (p *Proxy) readBody(w http.ResponseWriter, r *http.Request, x *exchange) *failure {
	tooLarge := &failure{status: http.StatusRequestEntityTooLarge, message: "the body is larger than this proxy takes"}
	limit := p.config.BodyLimit
	if own := x.endpoint.BodyMax; own > 0 {
		limit = min(limit, own)
	}
	if r.ContentLength > limit {
		return tooLarge
	}
	if r.ContentLength == 0 {
		return nil
	}
	if len(r.TransferEncoding) > 0 {
		// net/http has dropped any Content-Length beside the transfer coding, but a proxy in front of this one may have
		// used it to find the end of the body. Then the next bytes on this connection are not a request of its client.
		w.Header().Set("Connection", "close")
	}
	body, err := p.readInto(http.MaxBytesReader(w, r.Body, limit), r.ContentLength, x)
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return tooLarge
	case errors.Is(err, errMemoryTaken):
		w.Header().Set("Connection", "close") // the rest of the body is not read
		return &failure{status: http.StatusServiceUnavailable, message: "too many large bodies are being received; try again soon", retryAfter: time.Second}
	case err != nil:
		return &failure{status: http.StatusBadRequest, message: "the body ended early or was not HTTP"}
	}
	x.request.Body = body
	return nil
}
