package synthchain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"time"
)

// ErrRemote is returned for an observer that is not on this machine, unless Simulation.AllowRemote is set: a made-up chain
// must not end up in somebody's log by a slip of the keyboard.
var ErrRemote = errors.New("observer is not on this machine")

// Simulation plays a node: it posts a chain to an observer, one post after the other, each on a connection of its own,
// and again until it is accepted.
type Simulation struct {
	Observer    string // http://host:port, a path in front of the node's is possible
	Chain       Config
	Rate        float64       // posts a second at most; 0: as fast as they are accepted
	Count       uint64        // posts; 0: until the context ends
	Timeout     time.Duration // for one attempt, as timeout_ms of the node's configuration; default 1 s, which is the node's
	AllowRemote bool
	Progress    func(Progress) // called after each attempt; may be nil
}

// Progress says how far a simulation is.
type Progress struct {
	Posts   uint64 // accepted
	Bytes   uint64 // in the bodies of these
	Retries uint64
	Elapsed time.Duration
	Last    Post  // the post that was tried
	Failure error // of the last attempt; nil when it was accepted
}

// Simulate posts count posts of a chain to an observer on this machine, at most rate of them a second; with zero for
// either there is no limit. It is Simulation.Run with everything else at its default.
func Simulate(ctx context.Context, observer string, cfg Config, rate float64, count uint64, progress func(Progress)) error {
	return Simulation{Observer: observer, Chain: cfg, Rate: rate, Count: count, Progress: progress}.Run(ctx)
}

// Run posts until Count is reached, and then returns nil, or until the context ends, and then returns its error. Nothing
// else stops it once it has begun: a node does not give up either. It fails at once with ErrRemote, or for an address that
// is none.
func (s Simulation) Run(ctx context.Context) error {
	target, err := s.target(ctx)
	if err != nil {
		return err
	}
	if s.Timeout <= 0 {
		s.Timeout = time.Second
	}
	chain := New(s.Chain)
	started := time.Now()
	var p Progress
	for ; s.Count == 0 || p.Posts < s.Count; p.Posts++ {
		if s.Rate > 0 {
			due := started.Add(time.Duration(float64(p.Posts) / s.Rate * float64(time.Second)))
			if err := sleep(ctx, time.Until(due)); err != nil {
				return err
			}
		}
		p.Last = chain.Next()
		if err := s.deliver(ctx, target, &p, started); err != nil {
			return err
		}
	}
	return nil
}

// deliver tries until the observer accepts, with the waits of a node: 100 ms, then twice as much and a little at random,
// at most three timeouts.
func (s Simulation) deliver(ctx context.Context, target observerAddress, p *Progress, started time.Time) error {
	wait := 100 * time.Millisecond
	for {
		p.Failure = target.post(ctx, p.Last, s.Timeout)
		if p.Failure == nil {
			p.Bytes += uint64(len(p.Last.Body))
		}
		p.Elapsed = time.Since(started)
		if s.Progress != nil {
			told := *p
			if p.Failure == nil {
				told.Posts++
			}
			s.Progress(told)
		}
		if p.Failure == nil {
			return nil
		}
		p.Retries++
		if err := sleep(ctx, wait); err != nil {
			return fmt.Errorf("post %d to %s: %w (last answer: %w)", p.Posts+1, target.host, err, p.Failure)
		}
		wait = min(2*wait+time.Duration(rand.IntN(100))*time.Millisecond, 3*s.Timeout)
	}
}

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// target resolves the observer's address, once, so that what was checked is what is dialled.
func (s Simulation) target(ctx context.Context) (observerAddress, error) {
	u, err := url.Parse(s.Observer)
	if err != nil {
		return observerAddress{}, fmt.Errorf("observer address: %w", err)
	}
	if u.Scheme != "http" || u.Hostname() == "" {
		return observerAddress{}, fmt.Errorf("observer address %q: nodes speak plain HTTP only, want http://host:port", s.Observer)
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	addresses, err := net.DefaultResolver.LookupIPAddr(ctx, u.Hostname())
	if err != nil {
		return observerAddress{}, fmt.Errorf("observer address %q: %w", s.Observer, err)
	}
	target := observerAddress{host: u.Host, prefix: u.EscapedPath()}
	for _, a := range addresses {
		if !a.IP.IsLoopback() && !s.AllowRemote {
			return observerAddress{}, fmt.Errorf("%s is %s: %w", u.Hostname(), a.IP, ErrRemote)
		}
		target.dial = append(target.dial, net.JoinHostPort(a.String(), port))
	}
	return target, nil
}
