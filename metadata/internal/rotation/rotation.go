// Package rotation gives requests to nodes in turn, and none to those that fail.
package rotation

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"
)

// Node is a Stacks node. When a request to it fails, the node is ejected: it gets no requests for a while, and then one
// probe. If the node answers the probe, it is readmitted; otherwise it is ejected for twice as long.
type Node struct {
	URL    *url.URL
	Base   string // without credentials
	logger *slog.Logger

	mu           sync.Mutex
	failures     int // consecutive ejections
	ejectedUntil time.Time
	probe        *Turn // in progress; nil if there is none
}

// Turn is the permission for a request to a node. The caller must report its result with RecordSuccess, RecordFailure or Abandon.
type Turn struct{ *Node }

// EjectionFirst is the duration of a first ejection. It doubles each time that the probe fails.
const EjectionFirst = time.Second

const ejectionMax = 30 * time.Second

// acquire returns a turn if the node may get a request now; otherwise nil.
func (n *Node) acquire(now time.Time) *Turn {
	n.mu.Lock()
	defer n.mu.Unlock()
	turn := &Turn{n}
	switch {
	case n.failures == 0:
		return turn
	case n.probe != nil || now.Before(n.ejectedUntil):
		return nil
	}
	n.probe = turn
	return turn
}

// Wait returns the time until the node may get a request.
func (n *Node) Wait(now time.Time) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.failures == 0:
		return 0
	case n.probe != nil:
		return EjectionFirst
	}
	return max(n.ejectedUntil.Sub(now), 0)
}

// Abandon reports that the request showed nothing about the node.
func (t *Turn) Abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.probe == t {
		t.probe = nil
	}
}

// RecordSuccess reports that the node answered. It readmits the node.
func (t *Turn) RecordSuccess(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failures > 0 {
		t.logger.LogAttrs(ctx, slog.LevelInfo, "node readmitted", slog.String("node", t.Base))
	}
	t.failures, t.probe, t.ejectedUntil = 0, nil, time.Time{}
}

// RecordFailure reports that a request failed. It ejects the node, at least for the time that the node asked for.
func (t *Turn) RecordFailure(ctx context.Context, now time.Time, atLeast time.Duration, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failures > 0 && t.probe != t {
		return // the request began before the node was ejected
	}
	ejection := max(min(EjectionFirst<<min(t.failures, 10), ejectionMax), atLeast)
	if t.failures == 0 {
		t.logger.LogAttrs(ctx, slog.LevelWarn, "node ejected after a failed request; retrying", slog.String("node", t.Base),
			slog.Duration("after", ejection), slog.String("error", reason))
	}
	t.failures++
	t.probe = nil
	t.ejectedUntil = now.Add(ejection)
}

// Nodes are the configured nodes. They get requests in turn.
type Nodes struct {
	all []*Node

	mu   sync.Mutex
	next int
}

// New returns nodes with the given URLs, which may have credentials.
func New(urls []*url.URL, logger *slog.Logger) *Nodes {
	n := &Nodes{}
	for _, u := range urls {
		bare := *u
		bare.User = nil
		n.all = append(n.all, &Node{URL: u, Base: bare.String(), logger: logger})
	}
	return n
}

// Acquire returns a turn at the next node that may get a request and was not tried; nil if there is none.
func (n *Nodes) Acquire(tried map[*Node]bool) *Turn {
	n.mu.Lock()
	first := n.next
	n.next++
	n.mu.Unlock()
	now := time.Now()
	for i := range n.all {
		candidate := n.all[(first+i)%len(n.all)]
		if tried[candidate] {
			continue
		}
		if turn := candidate.acquire(now); turn != nil {
			return turn
		}
	}
	return nil
}

// Ready reports whether any node may get a request.
func (n *Nodes) Ready() bool { return len(n.all) > 0 && n.Wait() == 0 }

// Wait returns the time until the first of the nodes may get a request.
func (n *Nodes) Wait() time.Duration {
	now := time.Now()
	shortest := ejectionMax
	for _, node := range n.all {
		shortest = min(shortest, node.Wait(now))
	}
	return shortest
}
