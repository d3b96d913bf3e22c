// Package requestid has the names of requests: in the log, in the answer's header X-Request-Id, and in traces. A client may
// give its request a name; other requests get one if anything is noted about them.
package requestid

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
)

// Header is the header field that has the name of a request, and of the request that an answer belongs to.
const Header = "X-Request-Id"

// lengthMax is the length of the longest name that a client may give.
const lengthMax = 128

type key struct{}

// With returns a context that has the name of a request.
func With(ctx context.Context, id string) context.Context { return context.WithValue(ctx, key{}, id) }

// Of returns the name that a context has; empty for none.
func Of(ctx context.Context) string {
	id, _ := ctx.Value(key{}).(string)
	return id
}

// Name returns the name of a request: that of its context, that which its client gave it, or a new one.
func Name(r *http.Request) string {
	if id := Of(r.Context()); id != "" {
		return id
	}
	if given := given(r.Header); given != nil {
		return given[0]
	}
	return New()
}

// Echo gives an answer the name that the client gave its request, if it did. It does not allocate.
func Echo(answer http.Header, request http.Header) {
	if given := given(request); given != nil {
		answer[Header] = given
	}
}

// given returns the header field in which a client names its request; nil unless it is well-formed, so that nothing gets into
// logs and answers that could be taken for something else.
func given(header http.Header) []string {
	values := header[Header]
	if len(values) != 1 || len(values[0]) == 0 || len(values[0]) > lengthMax {
		return nil
	}
	for _, c := range []byte(values[0]) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == ':', c == '/', c == '+', c == '=':
		default:
			return nil
		}
	}
	return values
}

// New returns a new name: 16 hexadecimal digits.
func New() string {
	var b [8]byte
	for i, r := 0, rand.Uint64(); i < len(b); i, r = i+1, r>>8 {
		b[i] = byte(r)
	}
	return hex.EncodeToString(b[:])
}
