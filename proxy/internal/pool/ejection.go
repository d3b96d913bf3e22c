package pool

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

// The duration of a first ejection, and the maximum. The duration doubles each time that the trial fails.
const (
	ejectionFirst = 250 * time.Millisecond
	ejectionMax   = 30 * time.Second
)

// A node is ejected after failuresInARow consecutive failures, or when half of at least failuresOf requests within
// failuresWindow have failed. One connection that can't be opened is enough by itself.
const (
	failuresInARow = 5
	failuresOf     = 20
	failuresWindow = 10 * time.Second
)

// ejection keeps requests away from a node on which they fail. A circuit breaker counts the failures and lets a single
// trial request through. ejection decides when that trial may come, each time later than before.
type ejection struct {
	breaker atomic.Pointer[gobreaker.TwoStepCircuitBreaker[struct{}]]
	// until is the time of the next trial, in nanoseconds of the Unix epoch; 0 while the node is not ejected.
	until atomic.Int64
	// tripNext makes the next counted failure open the breaker.
	tripNext atomic.Bool
	// changed is called after an ejection begins or ends.
	changed func()

	// admitted is the time at which the last ejection ended, in nanoseconds of the Unix epoch; 0 if there was none.
	admitted atomic.Int64

	mu        sync.Mutex
	ejections int // in a row
}

var (
	errFailed  = errors.New("failed")
	errIgnored = errors.New("ignored")
)

func newEjection(changed func()) *ejection {
	e := &ejection{changed: changed}
	e.reset()
	return e
}

func (e *ejection) reset() {
	e.breaker.Store(gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1,
		Interval:    failuresWindow,
		Timeout:     time.Millisecond, // shorter than any ejection, so that until alone decides
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return e.tripNext.Swap(false) || c.ConsecutiveFailures >= failuresInARow ||
				c.Requests >= failuresOf && c.TotalFailures*2 >= c.Requests
		},
		IsExcluded: func(err error) bool { return errors.Is(err, errIgnored) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			switch to {
			case gobreaker.StateOpen:
				e.eject()
			case gobreaker.StateClosed:
				e.admit()
			case gobreaker.StateHalfOpen:
			}
		},
	}))
}

func (e *ejection) eject() {
	e.mu.Lock()
	now := time.Now()
	if admitted := e.admitted.Load(); admitted != 0 && now.UnixNano()-admitted > int64(ejectionMax) {
		e.ejections = 0 // it worked for long enough
	}
	lasts := min(ejectionFirst<<min(e.ejections, 16), ejectionMax)
	e.ejections++
	// A random part keeps nodes that failed together from being tried together.
	lasts += rand.N(lasts/4 + 1)
	e.until.Store(now.Add(lasts).UnixNano())
	e.tripNext.Store(false)
	e.mu.Unlock()
	e.changed()
}

func (e *ejection) admit() {
	e.admitted.Store(time.Now().UnixNano())
	e.until.Store(0)
	e.changed()
}

// phase reports whether requests may go to the node (open), or one trial request (trial), or none.
func (e *ejection) phase(now time.Time) (open, trial bool) {
	until := e.until.Load()
	return until == 0, until != 0 && now.UnixNano() >= until
}

// tryNow allows the trial at once.
func (e *ejection) tryNow() {
	if until := e.until.Load(); until != 0 {
		e.until.CompareAndSwap(until, 1)
	}
}

// permit is the permission to send one request.
type permit struct {
	report func(error)
	forced bool
}

// begin asks for a permit. With force, it always gets one.
func (e *ejection) begin(force bool) (permit, bool) {
	if !force {
		report, err := e.breaker.Load().Allow()
		return permit{report: report}, err == nil
	}
	return permit{forced: true}, true
}

// end reports the outcome of the request.
func (e *ejection) end(p permit, outcome Outcome) {
	switch {
	case p.forced:
		if outcome == OK || outcome == ClientError { // the node works
			e.reset()
			e.admit()
		}
	case outcome == Cancelled, outcome == Outrun:
		p.report(errIgnored)
	case outcome.Failed():
		e.tripNext.Store(outcome == Unconnected)
		p.report(errFailed)
	default:
		p.report(nil)
	}
}
