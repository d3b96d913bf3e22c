package synthchain

import (
	"context"
	"math/rand/v2"
	"time"

	"strata/internal/synth/simulate"
	"strata/internal/synth/synthchain/internal/nodehttp"
)

// ErrAnswer means that a node does not take an observer's answer for success.
var ErrAnswer = nodehttp.ErrAnswer

// Simulation plays a node: it posts a chain to an observer, each post on its own connection, and repeats a post until
// the observer accepts it.
type Simulation struct {
	Observer    string // http://host:port, optionally with a path that goes before those of the node
	Chain       Config
	Rate        float64        // maximum posts per second (0 = unlimited)
	Count       uint64         // number of posts (0 = until the context ends)
	Timeout     time.Duration  // for one attempt, like timeout_ms in a node's configuration; default 1 s, as in a node
	AllowRemote bool           // also post to an observer on another machine
	Progress    func(Progress) // called after each attempt; may be nil
}

// Progress describes how far a simulation has come.
type Progress = simulate.Progress

// Run posts until Count is reached and then returns nil, or until the context ends and then returns its error. Nothing
// else stops it, as nothing stops a node. Before the first post it fails with simulate.ErrRemote for an observer on
// another machine, or if the address is invalid.
func (s Simulation) Run(ctx context.Context) error {
	target, err := nodehttp.Resolve(ctx, s.Observer, s.AllowRemote)
	if err != nil {
		return err
	}
	if s.Timeout <= 0 {
		s.Timeout = time.Second
	}
	return simulate.Loop{
		Observer: target.Host,
		Next:     New(s.Chain).Next,
		Attempt:  func(ctx context.Context, p Post) error { return target.Post(ctx, p, s.Timeout) },
		Backoff:  s.backoff,
		Rate:     s.Rate, Count: s.Count, Progress: s.Progress,
	}.Run(ctx)
}

// backoff returns the wait of a node before it repeats a post: 100 ms, then twice the previous wait and a little more
// at random, at most three timeouts.
func (s Simulation) backoff(previous time.Duration) time.Duration {
	if previous == 0 {
		return 100 * time.Millisecond
	}
	return min(2*previous+time.Duration(rand.IntN(100))*time.Millisecond, 3*s.Timeout)
}
