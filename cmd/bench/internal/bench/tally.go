package bench

import (
	"context"
	"errors"
	"fmt"

	"strata/internal/testkit/serverrig"
)

// Tally counts where answers came from, according to the API's own metrics.
type Tally struct {
	Memory, Redis float64 // cached answers, by tier
	Tables        float64 // answers from the tables
	Joined        float64 // requests that waited for the answer to an identical in-flight request
	States        float64 // state changes of the tables that the API has seen
}

// Tally reads the counters of the server. Without any, they are zero.
func (s *Server) Tally(ctx context.Context) Tally {
	m := s.Metrics(ctx)
	return Tally{
		Memory: m[`strata_cache_hits_total{tier="memory"}`], Redis: m[`strata_cache_hits_total{tier="redis"}`], Tables: m[`strata_cache_misses_total`],
		Joined: m[`strata_cache_joined_flights_total`], States: m[`strata_cache_state_changes_total`],
	}
}

// ServeCaching starts a server with only the API that is ready to cache answers.
func (b *Bench) ServeCaching(ctx context.Context, url string, more ...string) *Server {
	s := b.Serve(ctx, url, append([]string{"--roles", "api"}, more...)...)
	// Before it knows the state of the tables, it caches no answers.
	if !serverrig.WaitFor(ctx, patience, func() bool { return s.Tally(ctx).States > 0 }) {
		Check(errors.New("the API does not know the state of the tables"))
	}
	return s
}

// FromTables measures an API whose cache is too small for any answer, so that all answers come from the tables.
func (b *Bench) FromTables(ctx context.Context, url string, measure func(*Server)) {
	server := b.ServeCaching(ctx, url, "--cache-memory", "1")
	defer server.Stop()
	before := server.Tally(ctx)
	measure(server)
	b.Sources(ctx, server, before, "made from the tables", func(t Tally) float64 { return t.Tables })
}

// Sources prints the share of answers since before that came from the intended source. If it is small, the measurement
// measured something else.
func (b *Bench) Sources(ctx context.Context, server *Server, before Tally, what string, from func(t Tally) float64) {
	now := server.Tally(ctx)
	since := Tally{now.Memory - before.Memory, now.Redis - before.Redis, now.Tables - before.Tables, now.Joined - before.Joined, 0}
	all := since.Memory + since.Redis + since.Tables + since.Joined
	b.Row("  of all these answers, "+what, fmt.Sprintf("%.2f %%", 100*from(since)/max(all, 1)), "", "", "100 %")
}
