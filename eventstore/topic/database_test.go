package topic_test

import (
	"context"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

var migrated = pgtest.Template("topic", migrations.Up)

// fixture is a log of a test's own, and what follows it.
type fixture struct {
	pool *pgxpool.Pool
	log  *eventstore.Log
	wake *eventstore.Wake
}

// newFixture polls so rarely that only notifications can be what wakes subscribers.
func newFixture(t testing.TB) fixture {
	t.Helper()
	return newFixtureOn(t, migrated.New(t), time.Hour)
}

func newFixtureOn(t testing.TB, pool *pgxpool.Pool, interval time.Duration) fixture {
	t.Helper()
	f := fixture{pool: pool, log: eventstore.Open(pool, eventstore.Config{})}
	t.Cleanup(f.log.Close)
	f.wake = newWake(t, pool, eventstore.Channel, interval)
	eventually.Listens(f.wake)
	return f
}

// newWake returns a Wake that says when a reader waits.
func newWake(t testing.TB, pool *pgxpool.Pool, channel string, interval time.Duration) *eventstore.Wake {
	t.Helper()
	wake := eventstore.NewWake(pool, channel, interval, nil)
	wake.Waiting.Init()
	t.Cleanup(wake.Stop)
	return wake
}

func (f fixture) append(t testing.TB, path, body string) int64 {
	t.Helper()
	seq, err := f.log.Append(context.Background(), eventstore.Incoming{
		ReceivedAt: time.Now(), Source: "observer:test", Path: path, Body: eventstore.NewBody([]byte(body)),
	})
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return seq
}

// fill appends n events to path in one batch.
func (f fixture) fill(t testing.TB, path string, n int) {
	t.Helper()
	batch := make([]eventstore.Incoming, n)
	body := eventstore.NewBody(nil)
	for i := range batch {
		batch[i] = eventstore.Incoming{ReceivedAt: time.Now(), Source: "observer:test", Path: path, Body: body}
	}
	if _, err := f.log.AppendBatch(context.Background(), batch, nil); err != nil {
		t.Fatalf("append %d events: %v", n, err)
	}
}

// exec runs SQL that must succeed.
func (f fixture) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := f.pool.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func query[T any](t testing.TB, f fixture, sql string, args ...any) T {
	t.Helper()
	var value T
	if err := f.pool.QueryRow(context.Background(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// receive waits for the next message.
func receive(t testing.TB, messages <-chan *message.Message) *message.Message {
	t.Helper()
	msg := eventually.Receive(t, "a message", messages)
	if msg == nil {
		t.Fatal("the subscription has ended")
	}
	return msg
}

// awaitWait waits until the only reader of a Wake has looked, found nothing and waits. It fails if there is a value all
// the same.
func awaitWait[T any](t testing.TB, wake *eventstore.Wake, values <-chan T) {
	t.Helper()
	eventually.Receive(t, "the reader waits", wake.Waiting.C())
	select {
	case value, open := <-values:
		if open {
			t.Fatalf("got %v, want nothing", value)
		}
	default:
	}
}
