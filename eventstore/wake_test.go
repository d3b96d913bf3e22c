package eventstore_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

func TestWake(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{})
	own, other := log.Listener().Wake(eventstore.Channel, time.Hour), log.Listener().Wake("other", time.Hour)
	eventually.Listens(own)
	eventually.Listens(other)
	eventually.Holds(t, "nobody else is notified", log.Listener().Alone)
	called, quiet := own.C(), other.C()
	if mustAppend(t, log, incoming("/x", nil)); own.C() == called || other.C() != quiet || own.Announced() != 1 || other.Announced() != 0 {
		t.Errorf("%d and %d events are announced, want 1 and 0, and only who waits for the log woken", own.Announced(), other.Announced())
	}
	listens := func(query string) bool {
		return pgtest.Value[bool](t, pool, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE $1)`, query)
	}
	for i := range 4 {
		more := log.Listener().Wake(fmt.Sprint(i), time.Hour)
		eventually.Holds(t, "it listens to one channel more", func() bool { return listens(fmt.Sprintf(`LISTEN "%d"`, i)) })
		more.Stop()
		eventually.Holds(t, "it listens to one channel less", func() bool { return listens(fmt.Sprintf(`UNLISTEN "%d"`, i)) })
	}
	other.Stop()
	own.Stop()
	eventually.Holds(t, "its connection has ended", func() bool { return !listens(`%LISTEN%`) })
	if log.Listener().Alone() {
		t.Error("it does not listen, and keeps others from being notified")
	}
	wake := eventstore.NewWake(pool, eventstore.Channel, time.Hour, nil)
	eventually.Listens(wake)
	for _, add := range []func(){
		func() { mustAppend(t, log, incoming("/x", []byte("x"))) },
		func() { mustAppendBatch(t, log, incoming("/x", []byte("y"))) },
		wake.Signal,
	} {
		c := wake.C()
		add()
		eventually.Receive(t, "a wake-up", c)
	}
	waiting := make(chan struct{})
	c := wake.C()
	go func() { wake.Wait(context.Background(), c); close(waiting) }()
	wake.Stop()
	<-waiting
	wake.Stop() // again
}

// A wake whose connection is lost listens again.
func TestWakeAfterAnOutage(t *testing.T) {
	t.Parallel()
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{})
	silent := eventstore.NewWake(pool, eventstore.Channel, time.Hour, nil)
	defer silent.Stop()
	var said logbuffer.Buffer
	wake := eventstore.NewWake(pool, eventstore.Channel, time.Hour, slog.New(slog.NewTextHandler(&said, nil)))
	defer wake.Stop()
	eventually.Listens(wake)
	must.Get(pool.Exec(t.Context(), `SELECT pg_notify($1, '7')`, eventstore.Channel))(t)
	eventually.Holds(t, "it is announced", func() bool { return wake.Announced() == 7 })
	must.Get(pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`))(t)
	eventually.Holds(t, "nothing is announced any more", func() bool { return wake.Announced() == 0 && said.HasLine("can't listen") })
	eventually.Holds(t, "a wake-up after the outage", func() bool {
		c := wake.C()
		_, err := log.Append(t.Context(), incoming("/x", nil))
		select {
		case <-c:
			return err == nil
		case <-time.After(50 * time.Millisecond):
			return false
		}
	})
}
