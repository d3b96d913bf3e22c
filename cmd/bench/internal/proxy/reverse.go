package proxy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"

	"strata/cmd/bench/internal/bench"
)

// serveReverse runs net/http's reverse proxy to the node as a helper process. It reads the node's address and writes its own.
func serveReverse(_ context.Context, in *json.Decoder, out *json.Encoder) error {
	var node string
	if err := in.Decode(&node); err != nil {
		return err
	}
	reverse := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: node})
	reverse.Transport = &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	address, server, err := bench.ServeHTTP(reverse)
	if err != nil {
		return err
	}
	defer server.Close() //nolint:errcheck // the process ends
	if err := out.Encode(address); err != nil {
		return err
	}
	return bench.WaitForEnd(in)
}
