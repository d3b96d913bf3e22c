package eventstore_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

var migrated = pgtest.Template("log", migrations.Up)

// openLog opens a Log, which is closed when the test ends.
func openLog(t testing.TB, pool *pgxpool.Pool, config eventstore.Config) *eventstore.Log {
	t.Helper()
	log := eventstore.Open(pool, config)
	t.Cleanup(log.Close)
	return log
}

// incoming returns an event with a value in every field.
func incoming(path string, body []byte) eventstore.Incoming {
	return eventstore.Incoming{
		ReceivedAt:  time.Date(2024, 5, 6, 7, 8, 9, 123456789, time.UTC),
		Source:      "observer:test",
		Path:        path,
		ContentType: "application/json",
		Origin:      "id 7",
		Body:        eventstore.NewBody(body),
	}
}

func mustAppend(t testing.TB, log *eventstore.Log, in eventstore.Incoming) int64 {
	t.Helper()
	seq := must.Get(log.Append(context.Background(), in))(t)
	return seq
}

func mustAppendBatch(t testing.TB, log *eventstore.Log, batch ...eventstore.Incoming) int64 {
	t.Helper()
	first := must.Get(log.AppendBatch(context.Background(), batch, nil))(t)
	return first
}

// readAll returns all events with their bodies.
func readAll(t testing.TB, log *eventstore.Log) []eventstore.Event {
	t.Helper()
	var all []eventstore.Event
	for {
		after := int64(len(all))
		page := must.Get(log.Read(context.Background(), eventstore.Range{After: after, Events: 1000, Bytes: 64 << 20}))(t)
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// checkWhole checks that the log has no gaps, that every body has its digest, and that the head's frontier has the
// Merkle root of the rows. It returns all events.
func checkWhole(t testing.TB, log *eventstore.Log) []eventstore.Event {
	t.Helper()
	events := readAll(t, log)
	frontier := eventstore.NewFrontier()
	for i := range events {
		e := &events[i]
		if e.Seq != int64(i)+1 {
			t.Fatalf("event %d of the log has seq %d", i+1, e.Seq)
		}
		if got := eventstore.NewBody(e.Body); got.SHA256() != e.SHA256 || got.Size() != e.Size {
			t.Errorf("event %d: body has %d bytes with SHA-256 %x, the row says %d and %x", e.Seq, got.Size(), got.SHA256(), e.Size, e.SHA256)
		}
		if e.BodySeq != 0 && events[e.BodySeq-1].BodySeq != 0 {
			t.Errorf("event %d points to %d, which points further", e.Seq, e.BodySeq)
		}
		must.Do(t, frontier.Append(eventstore.LeafHash(e)))
	}
	want := must.Get(frontier.Root())(t)
	size, got, err := log.Checkpoint(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if size != int64(len(events)) || !bytes.Equal(got, want) {
		t.Errorf("checkpoint is size %d root %x, the rows are size %d root %x", size, got, len(events), want)
	}
	return events
}
