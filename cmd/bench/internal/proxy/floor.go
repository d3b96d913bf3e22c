package proxy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"

	"strata/cmd/bench/internal/bench"
)

// serveFloor runs two servers with nothing but Go's standard library as a helper process: a handler that immediately
// gives the node's answer, and net/http's reverse proxy to the node. It reads the node's address and writes its own
// two.
func serveFloor(_ context.Context, in *json.Decoder, out *json.Encoder) error {
	var node string
	if err := in.Decode(&node); err != nil {
		return err
	}
	reverse := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: node})
	reverse.Transport = &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	var addresses []string
	for _, handler := range []http.Handler{http.HandlerFunc(answerAtOnce), reverse} {
		address, server, err := bench.ServeHTTP(handler)
		if err != nil {
			return err
		}
		defer server.Close() //nolint:errcheck // the process ends
		addresses = append(addresses, address)
	}
	if err := out.Encode(addresses); err != nil {
		return err
	}
	return bench.WaitForEnd(in)
}

// The answer of answerAtOnce.
var (
	floorBody   = []byte(nodeBodies[1].body)
	floorHeader = http.Header{
		"Content-Type": {"application/json"}, "X-Canonical-Stacks-Tip-Height": {"5000000"}, "Access-Control-Allow-Origin": {"*"},
		"Cache-Control": {"no-store"},
	}
)

func answerAtOnce(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	for name, values := range floorHeader {
		header[name] = values
	}
	_, _ = w.Write(floorBody)
}
