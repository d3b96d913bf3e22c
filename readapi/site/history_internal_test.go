package site

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"strata/domain/hash"
	"strata/internal/testkit/check"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/register"
)

// The points say what came in each interval, keep an hour, and tell strangers no loads.
func TestHistory(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_800_000_000, 0)
	traffic := trafficCounts{Bounds: []float64{.001, .01, .1}, Buckets: []uint64{0, 0, 0}}
	state := &register.State{LogSize: 100, Versions: []*register.Version{
		{Name: "chain", Active: true, LogSeq: 100}, {Name: "ft", Active: true, LogSeq: 90}, {Name: "ft", LogSeq: 1},
	}}
	h := &history{}
	h.add(start, state, traffic)
	if got := h.shown(true); len(got) != 0 {
		t.Errorf("got %v before an interval has passed", got)
	}
	state.LogSize = 150
	traffic = trafficCounts{Requests: 20, Bounds: traffic.Bounds, Buckets: []uint64{10, 20, 20}, Hits: 15, Misses: 5}
	h.add(start.Add(10*time.Second), state, traffic)
	h.add(start.Add(20*time.Second), nil, traffic) // the database is away, and nobody asks
	state.LogSize = 160
	h.add(start.Add(30*time.Second), state, traffic)
	got := h.shown(true)
	if len(got) != 3 {
		t.Fatalf("got %d points, want 3", len(got))
	}
	equal := func(what string, p *float64, want float64) {
		t.Helper()
		if p == nil || math.Abs(*p-want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", what, p, want)
		}
	}
	equal("events a second", got[0].Events, 5)
	equal("requests a second", got[0].Requests, 2)
	equal("median", got[0].Median, .001)
	equal("95 %", got[0].Slow, .0091)
	equal("hits", got[0].Hits, .75)
	check.Equal(t, "lag", *got[0].Lag, 60)
	if p := got[1]; p.Events != nil || p.Lag != nil || p.Median != nil || p.Hits != nil || *p.Requests != 0 {
		t.Errorf("while nothing is known: got %+v", p)
	}
	if p := got[2]; p.Events != nil || *p.Lag != 70 {
		t.Errorf("after that: got %+v", p)
	}
	for _, p := range h.shown(false) {
		if p.Requests != nil || p.Median != nil || p.Slow != nil || p.Hits != nil {
			t.Errorf("a stranger sees %+v", p)
		}
	}
	for i := range 1000 {
		h.add(start.Add(time.Duration(i+4)*10*time.Second), state, traffic)
	}
	if got := h.shown(true); len(got) != 360 || got[359].At.Sub(got[0].At) != 3590*time.Second {
		t.Errorf("got %d points from %v to %v, want those of an hour", len(got), got[0].At, got[len(got)-1].At)
	}
}

// Events of one feed leave the projections of the other where they are.
func TestLag(t *testing.T) {
	t.Parallel()
	height, here, below := int64(7), hash.Hash32{7}, hash.Hash32{6}
	version := func(name, input string, seq int64, tip *hash.Hash32) *register.Version {
		v := &register.Version{Name: name, Number: 1, Active: true, Input: input, LogSeq: seq, IndexBlock: tip}
		if tip != nil {
			v.Height = &height
		}
		return v
	}
	chain, ordinals := version("chain", "log", 100, &here), version("ordinals", "log", 100, nil)
	for name, c := range map[string]struct {
		follower *register.Version
		want     int64
	}{
		"at the tip of its leader":    {version("ft", "chain_v1", 40, &here), 0},
		"below the tip of its leader": {version("ft", "chain_v1", 40, &below), 60},
		"before its first block":      {version("ft", "chain_v1", 40, nil), 60},
		"of a leader without a block": {version("brc20", "ordinals_v1", 40, nil), 0},
		"above a leader without one":  {version("brc20", "ordinals_v1", 40, &here), 60},
		"reads the log itself":        {version("ft", "log", 40, &here), 60},
	} {
		state := &register.State{LogSize: 100, Versions: []*register.Version{chain, ordinals, c.follower}}
		check.Equal(t, name+": events behind", lagOf(state), c.want)
	}
}

// Operators see what they should know, and strangers do not.
func TestNotices(t *testing.T) {
	t.Parallel()
	for _, internals := range []bool{true, false} {
		e := engine.New(engine.Config{PublicInternals: internals})
		(&api{e, func() []string { return []string{"The disk is full."} }}).registerHistory()
		got := httptest.NewRecorder()
		e.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/console/history.json", nil))
		if shown := strings.Contains(got.Body.String(), `"notices":["The disk is full."]`); got.Code != http.StatusOK || shown != internals {
			t.Errorf("with internals %t: got %d %s", internals, got.Code, got.Body)
		}
	}
}
