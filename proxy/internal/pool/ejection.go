package pool

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// The duration of a first ejection, and the maximum. The duration doubles each time that the trial fails, or that requests fail
// again within ejectionMax.
const (
	ejectionFirst = 250 * time.Millisecond
	ejectionMax   = 30 * time.Second
)

// A node is ejected after failuresInARow consecutive failures, or when half of at least failuresOf requests that ended within
// failuresWindow have failed. One connection that can't be opened is enough by itself.
const (
	failuresInARow = 5
	failuresOf     = 20
	failuresWindow = 10 * time.Second
)

// ejection keeps requests away from a node on which they fail. It counts the failures, and lets a single trial request through,
// each time later than before.
//
// A request counts when it ends, however long it took: a node that does not answer at all fails each request only after a timeout
// that may be longer than failuresWindow.
type ejection struct {
	// until is the time of the next trial, in nanoseconds of the Unix epoch; 0 while the node is not ejected.
	until atomic.Int64
	// admitted is the time at which the last ejection ended, in nanoseconds of the Unix epoch; 0 if there was none.
	admitted atomic.Int64
	// trying means that the trial is in flight.
	trying atomic.Bool

	// changed is called after an ejection begins or ends.
	changed func()
	draw    func(n int64) int64 // returns a random number below n

	mu        sync.Mutex
	turn      int64 // ejections, and ends of them; a request that began before the last one says nothing about the node now
	ejections int   // in a row
	inARow    int   // failures
	window    time.Time
	ended     int // requests since window
	failed    int // of them
}

func newEjection(changed func()) *ejection { return &ejection{changed: changed, draw: rand.Int64N} }

// eject begins an ejection. The caller holds mu.
func (e *ejection) eject(now time.Time) {
	if admitted := e.admitted.Load(); admitted != 0 && now.UnixNano()-admitted > int64(ejectionMax) {
		e.ejections = 0 // it worked for long enough
	}
	lasts := min(ejectionFirst<<min(e.ejections, 16), ejectionMax)
	e.ejections++
	// A random part keeps nodes that failed together from being tried together.
	lasts += time.Duration(e.draw(int64(lasts/4 + 1)))
	e.begin(now.Add(lasts).UnixNano())
}

// admit ends an ejection. The caller holds mu.
func (e *ejection) admit(now time.Time) {
	e.admitted.Store(now.UnixNano())
	e.begin(0)
}

// begin begins a new turn. The caller holds mu.
func (e *ejection) begin(until int64) {
	e.turn++
	e.inARow, e.ended, e.failed = 0, 0, 0
	e.trying.Store(false)
	e.until.Store(until)
}

// phase reports whether requests may go to the node (open), or one trial request (trial), or none.
func (e *ejection) phase(now time.Time) (open, trial bool) {
	until := e.until.Load()
	return until == 0, until != 0 && now.UnixNano() >= until && !e.trying.Load()
}

// tryNow allows the trial at once.
func (e *ejection) tryNow() {
	if until := e.until.Load(); until != 0 {
		e.until.CompareAndSwap(until, 1)
	}
}

// permit is the permission to send one request.
type permit struct {
	turn          int64
	trial, forced bool
}

// ask asks for a permit for a request, which may be the trial if it is safe. With force, it always gets one.
func (e *ejection) ask(safe, force bool) (permit, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if force {
		return permit{turn: e.turn, forced: true}, true
	}
	open, trial := e.phase(time.Now())
	if trial = trial && safe; trial {
		e.trying.Store(true)
	}
	return permit{turn: e.turn, trial: trial}, open || trial
}

// end reports the outcome of the request.
func (e *ejection) end(p permit, outcome Outcome) {
	if e.count(p, outcome) {
		e.changed()
	}
}

// count counts the outcome of a request, and reports whether an ejection began or ended.
func (e *ejection) count(p permit, outcome Outcome) (changed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, works := time.Now(), outcome == OK || outcome == ClientError
	switch {
	case p.forced && works:
		e.admit(now)
	case p.forced, p.turn != e.turn:
		return false
	case !works && !outcome.Failed(): // nobody knows
		if p.trial {
			e.trying.Store(false)
		}
		return false
	case p.trial && works:
		e.admit(now)
	case p.trial, e.tooMany(outcome, now):
		e.eject(now)
	default:
		return false
	}
	return true
}

// tooMany counts a request, and reports whether too many have failed.
func (e *ejection) tooMany(outcome Outcome, now time.Time) bool {
	if now.Sub(e.window) > failuresWindow {
		e.window, e.ended, e.failed = now, 0, 0
	}
	e.ended++
	if !outcome.Failed() {
		e.inARow = 0
	} else {
		e.inARow++
		e.failed++
	}
	return outcome == Unconnected || e.inARow >= failuresInARow || e.ended >= failuresOf && e.failed*2 >= e.ended
}
