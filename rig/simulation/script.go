package simulation

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"
)

// Script decides what happens next. Whatever the program sends to the database waits until it is its turn; while one operation is
// under way, nothing else is. The seed decides each choice.
type Script struct {
	Random *rand.Rand
	Faults Faults
	seed   uint64
	budget int // how many faults are left
	fault  *Fault

	progress *atomic.Int64 // steps, for who watches from outside

	mu      sync.Mutex
	waiting []*session    // have sent a request that the database has not got
	locked  []*session    // wait for a lock inside the database
	arrived chan struct{} // has an element when something new waits
	began   time.Time
	trace   []string
	hash    uint64
	steps   int
	counts  map[string]int

	db *control
}

// Faults says how often requests to the database go wrong, in ten thousands.
type Faults struct{ CutBefore, CutAfter, Refuse, Freeze int }

// newScript returns a script for a seed.
func newScript(seed uint64, db *control) *Script {
	return &Script{
		Random: rand.New(rand.NewPCG(seed, 0x73696d)), arrived: make(chan struct{}, 1), began: time.Now(), db: db, seed: seed, counts: map[string]int{},
	}
}

// tell adds a line to what has happened.
func (s *Script) tell(format string, arguments ...any) {
	line := fmt.Sprintf(format, arguments...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range len(line) {
		s.hash = s.hash*1099511628211 ^ uint64(line[i])
	}
	s.trace = append(s.trace, fmt.Sprintf("%9.3f %s", time.Since(s.began).Seconds(), line))
}

// Count counts something that has happened in the history.
func (s *Script) Count(what string) { s.mu.Lock(); s.counts[what]++; s.mu.Unlock() }

// chance reports whether something happens that does so n times in ten thousand.
func (s *Script) chance(n int) bool { return n > 0 && s.Random.IntN(10_000) < n }

// faulty is chance for a fault, of which there are only so many in a history: one that ends soon leaves time for others.
func (s *Script) faulty(n int) bool {
	if s.budget <= 0 || !s.chance(n) {
		return false
	}
	s.budget--
	return true
}

// wait lets a session wait for its turn.
func (s *Script) wait(c *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, c)
	s.wake()
}

// drop takes a session out that is closed.
func (s *Script) drop(c *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(other *session) bool { return other == c })
	s.locked = slices.DeleteFunc(s.locked, func(other *session) bool { return other == c })
}

// take takes a request whose turn it is; nil if none may go on now.
func (s *Script) take() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	var ready []*session
	for _, c := range s.waiting {
		if !c.frozen.After(now) {
			ready = append(ready, c)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	// By what they ask for: which session asks depends on the order of goroutines.
	slices.SortFunc(ready, func(a, b *session) int {
		return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.asked(), b.asked()), cmp.Compare(a.id, b.id))
	})
	taken := ready[s.Random.IntN(len(ready))]
	s.waiting = slices.DeleteFunc(s.waiting, func(other *session) bool { return other == taken })
	return taken
}

// step lets one request go on, once everything waits. It reports whether there was one.
func (s *Script) step() bool {
	synctest.Wait()
	s.progress.Add(1)
	s.unlock()
	c := s.take()
	if c == nil {
		return false
	}
	what := c.describe()
	now := s.count()
	switch {
	case now == lost || s.faulty(s.Faults.CutBefore):
		s.Count("requests lost")
		s.tell("%s is lost: %s", c.name(), what)
		c.cut()
		s.db.await(c.pid)
	case c.refusable() && s.faulty(s.Faults.Refuse):
		code := refusals[s.Random.IntN(len(refusals))]
		s.Count("requests refused")
		s.tell("%s is refused with %s: %s", c.name(), code, what)
		c.refuse(code)
		c.exchange(false)
	case s.faulty(s.Faults.Freeze):
		s.Count("sessions frozen")
		d := time.Duration(s.Random.IntN(20_000)) * time.Millisecond
		s.tell("%s is frozen for %s: %s", c.name(), d, what)
		c.frozen = time.Now().Add(d)
		time.AfterFunc(d, s.wake)
		s.wait(c)
		return true
	default:
		s.tell("%s %s", c.name(), what)
		cut := now == unanswered || s.faulty(s.Faults.CutAfter)
		if cut {
			s.Count("answers lost")
			s.tell("the answer for %s will be lost: %s", c.name(), what)
		}
		if c.exchange(cut) {
			s.lock(c)
			s.tell("%s waits for a lock: %s", c.name(), what)
			return true
		}
		if cut {
			s.db.await(c.pid)
		}
	}
	s.notify(c)
	return true
}

// refusals are errors of Postgres that say nothing about a request: the disk is full, it ran out of memory, another transaction was in
// the way, the server reads a broken file.
var refusals = []string{"53100", "53200", "40001", "40P01", "58030"}

// What becomes of a request according to the one fault of a history.
const (
	fine = iota
	lost
	unanswered
)

// count counts a request, and says what becomes of it.
func (s *Script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps++
	switch {
	case s.fault == nil || s.fault.Request != s.steps:
		return fine
	case s.fault.Answer:
		return unanswered
	}
	return lost
}

// wake lets the script look again.
func (s *Script) wake() {
	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

// lock takes note of a session that waits for a lock.
func (s *Script) lock(c *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locked = append(s.locked, c)
}

// unlock completes the requests that waited for a lock and have got it.
func (s *Script) unlock() {
	s.mu.Lock()
	locked := slices.Clone(s.locked)
	s.mu.Unlock()
	for _, c := range locked {
		if s.db.locked(c.pid) {
			continue
		}
		s.drop(c)
		s.tell("%s has got its lock", c.name())
		if c.receive() {
			s.lock(c)
			continue
		}
		s.notify(c)
	}
}

// notify delivers the notifications that a transaction may have sent.
func (s *Script) notify(of *session) {
	if of.state != 'I' || !of.tells {
		return
	}
	of.tells = false
	for _, c := range s.db.listening() {
		c.sync()
	}
}

// Run lets requests go on for a time.
func (s *Script) Run(d time.Duration) {
	for end := time.Now().Add(d); ; {
		if s.step() {
			continue
		}
		left := time.Until(end)
		if left <= 0 {
			return
		}
		s.rest(left)
	}
}

// Until lets requests go on until something holds, for at most a time. It reports whether it holds.
func (s *Script) Until(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); {
		if holds() {
			return true
		}
		s.Run(100 * time.Millisecond)
	}
	return holds()
}

// Trace returns what has happened.
func (s *Script) Trace() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.trace, "\n")
}

// do runs a function beside the script, which goes on until it returns.
func (s *Script) do(ctx context.Context, f func(ctx context.Context)) {
	done := make(chan struct{})
	go func() { defer close(done); f(ctx); s.wake() }()
	for {
		select {
		case <-done:
			return
		default:
		}
		if !s.step() {
			select {
			case <-done:
				return
			case <-s.arrived:
			}
		}
	}
}
