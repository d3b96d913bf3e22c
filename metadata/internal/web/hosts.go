package web

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// hosts bounds the requests to each host, and keeps which hosts are paused.
type hosts struct {
	concurrency int
	rate        rate.Limit
	now         func() time.Time

	mu      sync.Mutex
	byName  map[string]*host
	sweepAt int // size of byName at which unused hosts are forgotten
}

type host struct {
	slots   chan struct{}
	limiter *rate.Limiter

	// hosts.mu guards the fields below.
	users       int // requests in progress or waiting; the host must not be forgotten while there are any
	usedAt      time.Time
	pausedUntil time.Time
}

const (
	sweepAtMin = 1024
	// forgetAfter is longer than it takes a limiter with a sensible rate to refill.
	forgetAfter = 10 * time.Minute
)

// pausedError is the error of a request that was not made because its host is paused.
type pausedError struct {
	host      string
	remaining time.Duration
}

func (e *pausedError) Error() string {
	return fmt.Sprintf("%s was not asked: it wants to be left alone for another %d s", e.host, e.seconds())
}

// seconds returns the remaining seconds, rounded up.
func (e *pausedError) seconds() int64 {
	return int64((e.remaining + time.Second - 1) / time.Second)
}

func newHosts(concurrency int, limit rate.Limit) *hosts {
	return &hosts{
		concurrency: concurrency,
		rate:        limit,
		now:         time.Now,
		byName:      make(map[string]*host),
		sweepAt:     sweepAtMin,
	}
}

// acquire waits for a slot at a host, and holds it until leave is called. Its error is a *pausedError or the error of
// ctx.
func (h *hosts) acquire(ctx context.Context, name string) (leave func(), err error) {
	entry := h.retain(name)
	if err := h.checkPause(name, entry); err != nil {
		h.release(entry)
		return nil, err
	}
	select {
	case entry.slots <- struct{}{}:
	case <-ctx.Done():
		h.release(entry)
		return nil, ctx.Err()
	}
	leave = func() {
		<-entry.slots
		h.release(entry)
	}
	if err := entry.limiter.Wait(ctx); err != nil {
		leave()
		return nil, err
	}
	// The host may have been paused while this request waited.
	if err := h.checkPause(name, entry); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// pause pauses a host for some time, unless it is already paused for longer.
func (h *hosts) pause(name string, wait time.Duration) {
	entry := h.retain(name)
	defer h.release(entry)
	h.mu.Lock()
	defer h.mu.Unlock()
	entry.pausedUntil = later(entry.pausedUntil, h.now().Add(wait))
}

// pausedUntil returns when a host's pause ends; zero or past if the host is not paused.
func (h *hosts) pausedUntil(name string) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if entry, ok := h.byName[name]; ok {
		return entry.pausedUntil
	}
	return time.Time{}
}

// checkPause returns a *pausedError if the host is paused.
func (h *hosts) checkPause(name string, entry *host) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if remaining := entry.pausedUntil.Sub(h.now()); remaining > 0 {
		return &pausedError{host: name, remaining: remaining}
	}
	entry.pausedUntil = time.Time{}
	return nil
}

// retain returns the host with this name, and keeps it from being forgotten until release.
func (h *hosts) retain(name string) *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	entry, ok := h.byName[name]
	if !ok {
		h.sweep()
		entry = &host{
			slots:   make(chan struct{}, h.concurrency),
			limiter: rate.NewLimiter(h.rate, h.concurrency),
		}
		h.byName[name] = entry
	}
	entry.users++
	return entry
}

func (h *hosts) release(entry *host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	entry.users--
	entry.usedAt = h.now()
}

// sweep forgets unused hosts. Strangers can make up any number of hosts, so memory would grow without bound otherwise.
// It runs only each time the number of hosts has doubled, which makes it cheap.
func (h *hosts) sweep() {
	if len(h.byName) < h.sweepAt {
		return
	}
	now := h.now()
	for name, entry := range h.byName {
		if entry.users == 0 && now.Sub(entry.usedAt) > forgetAfter && !entry.pausedUntil.After(now) {
			delete(h.byName, name)
		}
	}
	h.sweepAt = max(sweepAtMin, 2*len(h.byName))
}
