package bench

import (
	"context"
	"net/http"

	"strata/cmd/bench/internal/load"
	"strata/internal/testkit/serverrig"
)

// HotCount is the number of different targets of hot reads, which are requested again and again.
const HotCount = 299

// Variants is the number of different requests of each measurement of cold reads. They are repeated, but no answer
// stays in the cache, so only identical in-flight requests could share one.
const Variants = 500

// Record requests each target from the server, with an accepted encoding or none. It returns the answers, and the requests that
// must get the same answers again.
func Record(ctx context.Context, server *Server, targets []string, encoding string) (*Answers, *load.Requests) {
	answers, list := &Answers{ByTarget: map[string]serverrig.Reply{}}, &load.Requests{}
	for _, target := range targets {
		header := http.Header{}
		if encoding != "" {
			header.Set("Accept-Encoding", encoding)
		}
		answer := Must(Get(ctx, server.API+target, header))
		answer.Header.Del("Date") // net/http sets it
		answers.ByTarget[target] = answer
		list.Add(target, header, answer.Status, len(answer.Body))
	}
	return answers, list
}

// HotRead is a measurement of requests that are repeated again and again.
type HotRead struct {
	What     string
	Targets  []string
	Encoding string // that the client accepts; empty for none
}

// FromMemory measures answers from the API's memory.
func (b *Bench) FromMemory(ctx context.Context, server *Server, target string, all []HotRead) {
	before := server.Tally(ctx)
	for _, k := range all {
		answers, list := Record(ctx, server, k.Targets, k.Encoding)
		b.BesideHandler(ctx, k.What, "bare handler", target, server, answers, list)
	}
	b.Sources(ctx, server, before, "from memory", func(t Tally) float64 { return t.Memory })
}

// BesideHandler compares the server with a bare handler that gives the same answers.
func (b *Bench) BesideHandler(ctx context.Context, what, name, target string, server *Server, answers *Answers, list *load.Requests) {
	handler := b.Helper(ctx, "handler")
	defer handler.Stop()
	var bare string
	handler.Ask(answers, &bare)
	b.Compare(what, name, target, load.NewContender(ctx, bare, list), server.Contender(ctx, list))
}
