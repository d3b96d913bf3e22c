package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"strata/internal/testkit/outside"
)

// world is what a node and a gateway in a process of their own are to be like.
type world struct {
	Latency     time.Duration
	LastTokenID uint64 // of every contract
}

// requests were answered by them.
type requests struct{ Calls, Documents int64 }

// serveOutside is that process. It is told the world and says on which address it is, and then says how much it was
// asked, whenever it is told to.
func serveOutside(_ context.Context, in *json.Decoder, out *json.Encoder) error {
	var w world
	if err := in.Decode(&w); err != nil {
		return err
	}
	handler := &outside.World{Latency: w.Latency, LastTokenID: func(string) uint64 { return w.LastTokenID }}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler} //nolint:gosec // nobody but the bench connects
	defer server.Close()                     //nolint:errcheck // the process ends
	go func() { _ = server.Serve(listener) }()
	if err := out.Encode("http://" + listener.Addr().String()); err != nil {
		return err
	}
	for {
		if err := in.Decode(&struct{}{}); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := out.Encode(requests{handler.Calls(), handler.Documents()}); err != nil {
			return err
		}
	}
}
