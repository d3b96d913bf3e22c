package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
)

// holdHead keeps the log's head locked, so that no append gets on, until the returned function is called.
func holdHead(t *testing.T, pool *pgxpool.Pool) (release func()) {
	t.Helper()
	ctx := context.Background()
	tx, err := pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, `SELECT FROM log.head FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(ctx); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
			t.Error(err)
		}
	}
}

func TestQueuePushesBack(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{QueueEvents: 3, BatchEvents: 2})
	release := holdHead(t, pool)
	defer release()

	const appends = 12
	var started, ended atomic.Int32
	results := make(chan error, appends)
	for i := range appends {
		go func() {
			started.Add(1)
			_, err := log.Append(context.Background(), incoming("/x", []byte(fmt.Sprint(i))))
			ended.Add(1)
			results <- err
		}()
	}
	eventually(t, "all started", func() bool { return started.Load() == appends })
	// At most 3 wait in the queue and 2 are being written; the others wait before it, and give up when told to.
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := log.Append(ctx, incoming("/x", []byte("late"))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("append to a full queue: got %v, want it to wait until its deadline", err)
	}
	if n := ended.Load(); n != 0 {
		t.Errorf("%d appends returned while nothing could be written", n)
	}
	release()
	for range appends {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if events := checkWhole(t, log); len(events) != appends {
		t.Errorf("got %d events, want %d", len(events), appends)
	}
}

func TestQueueSharesTransactions(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{})
	release := holdHead(t, pool)
	results := make(chan error)
	const appends = 50
	for i := range appends {
		go func() {
			_, err := log.Append(context.Background(), incoming("/x", []byte(fmt.Sprint(i))))
			results <- err
		}()
	}
	time.Sleep(50 * time.Millisecond)
	release()
	for range appends {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	var transactions int
	if err := pool.QueryRow(context.Background(), `SELECT count(DISTINCT xmin::text) FROM log.event`).Scan(&transactions); err != nil {
		t.Fatal(err)
	}
	if transactions > 5 {
		t.Errorf("%d appends took %d transactions, want a few", appends, transactions)
	}
	checkWhole(t, log)
}

func TestAppendGivesUpOnABatch(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{Timeout: time.Second})
	mustAppend(t, log, incoming("/x", []byte("before")))
	release := holdHead(t, pool)
	if _, err := log.Append(context.Background(), incoming("/x", []byte("x"))); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	release()
	mustAppend(t, log, incoming("/x", []byte("after")))
	checkWhole(t, log)
}

func TestClose(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{})
	release := holdHead(t, pool)
	results := make(chan error)
	const appends = 5
	for i := range appends {
		go func() {
			_, err := log.Append(context.Background(), incoming("/x", []byte(fmt.Sprint(i))))
			results <- err
		}()
	}
	time.Sleep(50 * time.Millisecond)
	closed := make(chan struct{})
	go func() { log.Close(); close(closed) }()
	select {
	case <-closed:
		t.Error("Close returned while appends were under way")
	case <-time.After(50 * time.Millisecond):
	}
	release()
	for range appends {
		if err := <-results; err != nil {
			t.Errorf("an append that was under way: %v", err)
		}
	}
	<-closed
	log.Close() // again
	if _, err := log.Append(context.Background(), incoming("/x", nil)); !errors.Is(err, eventstore.ErrClosed) {
		t.Errorf("append after Close: got %v, want ErrClosed", err)
	}
	if events := checkWhole(t, log); len(events) != appends {
		t.Errorf("got %d events, want %d", len(events), appends)
	}
}

// A caller who gives up while it waits for its turn takes its event with it. One whose event is being written gets the
// result, since nobody can take back what may be committed already.
func TestAppendWhoseCallerGivesUp(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{})
	release := holdHead(t, pool)
	ctx, cancel := context.WithCancel(context.Background())
	results := make(chan error, 2)
	for _, body := range []string{"being written", "waiting"} {
		go func() {
			_, err := log.Append(ctx, incoming("/x", []byte(body)))
			results <- err
		}()
		time.Sleep(50 * time.Millisecond)
	}
	cancel()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: got %v, want context.Canceled", err)
	}
	release()
	if err := <-results; err != nil {
		t.Errorf("being written: got %v, want success", err)
	}
	mustAppend(t, log, incoming("/x", []byte("after")))
	if events := checkWhole(t, log); len(events) != 2 || string(events[0].Body) != "being written" {
		t.Errorf("got %d events, want the one that was being written and the one after", len(events))
	}
}

// The order to lead reaches a caller who has just given up: the others must not wait for ever.
func TestLeadIsPassedOn(t *testing.T) {
	log := openLog(t, migrated.New(t), eventstore.Config{})
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%20)*100*time.Microsecond)
			defer cancel()
			if _, err := log.Append(ctx, incoming("/x", []byte(fmt.Sprint(i)))); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	mustAppend(t, log, incoming("/x", []byte("after")))
	checkWhole(t, log)
}
