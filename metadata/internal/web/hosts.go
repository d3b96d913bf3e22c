package web

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// hosts keeps how many requests each host sees, and which hosts want to be left alone.
type hosts struct {
	concurrency int
	rate        rate.Limit
	now         func() time.Time

	mu      sync.Mutex
	byName  map[string]*host
	sweepAt int // size at which hosts that nobody asks any more are forgotten
}

type host struct {
	slots   chan struct{}
	limiter *rate.Limiter

	// The rest belongs to hosts.mu.
	users       int // in or waiting: it must not be forgotten
	usedAt      time.Time
	closedUntil time.Time
}

const (
	sweepAtMin = 1024
	// forgetAfter is longer than it takes a limiter of a sensible rate to be full again.
	forgetAfter = 10 * time.Minute
)

// closedError says that a host was not asked, because it wants to be left alone.
type closedError struct {
	host      string
	remaining time.Duration
}

func (e *closedError) Error() string {
	return fmt.Sprintf("%s was not asked: it wants to be left alone for another %d s", e.host, e.seconds())
}

// seconds that remain, rounded up.
func (e *closedError) seconds() int64 {
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

// enter waits until the host may be asked, and takes a slot until leave is called. Its error is a *closedError, or
// that of ctx.
func (h *hosts) enter(ctx context.Context, name string) (leave func(), err error) {
	one := h.hold(name)
	if err := h.open(name, one); err != nil {
		h.drop(one)
		return nil, err
	}
	select {
	case one.slots <- struct{}{}:
	case <-ctx.Done():
		h.drop(one)
		return nil, ctx.Err()
	}
	leave = func() {
		<-one.slots
		h.drop(one)
	}
	if err := one.limiter.Wait(ctx); err != nil {
		leave()
		return nil, err
	}
	// Whoever was in front may have been told to stay away.
	if err := h.open(name, one); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// close leaves a host alone for some time, and keeps to a longer time that it asked for before.
func (h *hosts) close(name string, wait time.Duration) {
	one := h.hold(name)
	defer h.drop(one)
	h.mu.Lock()
	defer h.mu.Unlock()
	one.closedUntil = later(one.closedUntil, h.now().Add(wait))
}

// closedUntil is when a host may be asked again; zero or past when it may be now.
func (h *hosts) closedUntil(name string) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one, ok := h.byName[name]; ok {
		return one.closedUntil
	}
	return time.Time{}
}

func (h *hosts) open(name string, one *host) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if remaining := one.closedUntil.Sub(h.now()); remaining > 0 {
		return &closedError{host: name, remaining: remaining}
	}
	one.closedUntil = time.Time{}
	return nil
}

func (h *hosts) hold(name string) *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	one, ok := h.byName[name]
	if !ok {
		h.sweep()
		one = &host{
			slots:   make(chan struct{}, h.concurrency),
			limiter: rate.NewLimiter(h.rate, h.concurrency),
		}
		h.byName[name] = one
	}
	one.users++
	return one
}

func (h *hosts) drop(one *host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one.users--
	one.usedAt = h.now()
}

// sweep forgets hosts that nobody asks any more. Anybody can make up hosts, so without it memory would grow for ever.
// It runs each time the number has doubled, which makes it cheap.
func (h *hosts) sweep() {
	if len(h.byName) < h.sweepAt {
		return
	}
	now := h.now()
	for name, one := range h.byName {
		if one.users == 0 && now.Sub(one.usedAt) > forgetAfter && !one.closedUntil.After(now) {
			delete(h.byName, name)
		}
	}
	h.sweepAt = max(sweepAtMin, 2*len(h.byName))
}
