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

// ServeOutside runs the node and the gateway as a helper process. It reads an outsideWorld, writes its address, and then
// writes the number of requests at each further question.
func ServeOutside(_ context.Context, in *json.Decoder, out *json.Encoder) {
	var w outsideWorld
	bench.Check(in.Decode(&w))
	handler := &outside.World{Latency: w.Latency, LastTokenID: func(string) uint64 { return w.LastTokenID }}
	address, server := bench.ServeHTTP(handler)
	defer server.Close() //nolint:errcheck // the process ends
	bench.Check(out.Encode("http://" + address))
	bench.AnswerQuestions(in, out, func(struct{}) requests { return requests{handler.Calls(), handler.Documents()} })
}
