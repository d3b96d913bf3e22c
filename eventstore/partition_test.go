package eventstore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
)

// withSmallPartitions replaces the first partition, which is empty, with one of count positions.
func withSmallPartitions(t *testing.T, pool *pgxpool.Pool, count int64) {
	t.Helper()
	ctx := context.Background()
	if _, err := pool.Exec(ctx, `DROP TABLE log.event_000000000000000`); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, `SELECT log.add_partition(0, $1)`, count); err != nil {
		t.Fatal(err)
	}
}

// partitionEnd returns the first position without a partition.
func partitionEnd(t *testing.T, pool *pgxpool.Pool) int64 {
	t.Helper()
	var end int64
	err := pool.QueryRow(context.Background(), `
		SELECT max(substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''(\d+)''\)')::bigint)
		FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'log.event'::regclass`).Scan(&end)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func TestPartitionsAreAddedAhead(t *testing.T) {
	pool := migrated.New(t)
	withSmallPartitions(t, pool, 10)
	log := openLog(t, pool, eventstore.Config{PartitionEvents: 10})
	for i := range 33 {
		seq := mustAppend(t, log, incoming("/x", []byte(fmt.Sprint(i))))
		if end := partitionEnd(t, pool); end < seq+5 {
			t.Fatalf("after event %d, partitions end at %d: want half a partition ahead", seq, end)
		}
	}
	batch := make([]eventstore.Incoming, 45) // several partitions at once
	for i := range batch {
		batch[i] = incoming("/x", []byte(fmt.Sprint("batch ", i)))
	}
	mustAppendBatch(t, log, batch...)
	if events := checkWhole(t, log); len(events) != 78 {
		t.Errorf("got %d events, want 78", len(events))
	}
	// A Log with another partition size keeps the existing partitions.
	other := openLog(t, pool, eventstore.Config{PartitionEvents: 100})
	mustAppend(t, other, incoming("/x", []byte("other")))
	checkWhole(t, other)
	if end, want := partitionEnd(t, pool), int64(190); end != want {
		t.Errorf("partitions end at %d, want %d", end, want)
	}
}

// Two processes need the next partition at the same moment.
func TestTwoProcessesAddPartitions(t *testing.T) {
	pool := migrated.New(t)
	withSmallPartitions(t, pool, 4)
	config := eventstore.Config{PartitionEvents: 4, BatchEvents: 1}
	logs := []*eventstore.Log{openLog(t, pool, config), openLog(t, pool, config)}
	concurrently(t, 8, func(i int) {
		for j := range 20 {
			if _, err := logs[i%2].Append(context.Background(), incoming("/x", []byte(fmt.Sprint(i, " ", j)))); err != nil {
				t.Errorf("append: %v", err)
			}
		}
	})
	if events := checkWhole(t, logs[0]); len(events) != 160 {
		t.Errorf("got %d events, want 160", len(events))
	}
}
