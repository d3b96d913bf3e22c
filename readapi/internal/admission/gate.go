// Package admission decides which reads of the database may run now, which wait for their turn, and which are refused.
//
// A database answers a few reads at a time fast and many slowly. Whoever asks for much that nobody else asks for therefore
// queues here, and not at the connections, which others need as well. The queue is bounded in length and in time: a
// client that could not be served in time learns so, and when to come again. While other requests suffer, fewer reads run,
// down to one that runs for a small share of the time.
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
	// leastShare is the least share of the time in which a read runs.
	leastShare = 1.0 / 16
)

// Gate lets a bounded number of reads run, in the order of their coming. It is safe for concurrent use.
type Gate struct {
	config  Config
	refused atomic.Int64

	mu      sync.Mutex
	waiting list.List // channels that are closed when their reads may run
	running int
	// allowed is the limit of running now, from 1 to Config.Running, or, below 1, the share of the time in which one runs.
	allowed float64
	rests   bool // none may begin until a timer has called goOn
	begun   time.Time
	adapts  bool // a timer is about to call adapt
}

// New returns a gate.
func New(config Config) *Gate { return &Gate{config: config, allowed: float64(config.Running)} }

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
	if g.waiting.Len() == 0 && g.running < g.limit() {
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
	if g.allowed < 1 && g.running == 0 {
		g.rest(time.Since(g.begun))
	}
	g.admit(g.limit())
}

// rest lets no read begin for a time, so that reads which each take as long as the last one did run for the allowed share
// of the time.
func (g *Gate) rest(took time.Duration) {
	if g.rests {
		return
	}
	g.rests = true
	time.AfterFunc(min(time.Duration(float64(took)*(1/g.allowed-1)), startsEvery), g.goOn)
}

// goOn ends a rest.
func (g *Gate) goOn() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rests = false
	g.admit(g.limit())
}

// limit returns how many reads may run now.
func (g *Gate) limit() int {
	if g.rests {
		return 0
	}
	return max(int(g.allowed), 1)
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
	most := float64(g.config.Running)
	switch {
	case g.waiting.Len() == 0:
		g.allowed = most
		return
	case pressed:
		g.allowed = max(g.allowed/4, leastShare)
	case g.allowed < 1:
		g.allowed *= 2
	default:
		g.allowed = min(g.allowed+1, most)
	}
	g.admit(g.limit())
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

// Running returns the number of reads that may run at a time now.
func (g *Gate) Running() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int64(max(g.allowed, 1))
}

// Refused returns the number of reads that were refused so far.
func (g *Gate) Refused() int64 { return g.refused.Load() }
