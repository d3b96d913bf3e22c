package eventstore_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// TestAlone appends in a process that is the only one to listen, which notifies nobody, then beside another one that listens, and
// then in that one once the first has left.
func TestAlone(t *testing.T) {
	t.Parallel()
	pool := migrated.New(t)
	ctx := t.Context()
	outside := must.Get(pgx.Connect(ctx, pool.Config().ConnString()))(t) // it takes no place
	must.Get(outside.Exec(ctx, `LISTEN `+eventstore.Channel))(t)
	posts := 0
	// notified appends to a log, and reports whether that was notified.
	notified := func(log *eventstore.Log) bool {
		t.Helper()
		posts++
		size := mustAppend(t, log, incoming("/x", fmt.Append(nil, posts)))
		end := fmt.Sprint("end ", size)
		must.Get(outside.Exec(ctx, `SELECT pg_notify($1, $2)`, eventstore.Channel, end))(t)
		for found := false; ; found = true {
			n := must.Get(outside.WaitForNotification(ctx))(t)
			if n.Payload == end {
				return found
			}
		}
	}
	log, other := openLog(t, pool, eventstore.Config{}), openLog(t, pool, eventstore.Config{})
	if !notified(log) {
		t.Error("a log that does not listen itself notified nobody")
	}
	config := pool.Config()
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // as behind a pooler, where nobody keeps a lock
	pooled := openLog(t, must.Get(pgxpool.NewWithConfig(ctx, config))(t), eventstore.Config{})
	defer pooled.Pool().Close()
	pooledWake := pooled.Listener().Wake(eventstore.Channel, time.Hour)
	eventually.Holds(t, "the one behind a pooler listens", func() bool { return notified(other) && pooledWake.Announced() > 0 })
	if !notified(pooled) {
		t.Error("one behind a pooler notified nobody")
	}
	wake := log.Listener().Wake(eventstore.Channel, time.Hour)
	eventually.Holds(t, "the first one has its place", log.Listener().Alone)
	if notified(log) {
		t.Error("the only one that listens notified others")
	}
	if !notified(other) {
		t.Error("a log whose process does not listen notified nobody")
	}
	other.Listener().SetPlaceInterval(10 * time.Millisecond)
	otherWake := other.Listener().Wake(eventstore.Channel, time.Hour)
	defer otherWake.Stop()
	eventually.Holds(t, "the other one listens", func() bool { return notified(log) })
	c := otherWake.C()
	notified(log)
	eventually.Receive(t, "a wake-up of the other one", c)
	for last := int64(0); last < 40; { // while it tries many times to become the first
		if !notified(log) || otherWake.Announced() < last {
			t.Fatalf("the other one no longer listens, after event %d", last)
		}
		last = otherWake.Announced()
	}
	if other.Listener().Alone() {
		t.Error("two are alone")
	}
	wake.Stop()
	eventually.Holds(t, "the other one becomes the first", other.Listener().Alone)
	if notified(other) {
		t.Error("the only one that is left notified others")
	}
	if !notified(log) || log.Listener().Alone() {
		t.Error("one that has left notified nobody")
	}
}

// TestBeginsToListen begins to listen while another process, which listened alone, appends. What it waits for is not lost between
// the two.
func TestBeginsToListen(t *testing.T) {
	t.Parallel()
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{})
	wake := log.Listener().Wake(eventstore.Channel, time.Hour)
	defer wake.Stop()
	eventually.Holds(t, "the first one has its place", log.Listener().Alone)
	for round := 1; round <= 20; round++ {
		begins, last := make(chan struct{}), make(chan int64)
		go func() {
			var size int64
			for i, left := 0, round; left > 0; i++ { // it begins at some moment, in which the last append falls
				size, _ = log.Append(t.Context(), incoming("/x", fmt.Append(nil, round, " ", i)))
				select {
				case <-begins:
					left--
				default:
				}
			}
			last <- size
		}()
		late := eventstore.NewWake(pool, eventstore.Channel, time.Hour, nil)
		var seen atomic.Int64
		reading, stop := context.WithCancel(t.Context())
		go func() {
			for reading.Err() == nil {
				c := late.C()
				size, _ := log.Size(reading)
				seen.Store(size)
				late.Wait(reading, c)
			}
		}()
		close(begins)
		size := <-last
		eventually.Holds(t, "it has seen all", func() bool { return seen.Load() >= size })
		stop()
		late.Stop()
	}
}

// TestStranger lets a stranger hold a lock of those who listen, and announce a size that the log does not have. Writers notify
// then, and who listens is still woken.
func TestStranger(t *testing.T) {
	t.Parallel()
	pool := migrated.New(t)
	log, writer := openLog(t, pool, eventstore.Config{}), openLog(t, pool, eventstore.Config{})
	stranger := pgtest.Connect(t, pool.Config().ConnString())
	wake := log.Listener().Wake(eventstore.Channel, time.Hour)
	defer wake.Stop()
	eventually.Holds(t, "it has its place", log.Listener().Alone)
	must.Get(stranger.Exec(t.Context(), `SELECT pg_advisory_lock($1)`, int64(eventstore.LockOthers)))(t)
	must.Get(stranger.Exec(t.Context(), `SELECT pg_notify($1, '9223372036854775807')`, eventstore.Channel))(t)
	eventually.Holds(t, "the wrong size has come", func() bool { return wake.Announced() > 1<<40 })
	late := eventstore.NewWake(pool, eventstore.Channel, time.Hour, nil) // which gets no place beside the stranger
	defer late.Stop()
	eventually.Receive(t, "it listens all the same", late.C())
	for i, from := range []*eventstore.Log{log, writer} { // in its own process, and in another one
		c := wake.C()
		mustAppend(t, from, incoming("/x", fmt.Append(nil, i)))
		eventually.Receive(t, "a wake-up", c)
	}
}
