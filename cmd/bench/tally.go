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

// tally is where answers came from, as the API itself counts them.
type tally struct {
	memory, redis float64 // tiers that had them
	made          float64 // from the tables
	joined        float64 // requests that waited for another's answer
	states        float64 // of the tables that it has seen
}

// readTally finds the counters in the text of /metrics.
func readTally(text []byte) (t tally) {
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		counter := map[string]*float64{
			`strata_cache_hits_total{tier="memory"}`: &t.memory,
			`strata_cache_hits_total{tier="redis"}`:  &t.redis,
			`strata_cache_misses_total`:              &t.made,
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
		err = fmt.Errorf("%s/metrics does not tell where answers come from", s.api)
	}
	return readTally(answer.Body), err
}

// keeping waits until an API knows the state of the tables, without which it keeps no answer.
func keeping(read func() (tally, error)) error {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if t, err := read(); err != nil || t.states > 0 {
			return err
		}
	}
	return errors.New("wait until the API knows the state of the tables: it does not")
}

// serveReads is such a server on the database of reads.
func (b *bench) serveReads(ctx context.Context, more ...string) (*server, error) {
	url, err := b.reads(ctx)
	if err != nil {
		return nil, err
	}
	return b.serveKeeping(ctx, url, more...)
}

// serveKeeping is a server of the API alone on a database, ready to keep answers.
func (b *bench) serveKeeping(ctx context.Context, url string, more ...string) (*server, error) {
	s, err := b.serve(ctx, url, append([]string{"--roles", "api"}, more...)...)
	if err != nil {
		return nil, err
	}
	if err := keeping(func() (tally, error) { return s.tally(ctx) }); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// sources prints how many of the answers since before came from where the measurement means them to come from: if few
// did, its rows tell something else.
func (b *bench) sources(ctx context.Context, server *server, before tally, what string, from func(t tally) float64) error {
	now, err := server.tally(ctx)
	if err != nil {
		return err
	}
	since := tally{now.memory - before.memory, now.redis - before.redis, now.made - before.made, now.joined - before.joined, 0}
	all := since.memory + since.redis + since.made + since.joined
	b.row("  of all these answers, "+what, fmt.Sprintf("%.2f %%", 100*from(since)/max(all, 1)), "", "", "100 %")
	return nil
}
