package engine

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"
)

const (
	// combinedMax is the maximum number of reads that share a round trip.
	combinedMax = 16
	// tripsMax is the maximum number of shared round trips under way at a time. Below it, a read does not wait.
	tripsMax = 3
	// combinePatience is how long a read waits for the round trips under way before it makes one alone.
	combinePatience = 5 * time.Millisecond
)

// combiner lets brief reads that arrive at the same time share round trips: the more there are, the less each costs. The
// read that makes a round trip takes the waiting reads along. A read never waits for others to join it; it waits only
// while tripsMax round trips are under way.
//
// Each read checks for itself whether its assumed state holds. A read that fails takes those in the same round trip down
// with it; these are then sent again, each alone.
type combiner struct {
	pool *pgxpool.Pool
	// soloTrips bounds the round trips of reads that are sent alone: with more of them at a time than the processors
	// can handle, each would only wait for all the others.
	soloTrips *semaphore.Weighted

	panicked func() // counts a panic

	mu      sync.Mutex
	waiting []*combinedRead
	trips   int
}

// combinedRead is one read: its queries, and what became of them.
type combinedRead struct {
	queries   []queuedQuery
	done      chan struct{} // closed when the round trip has ended
	read      bool          // all rows were read
	alone     bool          // nothing else was in the round trip
	err       error
	turn      chan struct{} // receives when this read has to make the next round trip
	appointed bool          // turn was sent to and not yet honoured; guarded by the combiner's mutex
}

func newCombiner(pool *pgxpool.Pool) *combiner {
	solo := 2 * runtime.GOMAXPROCS(0)
	if pool != nil {
		solo = max(1, min(solo, int(pool.Config().MaxConns)/4))
	}
	return &combiner{pool: pool, panicked: func() {}, soloTrips: semaphore.NewWeighted(int64(solo))}
}

// send runs the queries in one snapshot, sharing a round trip with other reads or alone.
func (c *combiner) send(ctx context.Context, queries []queuedQuery) error {
	own := &combinedRead{queries: queries, done: make(chan struct{}), turn: make(chan struct{}, 1)}
	c.mu.Lock()
	c.waiting = append(c.waiting, own)
	if c.trips < tripsMax {
		c.trips++
		c.travel(ctx)
	} else {
		c.mu.Unlock()
	}
	if !c.wait(ctx, own) || !own.read && !own.alone && ctx.Err() == nil {
		if err := c.soloTrips.Acquire(ctx, 1); err != nil {
			return fmt.Errorf("wait for other reads to end: %w", err)
		}
		defer c.soloTrips.Release(1)
		return sendAlone(ctx, c.pool, queries)
	}
	return own.err
}

// wait returns when the read's round trip has ended. It makes round trips when it is the read's turn. sent is false when
// the read has waited for combinePatience in vain.
func (c *combiner) wait(ctx context.Context, own *combinedRead) (sent bool) {
	select {
	case <-own.done:
		c.resign(own)
		return true
	default:
	}
	patience := time.NewTimer(combinePatience)
	defer patience.Stop()
	for {
		select {
		case <-own.done:
			c.resign(own)
			return true
		case <-own.turn:
			c.mu.Lock()
			own.appointed = false
			c.travel(ctx)
		case <-patience.C:
			if c.leave(own) {
				return false
			}
		}
	}
}

// travel makes a round trip for the waiting reads, then passes the turn on. The caller holds the mutex; travel unlocks it.
func (c *combiner) travel(ctx context.Context) {
	n := min(len(c.waiting), combinedMax)
	reads := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	c.mu.Unlock()
	if n > 0 {
		c.trip(ctx, reads)
	}
	c.mu.Lock()
	c.pass()
	c.mu.Unlock()
}

// pass gives the turn to the first waiting read that doesn't have one. Without such a read, one round trip fewer is
// under way.
func (c *combiner) pass() {
	for _, w := range c.waiting {
		if !w.appointed {
			w.appointed = true
			w.turn <- struct{}{}
			return
		}
	}
	c.trips--
}

// resign passes on a turn that came after the read was done.
func (c *combiner) resign(own *combinedRead) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own.appointed {
		c.pass()
	}
}

// leave takes a read off the waiting list. It returns false if it is the read's turn, or its round trip is under way.
func (c *combiner) leave(own *combinedRead) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.waiting, own)
	if i < 0 || own.appointed {
		return false
	}
	c.waiting = slices.Delete(c.waiting, i, i+1)
	return true
}

// trip runs the queries of several reads in one round trip and one snapshot.
func (c *combiner) trip(ctx context.Context, reads []*combinedRead) {
	var all []queuedQuery
	for _, r := range reads {
		all = append(all, r.queries...)
		last := &all[len(all)-1]
		read := last.read
		last.read = func(rows pgx.Rows) error {
			err := read(rows)
			r.read = err == nil
			return err
		}
	}
	// A panic in one read must not leave the others waiting: it is an error for all, and each but its own succeeds alone.
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				c.panicked()
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		return sendAlone(ctx, c.pool, all)
	}()
	for _, r := range reads {
		r.alone = len(reads) == 1
		if !r.read {
			r.err = err
		}
		close(r.done)
	}
}

// sendAlone acquires a connection and runs the queries on it, in one snapshot.
func sendAlone(ctx context.Context, pool *pgxpool.Pool, queries []queuedQuery) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("get a connection to the database: %w", err)
	}
	defer conn.Release()
	return sendOn(ctx, conn, queries)
}

// sendOn runs the queries in one round trip. Outside a transaction, the round trip is an implicit one.
func sendOn(ctx context.Context, conn *pgxpool.Conn, queries []queuedQuery) error {
	if len(queries) == 1 { // cheaper than a pipeline of one
		rows, err := conn.Query(ctx, queries[0].sql, queries[0].args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		return queries[0].read(rows)
	}
	var pipeline pgx.Batch
	for _, q := range queries {
		pipeline.Queue(q.sql, q.args...).Query(q.read)
	}
	return conn.SendBatch(ctx, &pipeline).Close()
}
