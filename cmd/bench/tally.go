package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tally counts where answers came from, according to the API's own metrics.
type tally struct {
	memory, redis float64 // cached answers, by tier
	tables        float64 // answers from the tables
	joined        float64 // requests that waited for the answer to an identical in-flight request
	states        float64 // state changes of the tables that the API has seen
}

// readTally reads the counters from the text of /metrics.
func readTally(text []byte) (t tally) {
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		counter := map[string]*float64{
			`strata_cache_hits_total{tier="memory"}`: &t.memory,
			`strata_cache_hits_total{tier="redis"}`:  &t.redis,
			`strata_cache_misses_total`:              &t.tables,
			`strata_cache_joined_flights_total`:      &t.joined,
			`strata_cache_state_changes_total`:       &t.states,
		}[name]
		if counter != nil {
			*counter, _ = strconv.ParseFloat(value, 64)
		}
	}
	return t
}

func (s *server) tally(ctx context.Context) (tally, error) {
	answer, err := get(ctx, s.api+"/metrics", http.Header{})
	if err == nil && !bytes.Contains(answer.Body, []byte("strata_cache_hits_total")) {
		err = fmt.Errorf("%s/metrics has no counters of the cache", s.api)
	}
	return readTally(answer.Body), err
}

// waitUntilCaching waits until an API knows the state of the tables. Before that it caches no answers.
func waitUntilCaching(read func() (tally, error)) error {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if t, err := read(); err != nil || t.states > 0 {
			return err
		}
	}
	return errors.New("the API does not know the state of the tables after 30 seconds")
}

// serveReads starts an API on the database of reads that is ready to cache answers.
func (b *bench) serveReads(ctx context.Context, more ...string) (*server, error) {
	url, err := b.reads(ctx)
	if err != nil {
		return nil, err
	}
	return b.serveCaching(ctx, url, more...)
}

// serveCaching starts a server with only the API that is ready to cache answers.
func (b *bench) serveCaching(ctx context.Context, url string, more ...string) (*server, error) {
	s, err := b.serve(ctx, url, append([]string{"--roles", "api"}, more...)...)
	if err != nil {
		return nil, err
	}
	if err := waitUntilCaching(func() (tally, error) { return s.tally(ctx) }); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// fromTables measures an API whose cache is too small for any answer, so that all answers come from the tables.
func (b *bench) fromTables(ctx context.Context, url string, measure func(*server) error) error {
	server, err := b.serveCaching(ctx, url, "--cache-memory", "1")
	if err != nil {
		return err
	}
	defer server.stop()
	before, err := server.tally(ctx)
	if err != nil {
		return err
	}
	if err := measure(server); err != nil {
		return err
	}
	return b.sources(ctx, server, before, "made from the tables", func(t tally) float64 { return t.tables })
}

// sources prints the share of answers since before that came from the intended source. If it is small, the measurement
// measured something else.
func (b *bench) sources(ctx context.Context, server *server, before tally, what string, from func(t tally) float64) error {
	now, err := server.tally(ctx)
	if err != nil {
		return err
	}
	since := tally{now.memory - before.memory, now.redis - before.redis, now.tables - before.tables, now.joined - before.joined, 0}
	all := since.memory + since.redis + since.tables + since.joined
	b.row("  of all these answers, "+what, fmt.Sprintf("%.2f %%", 100*from(since)/max(all, 1)), "", "", "100 %")
	return nil
}
