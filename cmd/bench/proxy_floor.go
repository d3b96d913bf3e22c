package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// serveFloor is a process that says what Go's own means can do: on one address a handler that answers at once what the
// node would, on the other net/http's reverse proxy to the node. It is told the node, and says its addresses.
func serveFloor(_ context.Context, in *json.Decoder, out *json.Encoder) error {
	var node string
	if err := in.Decode(&node); err != nil {
		return err
	}
	reverse := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: node})
	reverse.Transport = &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	var addresses []string
	for _, handler := range []http.Handler{http.HandlerFunc(answerAtOnce), reverse} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		server := &http.Server{Handler: handler} //nolint:gosec // nobody but the bench connects
		defer server.Close()                     //nolint:errcheck // the process ends
		go func() { _ = server.Serve(listener) }()
		addresses = append(addresses, listener.Addr().String())
	}
	if err := out.Encode(addresses); err != nil {
		return err
	}
	if err := in.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// What answerAtOnce answers.
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
