package pool

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

// Bounds of an ejection, which doubles each time that the trial after it fails.
const (
	ejectionFirst = 250 * time.Millisecond
	ejectionMax   = 30 * time.Second
)

// What gets a node ejected: so many failures in a row, or half of so many requests within the window. A connection that
// can't be made is enough by itself.
const (
	failuresInARow = 5
	failuresOf     = 20
	failuresWindow = 10 * time.Second
)

// ejection keeps requests from a node on which they fail. A circuit breaker counts them and lets a single one through
// on trial; when the next trial may be, and that it is later each time, is decided here.
type ejection struct {
	breaker atomic.Pointer[gobreaker.TwoStepCircuitBreaker[struct{}]]
	// until when, in nanoseconds of the Unix epoch; 0 while the node is not ejected.
	until atomic.Int64
	// refused says that the failure that is counted next is enough.
	refused atomic.Bool
	changed func()

	// admitted is when the node was last let back, in nanoseconds of the Unix epoch; 0 if it never was ejected.
	admitted atomic.Int64

	mu    sync.Mutex
	times int // in a row
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
		Timeout:     time.Millisecond, // shorter than any ejection: until is what counts
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return e.refused.Swap(false) || c.ConsecutiveFailures >= failuresInARow ||
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
		e.times = 0 // it has been well for long enough
	}
	lasts := min(ejectionFirst<<min(e.times, 16), ejectionMax)
	e.times++
	// Spread, so that nodes which failed together are not tried together.
	lasts += rand.N(lasts/4 + 1)
	e.until.Store(now.Add(lasts).UnixNano())
	e.refused.Store(false)
	e.mu.Unlock()
	e.changed()
}

func (e *ejection) admit() {
	e.admitted.Store(time.Now().UnixNano())
	e.until.Store(0)
	e.changed()
}

// phase says whether requests may go to the node, or one on trial, or none.
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

// pass is leave to send one request.
type pass struct {
	report func(error)
	forced bool
}

// enter asks for leave. Forced, it is given in any case.
func (e *ejection) enter(force bool) (pass, bool) {
	if !force {
		report, err := e.breaker.Load().Allow()
		return pass{report: report}, err == nil
	}
	return pass{forced: true}, true
}

// leave reports how the request went.
func (e *ejection) leave(p pass, outcome Outcome) {
	switch {
	case p.forced:
		if outcome == OK || outcome == ClientError { // it works
			e.reset()
			e.admit()
		}
	case outcome == Cancelled, outcome == Outrun:
		p.report(errIgnored)
	case outcome.Failed():
		e.refused.Store(outcome == Unconnected)
		p.report(errFailed)
	default:
		p.report(nil)
	}
}
