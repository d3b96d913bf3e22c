package site

import (
	"context"
	"math"
	"net/http"
	"sync"
	"time"

	"strata/domain/hash"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/register"
)

const (
	historyInterval = 10 * time.Second
	historySpan     = time.Hour
)

// historyPoint is what a process has seen in one interval. What it does not know is null.
type historyPoint struct {
	At     time.Time `json:"at"`     // the end of the interval
	Events *float64  `json:"events"` // events of the log per second
	Lag    *int64    `json:"lag"`    // events that the slowest active projection is behind
	// Only operators see what follows.
	Requests *float64 `json:"requests,omitempty"` // answers per second, without live streams
	Median   *float64 `json:"median,omitempty"`   // seconds within which half of them were answered
	Slow     *float64 `json:"slow,omitempty"`     // and 95 %
	Hits     *float64 `json:"hits,omitempty"`     // share of look-ups in the cache that found the answer
}

// history holds the points of the last hour in memory, oldest first. It is safe for concurrent use.
type history struct {
	mu     sync.Mutex
	points []historyPoint

	seen historySeen // by add alone
}

// historySeen is what the last interval ended with.
type historySeen struct {
	at      time.Time
	size    int64
	known   bool // whether size is
	traffic trafficCounts
}

// registerHistory adds the points for the console, which draws them.
func (a *api) registerHistory() {
	h := &history{}
	a.Background(func(ctx context.Context) {
		h.add(time.Now(), a.Watch.LastState(), countTraffic(a.Engine))
		for ticker := time.NewTicker(historyInterval); ; {
			select {
			case <-ctx.Done():
				ticker.Stop()
				return
			case now := <-ticker.C:
				h.add(now, a.Watch.State(now), countTraffic(a.Engine))
			}
		}
	})
	a.Plain("GET /console/history.json", "console", func(w http.ResponseWriter, r *http.Request) {
		internals := a.ShowsInternals(r.Context())
		body := struct {
			Interval float64        `json:"interval"` // seconds
			Span     float64        `json:"span"`     // seconds
			Points   []historyPoint `json:"points"`
			Notices  []string       `json:"notices,omitempty"`
		}{Interval: historyInterval.Seconds(), Span: historySpan.Seconds(), Points: h.shown(internals)}
		if internals && a.notices != nil {
			body.Notices = a.notices()
		}
		found, err := engine.NewAnswer(body, answer.Config{Class: answer.NoStore})
		if err != nil {
			found = a.FailureAnswer(r.Context(), err, answer.Config{})
		}
		found.Serve(w, r, answer.Moment{})
	})
}

// add adds the point of the interval that ends now. state is nil while the database can't be read.
func (h *history) add(now time.Time, state *register.State, traffic trafficCounts) {
	before := h.seen
	h.seen = historySeen{at: now, traffic: traffic, size: before.size}
	if state != nil {
		h.seen.size, h.seen.known = state.LogSize, true
	}
	if before.at.IsZero() {
		return
	}
	seconds := now.Sub(before.at).Seconds()
	point := historyPoint{At: now.UTC()}
	if before.known && h.seen.known {
		point.Events = finite(float64(state.LogSize-before.size) / seconds)
	}
	if h.seen.known {
		lag := lagOf(state)
		point.Lag = &lag
	}
	came := traffic.since(before.traffic)
	point.Requests = finite(float64(came.Requests) / seconds)
	point.Median, point.Slow = finite(came.quantile(0.5)), finite(came.quantile(0.95))
	point.Hits = finite(float64(came.Hits) / float64(came.Hits+came.Misses))

	h.mu.Lock()
	defer h.mu.Unlock()
	const most = int(historySpan / historyInterval)
	if len(h.points) == most {
		h.points = append(h.points[:0:most], h.points[1:]...)
	}
	h.points = append(h.points, point)
}

// finite returns a pointer to the value; nil for NaN and infinities.
func finite(value float64) *float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	return &value
}

// lagOf returns how many events the slowest active projection is behind the log.
func lagOf(state *register.State) (lag int64) {
	for _, v := range state.Versions {
		if !v.Active {
			continue
		}
		// Most events of another feed give no step, so a version at its leader's tip has folded all that concerns it. Without
		// an ordinals feed, that is nothing.
		if leader := state.Leader(v); leader != nil && sameBlock(leader.IndexBlock, v.IndexBlock) {
			v = leader
		}
		lag = max(lag, state.LogSize-v.LogSeq)
	}
	return lag
}

// sameBlock says whether two versions are at the same block, or both at none yet.
func sameBlock(a, b *hash.Hash32) bool { return a == b || a != nil && b != nil && *a == *b }

// shown returns the points that a client may see.
func (h *history) shown(internals bool) []historyPoint {
	h.mu.Lock()
	defer h.mu.Unlock()
	points := make([]historyPoint, len(h.points))
	copy(points, h.points)
	if !internals {
		for i, p := range points {
			points[i] = historyPoint{At: p.At, Events: p.Events, Lag: p.Lag}
		}
	}
	return points
}
