// Package simulate posts synthetic events to an observer over HTTP, with the pace and the patience of the program that
// the events seem to come from. What a post looks like and when an observer's answer counts is up to the caller.
package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"strata/internal/pause"
)

// ErrRemote is returned for an observer that is not on this machine, unless the caller allows that: synthetic events must
// not end up in somebody's log because of a typing error.
var ErrRemote = errors.New("observer is not on this machine")

// Post is one HTTP request to an observer.
type Post struct {
	Path string // for example /new_block
	Body []byte // must not be changed
}

// Progress describes how far a simulation has come.
type Progress struct {
	Posts   uint64 // accepted posts
	Bytes   uint64 // in the bodies of accepted posts
	Retries uint64
	Elapsed time.Duration
	Last    Post  // the post of the last attempt
	Failure error // of the last attempt; nil if the observer accepted the post
}

// Loop posts one event after the other and repeats each until the observer accepts it.
type Loop struct {
	Observer string                                            // appears in errors
	Next     func() Post                                       // returns the next post
	Attempt  func(context.Context, Post) error                 // posts once; nil means that the observer accepted the post
	Backoff  func(previous time.Duration) (wait time.Duration) // returns the wait before a retry; previous is 0 for the first one
	Rate     float64                                           // maximum posts per second (0 = unlimited)
	Count    uint64                                            // number of posts (0 = until the context ends)
	Progress func(Progress)                                    // called after each attempt; may be nil
}

// Run posts until Count is reached and then returns nil, or until the context ends and then returns its error. An
// attempt that fails with ErrRemote ends it as well. No other failure does.
func (l Loop) Run(ctx context.Context) error {
	started := time.Now()
	var p Progress
	for ; l.Count == 0 || p.Posts < l.Count; p.Posts++ {
		if l.Rate > 0 {
			due := started.Add(time.Duration(float64(p.Posts) / l.Rate * float64(time.Second)))
			if pause.For(ctx, time.Until(due)); ctx.Err() != nil {
				return ctx.Err()
			}
		}
		p.Last = l.Next()
		if err := l.deliver(ctx, &p, started); err != nil {
			return err
		}
	}
	return nil
}

// deliver repeats p.Last until the observer accepts it.
func (l Loop) deliver(ctx context.Context, p *Progress, started time.Time) error {
	wait := time.Duration(0)
	for {
		p.Failure = l.Attempt(ctx, p.Last)
		p.Elapsed = time.Since(started)
		if p.Failure == nil {
			p.Bytes += uint64(len(p.Last.Body))
		}
		l.report(*p)
		if p.Failure == nil {
			return nil
		}
		if errors.Is(p.Failure, ErrRemote) {
			return p.Failure
		}
		p.Retries++
		wait = l.Backoff(wait)
		if pause.For(ctx, wait); ctx.Err() != nil {
			return fmt.Errorf("post %d to %s: %w (last answer: %w)", p.Posts+1, l.Observer, ctx.Err(), p.Failure)
		}
	}
}

// report calls Progress. Run counts an accepted post only afterwards, so report adds it.
func (l Loop) report(p Progress) {
	if l.Progress == nil {
		return
	}
	if p.Failure == nil {
		p.Posts++
	}
	l.Progress(p)
}
