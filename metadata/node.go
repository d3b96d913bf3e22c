package metadata

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"
)

// node is a Stacks node. When a request to it fails, the node is ejected: it gets no requests for a while, and then one
// probe. If the node answers the probe, it is readmitted; otherwise it is ejected for twice as long.
type node struct {
	url    *url.URL
	base   string // without credentials
	logger *slog.Logger

	mu           sync.Mutex
	failures     int // consecutive ejections
	ejectedUntil time.Time
	probing      bool // the probe is in progress
}

// The duration of a first ejection, and the maximum. The duration doubles each time that the probe fails.
const (
	ejectionFirst = time.Second
	ejectionMax   = 30 * time.Second
)

// acquire reports whether the node may get a request now. If so, the caller must report the result with recordSuccess,
// recordFailure or abandon.
func (n *node) acquire(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.failures == 0:
		return true
	case n.probing || now.Before(n.ejectedUntil):
		return false
	}
	n.probing = true
	return true
}

// wait returns the time until the node may get a request.
func (n *node) wait(now time.Time) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.failures == 0:
		return 0
	case n.probing:
		return ejectionFirst
	}
	return max(n.ejectedUntil.Sub(now), 0)
}

// abandon reports that the request showed nothing about the node.
func (n *node) abandon() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.probing = false
}

// recordSuccess reports that the node answered. It readmits the node.
func (n *node) recordSuccess(ctx context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.failures > 0 {
		n.logger.LogAttrs(ctx, slog.LevelInfo, "node readmitted", slog.String("node", n.base))
	}
	n.failures, n.probing, n.ejectedUntil = 0, false, time.Time{}
}

// recordFailure reports that a request failed. It ejects the node, at least for the time that the node asked for.
func (n *node) recordFailure(ctx context.Context, now time.Time, atLeast time.Duration, reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.failures > 0 && !n.probing {
		return // the request began before the node was ejected
	}
	ejection := max(min(ejectionFirst<<min(n.failures, 10), ejectionMax), atLeast)
	if n.failures == 0 {
		n.logger.LogAttrs(ctx, slog.LevelWarn, "node ejected after a failed request; retrying", slog.String("node", n.base),
			slog.Duration("after", ejection), slog.String("error", reason))
	}
	n.failures++
	n.probing = false
	n.ejectedUntil = now.Add(ejection)
}

// nodes are the configured nodes. They get requests in turn.
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

// acquire returns the next node that may get a request and was not tried; nil if there is none.
func (n *nodes) acquire(tried map[*node]bool) *node {
	n.mu.Lock()
	first := n.next
	n.next++
	n.mu.Unlock()
	now := time.Now()
	for i := range n.all {
		if candidate := n.all[(first+i)%len(n.all)]; !tried[candidate] && candidate.acquire(now) {
			return candidate
		}
	}
	return nil
}

// ready reports whether any node may get a request.
func (n *nodes) ready() bool { return len(n.all) > 0 && n.wait() == 0 }

// wait returns the time until the first of the nodes may get a request.
func (n *nodes) wait() time.Duration {
	now := time.Now()
	shortest := ejectionMax
	for _, node := range n.all {
		shortest = min(shortest, node.wait(now))
	}
	return shortest
}
