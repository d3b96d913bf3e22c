package cache

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

// breaker keeps requests away from a Redis that fails or is slow, for one kind of operation. While it is open, only its own
// probe touches Redis: no request waits to find out that Redis is still down.
type breaker struct {
	operation string // read or write
	circuit   *gobreaker.TwoStepCircuitBreaker[struct{}]
	probe     func(ctx context.Context) error
	limits    limits
	metrics   *metrics
	cause     atomic.Pointer[error] // of the last failure
	opened    chan struct{}         // wakes the prober
}

func newBreaker(operation string, probe func(context.Context) error, limits limits, metrics *metrics, outage *outage) *breaker {
	b := &breaker{
		operation: operation, probe: probe, limits: limits, metrics: metrics,
		opened: make(chan struct{}, 1),
	}
	state := metrics.breaker.WithLabelValues(operation)
	state.Set(0)
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name:    operation,
		Timeout: limits.open,
		// On a starved machine, many calls at once are slow for a moment, although Redis is well. The breaker therefore
		// opens only if at least half of the calls in the window failed.
		Interval:     limits.window,
		BucketPeriod: limits.window / 10,
		ReadyToTrip: func(counts gobreaker.Counts) bool {
			return counts.ConsecutiveFailures >= limits.failures && 2*counts.TotalFailures >= counts.Requests
		},
		// Redis is not to blame for the end of the caller's context.
		IsExcluded: func(err error) bool { return kindOf(err) == kindCanceled },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			state.Set(float64(to))
			switch {
			case to == gobreaker.StateClosed:
				outage.ended(operation)
			case from == gobreaker.StateClosed:
				outage.began(operation, *b.cause.Load())
				select {
				case b.opened <- struct{}{}:
				default: // the prober is already woken
				}
			}
		},
	})
	return b
}

// closed reports whether Redis may be used.
func (b *breaker) closed() bool { return b.circuit.State() == gobreaker.StateClosed }

// run makes a call to Redis if the breaker is closed; otherwise it returns errUnavailable.
func (b *breaker) run(ctx context.Context, operation string, call func(ctx context.Context) error) error {
	if !b.closed() {
		return errUnavailable
	}
	return b.try(ctx, operation, call)
}

// try makes a call that counts for the breaker, bounded in time. A slow one counts as failed, but returns its result.
func (b *breaker) try(ctx context.Context, operation string, call func(ctx context.Context) error) error {
	report, err := b.circuit.Allow()
	if err != nil {
		return errUnavailable
	}
	bounded, cancel := context.WithTimeout(ctx, b.limits.call)
	defer cancel()
	start := time.Now()
	err = call(bounded)
	took := time.Since(start)
	outcome := err
	switch {
	case err != nil && ctx.Err() != nil:
		outcome = context.Canceled // the caller gave up, Redis did not fail
	case err == nil && took > b.limits.slow:
		outcome = &slowError{took: took, limit: b.limits.slow}
	}
	kind := kindOf(outcome)
	if kind != "" && kind != kindCanceled {
		b.cause.Store(&outcome)
	}
	b.metrics.called(operation, took, kind)
	report(outcome)
	return err
}

// watch probes Redis whenever the breaker is open, until ctx ends.
func (b *breaker) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.opened:
		}
		for !b.closed() {
			select {
			case <-ctx.Done():
				return
			case <-time.After(b.limits.open + time.Millisecond): // the breaker lets no call through before
			}
			_ = b.try(ctx, "probe", b.probe) // try reports the outcome to the breaker
		}
	}
}
