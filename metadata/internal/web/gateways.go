package web

import (
	"net/http"
	"sync"
	"time"

	"strata/domain/fetch"
)

// gateways keeps the health of the gateways. They come from the configuration, so there are few.
type gateways struct {
	now func() time.Time

	mu     sync.Mutex
	byBase map[string]*health
}

type health struct {
	failures int // since the gateway last worked
	due      time.Time
}

// A gateway that failed is demoted for a while: it comes after the others, and only gets a request if they can't
// answer. Each further failure doubles the time.
const (
	demotionFirst = 15 * time.Second
	demotionMax   = 10 * time.Minute
)

func newGateways() *gateways {
	return &gateways{now: time.Now, byBase: make(map[string]*health)}
}

// due returns when a gateway's demotion ends; zero or past if it is not demoted.
func (g *gateways) due(base string) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h, ok := g.byBase[base]; ok {
		return h.due
	}
	return time.Time{}
}

// record records the result of an exchange with a gateway. An empty base means that the exchange was not with a
// gateway.
func (g *gateways) record(base string, e *fetch.Exchange) {
	if base == "" || e.Status == http.StatusTooManyRequests {
		return // after a status 429 the host is paused instead
	}
	if failing(e) {
		g.demote(base)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.byBase, base)
}

// demote records a failure of a gateway. An empty base means no gateway.
func (g *gateways) demote(base string) {
	if base == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	h, ok := g.byBase[base]
	if !ok {
		h = new(health)
		g.byBase[base] = h
	}
	demotion := demotionMax
	if h.failures < 10 { // further shifts would only exceed the maximum
		demotion = min(demotionFirst<<h.failures, demotionMax)
	}
	h.failures++
	h.due = g.now().Add(demotion)
}

// failing reports whether an exchange shows a failure of the gateway rather than of the resource.
func failing(e *fetch.Exchange) bool {
	if e.Failure != "" {
		return e.Failure != fetch.FailureTooLarge && e.Failure != fetch.FailureFormat
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout:
		return true
	}
	return e.Status >= 500
}
