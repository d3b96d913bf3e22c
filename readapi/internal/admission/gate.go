// Package admission decides which reads of the database may run now, which wait for their turn, and which are refused.
//
// A database answers a few reads at a time fast and many slowly. Whoever asks for much that nobody else asks for therefore
// queues here, and not at the connections, which others need as well. The queue is bounded in length and in time: a
// client that could not be served in time learns so, and when to come again. While other requests suffer, fewer reads run.
package admission

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrBusy is the error of Enter for a read that is refused.
var ErrBusy = errors.New("too many reads wait for the database")

// Config configures a Gate. All fields but Pressed are required.
type Config struct {
	Running  int           // maximum number of reads that run at a time
	Waiting  int           // maximum number of reads that wait
	Patience time.Duration // maximum time that a read waits
	// Pressed reports whether other requests suffer, so that fewer reads must run; default never. It is called each
	// Period while reads wait, and never by two goroutines at a time.
	Pressed func() bool
}

const (
	// Period is the time between two decisions about how many reads run.
	Period = 50 * time.Millisecond
	// startsEvery is the time after which one more read begins, however few may run: reads that take long must not keep all
	// others waiting.
	startsEvery = 2 * Period
)

// Gate lets a bounded number of reads run, in the order of their coming. It is safe for concurrent use.
type Gate struct {
	config  Config
	refused atomic.Int64

	mu      sync.Mutex
	waiting list.List // channels that are closed when their reads may run
	running int
	limit   int // of running now, from 1 to Config.Running
	begun   time.Time
	adapts  bool // a timer is about to call adapt
}

// New returns a gate.
func New(config Config) *Gate { return &Gate{config: config, limit: config.Running} }

// Enter returns when the read may run; the caller must then call Leave when it has ended. It returns ErrBusy if the queue
// is full, or if the read's turn does not come in time, and ctx's error if ctx ends.
func (g *Gate) Enter(ctx context.Context) error {
	turn, place := g.queue()
	switch {
	case turn == nil:
		return nil
	case place == nil:
		g.refused.Add(1)
		return ErrBusy
	}
	patience := time.NewTimer(g.config.Patience)
	defer patience.Stop()
	err := ErrBusy
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-patience.C:
	}
	if !g.giveUp(turn, place) {
		return nil // its turn has just come
	}
	if errors.Is(err, ErrBusy) {
		g.refused.Add(1)
	}
	return err
}

// queue lets a read run, and then returns no channel; or gives it a place; or returns a channel without a place if there is
// none.
func (g *Gate) queue() (turn chan struct{}, place *list.Element) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting.Len() == 0 && g.running < g.limit {
		g.begin()
		return nil, nil
	}
	turn = make(chan struct{})
	if g.waiting.Len() >= g.config.Waiting {
		return turn, nil
	}
	g.adaptLater()
	return turn, g.waiting.PushBack(turn)
}

// giveUp takes a read out of the queue. It returns false if its turn has come.
func (g *Gate) giveUp(turn chan struct{}, place *list.Element) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-turn:
		return false
	default:
		g.waiting.Remove(place)
		return true
	}
}

// Leave ends a read that has entered.
func (g *Gate) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.admit(g.limit)
}

// admit lets waiting reads run, as long as fewer than limit do.
func (g *Gate) admit(limit int) {
	for g.running < limit && g.waiting.Len() > 0 {
		turn, _ := g.waiting.Remove(g.waiting.Front()).(chan struct{})
		g.begin()
		close(turn)
	}
}

func (g *Gate) begin() {
	g.running++
	g.begun = time.Now()
}

func (g *Gate) adaptLater() {
	if g.config.Pressed != nil && !g.adapts {
		g.adapts = true
		time.AfterFunc(Period, g.adapt)
	}
}

// adapt halves the number of reads that may run while others suffer, and raises it by one otherwise.
func (g *Gate) adapt() {
	pressed := g.config.Pressed()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.adapts = false
	if g.waiting.Len() == 0 {
		g.limit = g.config.Running
		return
	}
	if pressed {
		g.limit = max(g.limit/2, 1)
	} else {
		g.limit = min(g.limit+1, g.config.Running)
	}
	g.admit(g.limit)
	if time.Since(g.begun) >= startsEvery {
		g.admit(min(g.running+1, g.config.Running))
	}
	g.adaptLater()
}

// Waiting returns the number of reads that wait now.
func (g *Gate) Waiting() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int64(g.waiting.Len())
}

// Running returns the number of reads that may run now.
func (g *Gate) Running() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int64(g.limit)
}

// Refused returns the number of reads that were refused so far.
func (g *Gate) Refused() int64 { return g.refused.Load() }
