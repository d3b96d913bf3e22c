package topic_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/topic"
	"strata/internal/testkit/eventually"
)

// queries counts queries of messages.
type queries struct{ atomic.Int64 }

func (q *queries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if strings.Contains(data.SQL, "log.event") {
		q.Add(1)
	}
	return ctx
}

func (*queries) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Events come from this process, which are in memory, from another one, in batches that are not kept, and in bodies that are
// too large for that. Each is delivered once, in order, as it is in the database, and those of this process
// need no query.
func TestRecentEvents(t *testing.T) {
	t.Parallel()
	f := newProjection(t)
	config := f.pool.Config()
	asked := &queries{}
	config.ConnConfig.Tracer = asked
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	wake := f.log.Listener().Wake(eventstore.Channel, time.Hour)
	t.Cleanup(wake.Stop)
	eventually.Listens(wake)
	other := eventstore.Open(f.pool, eventstore.Config{})
	t.Cleanup(other.Close)
	subscriber, err := topic.NewSubscriber(pool, topic.SubscriberConfig{
		Offsets: topic.ProjectionOffsets{Name: "p", Version: 1}, Wake: wake, Moves: true, Recent: f.log, Paths: []string{"/a", "/b"}, ResendInterval: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := subscriber.Subscribe(t.Context(), topic.All)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = subscriber.Close() })

	random := rand.New(rand.NewPCG(1, 1))
	next, delivered := int64(0), []eventstore.Event{}
	incoming := func(log string) eventstore.Incoming {
		next++
		size := random.IntN(2000)
		if random.IntN(20) == 0 {
			size = 600_000
		}
		body := bytes.Repeat([]byte{byte(next)}, size)
		return eventstore.Incoming{
			ReceivedAt: time.Now(), Source: log, Path: []string{"/a", "/b", "/c"}[random.IntN(3)], ContentType: "x", Origin: fmt.Sprint(next % 2), Body: eventstore.NewBody(body),
		}
	}
	deliver := func(refusals int) {
		for int64(len(delivered)) < next {
			msg := receive(t, messages)
			e, err := topic.Event(msg)
			if err != nil {
				t.Fatal(err)
			}
			if refusals > 0 {
				refusals--
				msg.Nack()
				continue
			}
			delivered = append(delivered, e)
			f.exec(t, `UPDATE strata.projection SET position = $1`, e.Seq)
			msg.Ack()
		}
	}
	add := func(log *eventstore.Log, name string) {
		t.Helper()
		if _, err := log.Append(t.Context(), incoming(name)); err != nil {
			t.Fatal(err)
		}
	}
	for range 150 {
		switch random.IntN(5) {
		case 0:
			add(other, "other")
		case 1:
			if _, err := f.log.AppendBatch(t.Context(), []eventstore.Incoming{incoming("batch"), incoming("batch")}, nil); err != nil {
				t.Fatal(err)
			}
		default:
			add(f.log, "own")
		}
		if random.IntN(3) == 0 {
			deliver(random.IntN(2))
		}
	}
	deliver(0)
	stored, err := f.log.Read(t.Context(), eventstore.Range{Events: int(next), Bytes: 1 << 30, Paths: []string{"/a", "/b"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range stored {
		got := delivered[i]
		if got.Seq != e.Seq || got.Path != e.Path || got.Source != e.Source || got.ContentType != e.ContentType || got.Origin != e.Origin ||
			!got.ReceivedAt.Equal(e.ReceivedAt) || !slices.Equal(got.Body, e.Body) || (got.Body == nil) != (e.Body == nil) {
			t.Fatalf("event %d: got %+v, want what is stored: %+v", i+1, got, e)
		}
	}
	before := asked.Load()
	const events = 30
	for range events {
		random = rand.New(rand.NewPCG(3, 3)) // small bodies
		add(f.log, "own")
		deliver(0)
	}
	// Where the notification is faster than the answer to the append, the event is queried.
	if n := asked.Load() - before; n >= events {
		t.Errorf("%d queries for %d events, although these are in memory", n, events)
	}
}
