// Package admission decides which reads of the database may run now, which wait for their turn, and which are refused.
//
// A database answers a few reads at a time fast and many slowly. Whoever asks for much that nobody else asks for therefore
// queues here, and not at the connections, which others need as well. The queue is bounded in length and in time: a
// client that could not be served in time learns so, and when to come again.
package admission

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrBusy is the error of Enter for a read that is refused.
var ErrBusy = errors.New("too many reads wait for the database")

// Config configures a Gate. All fields are required.
type Config struct {
	Running  int           // maximum number of reads that run at a time
	Waiting  int           // maximum number of reads that wait
	Patience time.Duration // maximum time that a read waits
}

// Gate lets a bounded number of reads run. It is safe for concurrent use.
type Gate struct {
	config  Config
	running *semaphore.Weighted
	waiting atomic.Int64
	refused atomic.Int64
}

// New returns a gate.
func New(config Config) *Gate {
	return &Gate{config: config, running: semaphore.NewWeighted(int64(config.Running))}
}

// Enter returns when the read may run; the caller must then call Leave when it has ended. It returns ErrBusy if the queue
// is full, or if the read's turn does not come in time, and ctx's error if ctx ends.
func (g *Gate) Enter(ctx context.Context) error {
	if g.running.TryAcquire(1) {
		return nil
	}
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > int64(g.config.Waiting) {
		g.refused.Add(1)
		return ErrBusy
	}
	patient, cancel := context.WithTimeout(ctx, g.config.Patience)
	defer cancel()
	if g.running.Acquire(patient, 1) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	g.refused.Add(1)
	return ErrBusy
}

// Leave ends a read that has entered.
func (g *Gate) Leave() { g.running.Release(1) }

// Waiting returns the number of reads that wait now.
func (g *Gate) Waiting() int64 { return g.waiting.Load() }

// Refused returns the number of reads that were refused so far.
func (g *Gate) Refused() int64 { return g.refused.Load() }
