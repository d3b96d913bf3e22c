package tokens

import (
	"context"
	"encoding/json"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/internal/testkit/outside"
)

// outsideWorld describes the node and the gateway of a helper process.
type outsideWorld struct {
	Latency     time.Duration
	LastTokenID uint64 // of every contract
}

// requests are the numbers of requests that the node and the gateway have answered.
type requests struct{ Calls, Documents int64 }

// serveOutside runs the node and the gateway as a helper process. It reads an outsideWorld, writes its address, and then
// writes the number of requests at each further question.
func serveOutside(_ context.Context, in *json.Decoder, out *json.Encoder) error {
	var w outsideWorld
	if err := in.Decode(&w); err != nil {
		return err
	}
	handler := &outside.World{Latency: w.Latency, LastTokenID: func(string) uint64 { return w.LastTokenID }}
	address, server, err := bench.ServeHTTP(handler)
	if err != nil {
		return err
	}
	defer server.Close() //nolint:errcheck // the process ends
	if err := out.Encode("http://" + address); err != nil {
		return err
	}
	return bench.AnswerQuestions(in, out, func(struct{}) (requests, error) {
		return requests{handler.Calls(), handler.Documents()}, nil
	})
}
