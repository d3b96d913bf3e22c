package topic_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"

	"strata/eventstore"
	"strata/eventstore/topic"
	"strata/internal/testkit/eventually"
)

// from is an offsets adapter that reads on from a fixed position.
type from struct {
	topic.ConsumerOffsets
	position int64
}

func (o from) NextOffsetQuery(wsql.NextOffsetQueryParams) (wsql.Query, error) {
	return wsql.Query{Query: `SELECT $1::bigint`, Args: []any{o.position}}, nil
}

func (o from) BeforeSubscribingQueries(wsql.BeforeSubscribingQueriesParams) ([]wsql.Query, error) {
	return nil, nil
}

// page runs one query of the adapter as watermill-sql does, and returns positions and sizes.
func page(t *testing.T, f fixture, adapter *topic.SchemaAdapter, name string, offsets wsql.OffsetsAdapter) (seqs, sizes []int64, err error) {
	t.Helper()
	q, err := adapter.SelectQuery(wsql.SelectQueryParams{Topic: name, OffsetsAdapter: offsets})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := f.pool.Query(context.Background(), q.Query, q.Args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		row, err := adapter.UnmarshalMessage(wsql.UnmarshalMessageParams{Row: rows})
		if err != nil {
			return nil, nil, err
		}
		seqs, sizes = append(seqs, row.Offset), append(sizes, int64(len(row.Msg.Payload)))
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return seqs, sizes, nil
}

func TestSelectBounds(t *testing.T) {
	f := newFixture(t)
	hundred := strings.Repeat("x", 100)
	for i := range 10 {
		f.append(t, []string{"/even", "/odd"}[i%2], hundred) // the first is even; nine bodies are duplicates
	}
	for name, c := range map[string]struct {
		adapter *topic.SchemaAdapter
		topic   string
		after   int64
		want    []int64
	}{
		"events":                        {&topic.SchemaAdapter{Events: 3}, topic.All, 2, []int64{3, 4, 5}},
		"events of a path":              {&topic.SchemaAdapter{Events: 3}, "odd", 2, []int64{4, 6, 8}},
		"bytes":                         {&topic.SchemaAdapter{Bytes: 399}, topic.All, 2, []int64{3, 4, 5}},
		"bytes exactly":                 {&topic.SchemaAdapter{Bytes: 400}, topic.All, 2, []int64{3, 4, 5, 6}},
		"bytes of a path":               {&topic.SchemaAdapter{Bytes: 200}, "odd", 2, []int64{4, 6}},
		"at least one":                  {&topic.SchemaAdapter{Bytes: 1}, topic.All, 2, []int64{3}},
		"at least one of a path":        {&topic.SchemaAdapter{Bytes: 1}, "odd", 2, []int64{4}},
		"unwanted bodies weigh nothing": {&topic.SchemaAdapter{Bytes: 200, Paths: []string{"/odd"}}, topic.All, 0, []int64{1, 2, 3, 4, 5}},
		"defaults":                      {&topic.SchemaAdapter{}, topic.All, 0, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		"the end":                       {&topic.SchemaAdapter{}, topic.All, 10, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, sizes, err := page(t, f, c.adapter, c.topic, from{position: c.after})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			for i, seq := range got {
				if wanted := c.adapter.Paths == nil || seq%2 == 0; (sizes[i] == 100) != wanted {
					t.Errorf("event %d came with %d bytes", seq, sizes[i])
				}
			}
		})
	}
}

// The events of a rare path are found in windows, and what was looked through once is not again.
func TestRarePath(t *testing.T) {
	f := newFixture(t)
	f.append(t, "/rare", "first")
	f.fill(t, "/other", 25_000)

	adapter := &topic.SchemaAdapter{}
	after := from{position: 1}
	steps := func() (n int, seqs []int64) {
		t.Helper()
		for {
			n++
			seqs, _, err := page(t, f, adapter, "rare", after)
			if err == nil || errors.Is(err, sql.ErrNoRows) {
				return n, seqs
			}
			if n > 100 {
				t.Fatalf("still looking: %v", err)
			}
		}
	}
	if n, seqs := steps(); n != 3 || seqs != nil {
		t.Errorf("got %v after %d windows, want nothing after 3", seqs, n)
	}
	f.fill(t, "/other", 100)
	if n, seqs := steps(); n != 1 || seqs != nil {
		t.Errorf("got %v after %d windows, want nothing after 1", seqs, n)
	}
	rare := f.append(t, "/rare", "second")
	if n, seqs := steps(); n != 1 || !reflect.DeepEqual(seqs, []int64{rare}) {
		t.Errorf("got %v after %d windows, want %d after 1", seqs, n, rare)
	}
	// What is known of one position says nothing of those before.
	after.position = 0
	if _, seqs := steps(); !reflect.DeepEqual(seqs, []int64{1}) {
		t.Errorf("from the start: got %v, want 1", seqs)
	}

	messages := subscribe(t, f, "rare", topic.SubscriberConfig{})
	for _, want := range []string{"first", "second"} {
		msg := receive(t, messages)
		if string(msg.Payload) != want {
			t.Errorf("got %q, want %q", msg.Payload, want)
		}
		msg.Ack()
	}
	f.fill(t, "/other", 10)
	awaitWait(t, f.wake, messages)
	f.append(t, "/rare", "third")
	if msg := receive(t, messages); string(msg.Payload) != "third" {
		t.Errorf("got %q, want third", msg.Payload)
	}
}

func TestSchemaAdapterWritesNothing(t *testing.T) {
	var adapter *topic.SchemaAdapter
	if _, err := adapter.InsertQuery(wsql.InsertQueryParams{}); !errors.Is(err, topic.ErrPublishWithPublisher) {
		t.Errorf("got %v, want ErrPublishWithPublisher", err)
	}
	if queries, err := adapter.SchemaInitializingQueries(wsql.SchemaInitializingQueriesParams{}); len(queries) > 0 || err != nil {
		t.Errorf("got %v, %v, want nothing", queries, err)
	}
	if got := adapter.SubscribeIsolationLevel(); got != sql.LevelReadCommitted {
		t.Errorf("isolation level is %s", got)
	}
}

// An error that the server reports while rows are read is not taken for the end of the log.
func TestErrorsWhileReadingAreHeard(t *testing.T) {
	f := newFixture(t)
	f.append(t, "/x", "x")
	var mu sync.Mutex
	var logged bytes.Buffer
	logger := slog.New(slog.NewTextHandler(lockedWriter{&mu, &logged}, nil))
	subscriber, err := topic.NewSubscriber(f.pool, topic.SubscriberConfig{Offsets: failing{}, Wake: f.wake, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := subscriber.Subscribe(context.Background(), topic.All)
	if err != nil {
		t.Fatal(err)
	}
	text := func() string {
		mu.Lock()
		defer mu.Unlock()
		return logged.String()
	}
	eventually.Holds(t, "the error is logged twice", func() bool { return strings.Count(text(), "trying again") > 1 })
	if len(messages) > 0 {
		t.Error("got a message, want none")
	}
	if err := subscriber.Close(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(logged.String(), "division by zero") {
		t.Errorf("want the server's error logged, got: %s", logged.String())
	}
}

type failing struct{ from }

func (failing) NextOffsetQuery(wsql.NextOffsetQueryParams) (wsql.Query, error) {
	return wsql.Query{Query: `SELECT 1 / (size - size) FROM log.head`}, nil
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// A body that is larger than the bound comes alone, and the subscriber goes on after it.
func TestLargeBodiesComeAlone(t *testing.T) {
	f := newFixture(t)
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // 16 MB
	for range 3 {
		if _, err := f.log.Append(context.Background(), eventstore.Incoming{
			ReceivedAt: time.Now(), Path: "/large", Body: eventstore.NewBody(large),
		}); err != nil {
			t.Fatal(err)
		}
	}
	adapter := &topic.SchemaAdapter{Bytes: 20 << 20}
	seqs, _, err := page(t, f, adapter, topic.All, from{})
	if err != nil || len(seqs) != 1 {
		t.Errorf("got %v, %v, want one event", seqs, err)
	}
	messages := subscribe(t, f, topic.All, topic.SubscriberConfig{Bytes: 20 << 20})
	for i := range 3 {
		msg := receive(t, messages)
		if !bytes.Equal(msg.Payload, large) {
			t.Errorf("message %d: %d bytes that differ", i, len(msg.Payload))
		}
		msg.Ack()
	}
}
