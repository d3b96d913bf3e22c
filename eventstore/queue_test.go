package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/headlock"
	"strata/internal/testkit/pgtest"
)

// startAppends starts n appends while the caller holds the head's lock. It returns once the first is being written and
// the others wait for their turn. The results follow in any order.
func startAppends(t *testing.T, log *eventstore.Log, n int) (results <-chan error) {
	t.Helper()
	all := make(chan error, n)
	start := func(i int) {
		go func() {
			_, err := log.Append(context.Background(), incoming("/x", []byte(fmt.Sprint(i))))
			all <- err
		}()
	}
	start(0)
	headlock.AwaitWaiter(t, log.Pool())
	for i := 1; i < n; i++ {
		start(i)
	}
	eventually.Holds(t, "all other appends wait for their turn", func() bool { return log.Waiting() == n-1 })
	return all
}

func TestQueueSharesTransactions(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{})
	release := headlock.Hold(t, pool)
	const appends = 50
	results := startAppends(t, log, appends)
	release()
	for range appends {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	transactions := pgtest.Value[int](t, pool, `SELECT count(DISTINCT xmin::text) FROM log.event`)
	if transactions != 2 {
		t.Errorf("%d appends took %d transactions, want 2: the first alone, then all others", appends, transactions)
	}
	checkWhole(t, log)
}

func TestAppendTimesOut(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{Timeout: 3 * time.Second})
	mustAppend(t, log, incoming("/x", []byte("before")))
	release := headlock.Hold(t, pool)
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
	release := headlock.Hold(t, pool)
	const appends = 5
	results := startAppends(t, log, appends)
	sizeAfterClose := make(chan int64, 1)
	go func() {
		log.Close()
		size, err := log.Size(context.Background())
		if err != nil {
			t.Error(err)
		}
		sizeAfterClose <- size
	}()
	eventually.Holds(t, "Close was called", log.Closing)
	release()
	for range appends {
		if err := <-results; err != nil {
			t.Errorf("an append that was under way: %v", err)
		}
	}
	if size := <-sizeAfterClose; size != appends {
		t.Errorf("the log has %d events when Close returns, want all %d that were under way", size, appends)
	}
	log.Close() // again
	if _, err := log.Append(context.Background(), incoming("/x", nil)); !errors.Is(err, eventstore.ErrClosed) {
		t.Errorf("append after Close: got %v, want ErrClosed", err)
	}
	if events := checkWhole(t, log); len(events) != appends {
		t.Errorf("got %d events, want %d", len(events), appends)
	}
}
