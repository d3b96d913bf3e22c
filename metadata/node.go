package metadata

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"
)

// node is a Stacks node that can be asked. One that failed rests: it is not asked at all for a while, then by one
// request, and by all again once that one was answered.
type node struct {
	url    *url.URL
	base   string // without credentials
	logger *slog.Logger

	mu        sync.Mutex
	failures  int // in a row
	restUntil time.Time
	probing   bool // one request finds out whether it is back
}

// Rests of a node after its first failure, and at most.
const (
	restFirst   = time.Second
	restLongest = 30 * time.Second
)

// take says whether the node may be asked now. Whoever takes it tells what came of it with answered, failed or
// abandoned.
func (n *node) take(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.failures == 0:
		return true
	case n.probing || now.Before(n.restUntil):
		return false
	}
	n.probing = true
	return true
}

// wait is how long until the node may be asked.
func (n *node) wait(now time.Time) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.failures == 0:
		return 0
	case n.probing:
		return restFirst
	}
	return max(n.restUntil.Sub(now), 0)
}

// abandoned: nothing was learnt about the node.
func (n *node) abandoned() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.probing = false
}

func (n *node) answered(ctx context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.failures > 0 {
		n.logger.LogAttrs(ctx, slog.LevelInfo, "node answers again", slog.String("node", n.base))
	}
	n.failures, n.probing, n.restUntil = 0, false, time.Time{}
}

// failed sends the node to rest. atLeast is how long it asked to be left alone.
func (n *node) failed(ctx context.Context, now time.Time, atLeast time.Duration, why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.failures > 0 && !n.probing {
		return // was under way when another request failed
	}
	if n.failures == 0 {
		n.logger.LogAttrs(ctx, slog.LevelWarn, "node fails; it rests", slog.String("node", n.base), slog.String("error", why))
	}
	rest := min(restFirst<<min(n.failures, 10), restLongest)
	n.failures++
	n.probing = false
	n.restUntil = now.Add(max(rest, atLeast))
}

// nodes are asked in turn.
type nodes struct {
	all []*node

	mu   sync.Mutex
	next int
}

func newNodes(urls []*url.URL, logger *slog.Logger) *nodes {
	n := &nodes{}
	for _, u := range urls {
		bare := *u
		bare.User = nil
		n.all = append(n.all, &node{url: u, base: bare.String(), logger: logger})
	}
	return n
}

// take is the next node that may be asked and is not among tried; nil when there is none.
func (n *nodes) take(tried map[*node]bool) *node {
	n.mu.Lock()
	first := n.next
	n.next++
	n.mu.Unlock()
	now := time.Now()
	for i := range n.all {
		if candidate := n.all[(first+i)%len(n.all)]; !tried[candidate] && candidate.take(now) {
			return candidate
		}
	}
	return nil
}

// ready says whether any node may be asked.
func (n *nodes) ready() bool { return len(n.all) > 0 && n.wait() == 0 }

// wait is how long until the first node may be asked.
func (n *nodes) wait() time.Duration {
	now := time.Now()
	shortest := restLongest
	for _, node := range n.all {
		shortest = min(shortest, node.wait(now))
	}
	return shortest
}
