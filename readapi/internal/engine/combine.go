package engine

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"
)

const (
	// combinedMax is how many reads share a round trip at most.
	combinedMax = 16
	// tripsMax is how many shared round trips are under way at a time. A read that finds fewer does not wait.
	tripsMax = 3
	// combinePatience is how long a read waits for others' round trips to end before it makes one of its own.
	combinePatience = 5 * time.Millisecond
)

// combiner lets brief reads that come at the same time share round trips: the more there are, the less each costs. Whoever
// makes a round trip takes along what waits. Nothing waits for company: only while enough are under way.
//
// Each read says for itself whether the state that it assumes holds. One that fails spoils those sent with it, which are
// then sent alone.
type combiner struct {
	pool *pgxpool.Pool
	// apart are the round trips of reads that were not taken along. They take turns: more at a time than the processors can do would
	// only make each of them wait for all others.
	apart *semaphore.Weighted

	mu      sync.Mutex
	waiting []*combinedRead
	trips   int
}

// combined is the queries of one read.
type combinedRead struct {
	queries   []queuedQuery
	done      chan struct{} // closed when they were sent
	read      bool          // all rows were read
	alone     bool          // nothing was sent with it
	err       error
	turn      chan struct{} // that it is to make a round trip
	appointed bool          // that it was told so; guarded by the combiner's mutex
}

func newCombiner(pool *pgxpool.Pool) *combiner {
	return &combiner{pool: pool, apart: semaphore.NewWeighted(int64(2 * runtime.GOMAXPROCS(0)))}
}

// send runs queries in one snapshot, with others' or alone.
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
		if err := c.apart.Acquire(ctx, 1); err != nil {
			return fmt.Errorf("wait for other reads to end: %w", err)
		}
		defer c.apart.Release(1)
		return sendAlone(ctx, c.pool, queries)
	}
	return own.err
}

// wait returns when the read was sent, and makes round trips when it is the read's turn. It is false when the read lost
// its patience.
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

// travel makes a round trip for what waits, and passes the right to do so on. It unlocks the mutex.
func (c *combiner) travel(ctx context.Context) {
	n := min(len(c.waiting), combinedMax)
	reads := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	c.mu.Unlock()
	if n > 0 {
		trip(ctx, c.pool, reads)
	}
	c.mu.Lock()
	c.pass()
	c.mu.Unlock()
}

// pass gives the right to make a round trip to the first that waits for it.
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

// resign passes on a right that came too late.
func (c *combiner) resign(own *combinedRead) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own.appointed {
		c.pass()
	}
}

// leave takes a read off the list, unless it is its turn, or it is under way.
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

// trip sends the queries of reads, in one snapshot.
func trip(ctx context.Context, pool *pgxpool.Pool, reads []*combinedRead) {
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
	err := sendAlone(ctx, pool, all)
	for _, r := range reads {
		r.alone = len(reads) == 1
		if !r.read {
			r.err = err
		}
		close(r.done)
	}
}

// sendAlone runs queries in one snapshot, on a connection of their own.
func sendAlone(ctx context.Context, pool *pgxpool.Pool, queries []queuedQuery) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("get a connection to the database: %w", err)
	}
	defer conn.Release()
	return sendOn(ctx, conn, queries)
}

// sendOn runs queries in one round trip, which is one implicit transaction where there is none.
func sendOn(ctx context.Context, conn *pgxpool.Conn, queries []queuedQuery) error {
	if len(queries) == 1 { // alone it costs less than in a pipeline
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
