package web

import (
	"net/http"
	"sync"
	"time"

	"strata/domain/fetch"
)

// gateways keeps how the gateways are. They are those of the configuration, so there are few.
type gateways struct {
	now func() time.Time

	mu     sync.Mutex
	byBase map[string]*health
}

type health struct {
	failures int // since it last worked
	due      time.Time
}

// A gateway that failed comes after the others for a while, twice as long after each further failure. It is still
// asked when the others can't answer.
const (
	setBackFirst   = 15 * time.Second
	setBackLongest = 10 * time.Minute
)

func newGateways() *gateways {
	return &gateways{now: time.Now, byBase: make(map[string]*health)}
}

// due is when a gateway gets its place again; zero or past when it has it.
func (g *gateways) due(base string) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h, ok := g.byBase[base]; ok {
		return h.due
	}
	return time.Time{}
}

// note what came of an exchange with a gateway. A base that is empty is no gateway.
func (g *gateways) note(base string, e *fetch.Exchange) {
	if base == "" || e.Status == http.StatusTooManyRequests {
		return // how long a host wants to be left alone is kept with the host
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !failing(e) {
		delete(g.byBase, base)
		return
	}
	h, ok := g.byBase[base]
	if !ok {
		h = new(health)
		g.byBase[base] = h
	}
	setBack := setBackLongest
	if h.failures < 10 { // a shift by more says nothing new
		setBack = min(setBackFirst<<h.failures, setBackLongest)
	}
	h.failures++
	h.due = g.now().Add(setBack)
}

// failing says whether an exchange speaks against the gateway, rather than against what was wanted of it.
func failing(e *fetch.Exchange) bool {
	if e.Failure != "" {
		return e.Failure != fetch.FailureTooLarge
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout:
		return true
	}
	return e.Status >= 500
}
