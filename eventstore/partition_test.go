package eventstore_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// withSmallPartitions replaces the first partition, which is empty, with one of count positions.
func withSmallPartitions(t *testing.T, pool *pgxpool.Pool, count int64) {
	t.Helper()
	ctx := context.Background()
	must.Get(pool.Exec(ctx, `DROP TABLE log.event_000000000000000`))(t)
	must.Get(pool.Exec(ctx, `SELECT log.add_partition(0, $1)`, count))(t)
}

// partitionEnd returns the first position without a partition.
func partitionEnd(t *testing.T, pool *pgxpool.Pool) int64 {
	t.Helper()
	return pgtest.Value[int64](t, pool, `
		SELECT max(substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''(\d+)''\)')::bigint)
		FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'log.event'::regclass`)
}

func TestPartitionsAreAddedAhead(t *testing.T) {
	pool := migrated.New(t)
	withSmallPartitions(t, pool, 10)
	log := openLog(t, pool, eventstore.Config{PartitionEvents: 10})
	for i := range 33 {
		seq := mustAppend(t, log, incoming("/x", []byte(fmt.Sprint(i))))
		eventually.Holds(t, "there is half a partition ahead", func() bool { return partitionEnd(t, pool) >= seq+5 })
	}
	batch := make([]eventstore.Incoming, 45) // several partitions at once
	for i := range batch {
		batch[i] = incoming("/x", []byte(fmt.Sprint("batch ", i)))
	}
	mustAppendBatch(t, log, batch...)
	if events := checkWhole(t, log); len(events) != 78 {
		t.Errorf("got %d events, want 78", len(events))
	}
	eventually.Holds(t, "there is half a partition ahead", func() bool { return partitionEnd(t, pool) == 90 })
	// A Log with another partition size keeps the existing partitions.
	other := openLog(t, pool, eventstore.Config{PartitionEvents: 100})
	mustAppend(t, other, incoming("/x", []byte("other")))
	checkWhole(t, other)
	eventually.Holds(t, "a partition of the other size is ahead", func() bool { return partitionEnd(t, pool) == 190 })
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

// While somebody analyses the log, or does anything else that keeps partitions from being added, events are taken as long as
// there is room.
func TestAppendsWhilePartitionsCannotBeAdded(t *testing.T) {
	pool := migrated.New(t)
	withSmallPartitions(t, pool, 10)
	analysis := must.Get(pool.Begin(t.Context()))(t)
	t.Cleanup(func() { _ = analysis.Rollback(context.Background()) })
	must.Get(analysis.Exec(t.Context(), `ANALYZE log.event`))(t)
	log := openLog(t, pool, eventstore.Config{PartitionEvents: 10})
	for i := range 9 { // positions 1 to 9
		mustAppend(t, log, incoming("/x", []byte(fmt.Sprint(i))))
	}
	if end := partitionEnd(t, pool); end != 10 {
		t.Fatalf("partitions end at %d, want 10 while the table is locked", end)
	}
	must.Do(t, analysis.Rollback(t.Context()))
	ended := time.Now()
	eventually.Holds(t, "the next partition is added", func() bool { return partitionEnd(t, pool) == 20 })
	t.Logf("fault: an analysis of the log that does not end; events took the room that was left, and the next partition was there %s after its end",
		time.Since(ended).Round(time.Millisecond))
	mustAppend(t, log, incoming("/x", []byte("next")))
	checkWhole(t, log)
}

// A role that may only read and append does so beyond the partitions that there are.
func TestAppendsWithoutRightsToMakeTables(t *testing.T) {
	admin := migrated.New(t)
	withSmallPartitions(t, admin, 10)
	role := pgx.Identifier{"appender_" + strings.ToLower(rand.Text()[:10])}.Sanitize()
	connect := must.Get(pgx.ParseConfig(pgtest.AdminURL(t)))(t)
	connect.Database = admin.Config().ConnConfig.Database
	run := func(sql string) {
		t.Helper()
		superuser := must.Get(pgx.ConnectConfig(context.Background(), connect))(t)
		defer func() { _ = superuser.Close(context.Background()) }()
		if _, err := superuser.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	run(`CREATE ROLE ` + role)
	t.Cleanup(func() { run(`DROP OWNED BY ` + role); run(`DROP ROLE ` + role) })
	run(`GRANT ` + role + ` TO ` + pgx.Identifier{admin.Config().ConnConfig.User}.Sanitize())
	run(`GRANT USAGE ON SCHEMA log TO ` + role)
	run(`GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA log TO ` + role)
	run(`GRANT UPDATE ON log.head TO ` + role)
	run(`REVOKE EXECUTE ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint), pg_catalog.pg_try_advisory_lock(bigint) FROM PUBLIC`) // as strata sql-role does
	config := admin.Config()
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SET ROLE `+role)
		return err
	}
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(pool.Close)
	log := openLog(t, pool, eventstore.Config{PartitionEvents: 10})
	wake := log.Listener().Wake(eventstore.Channel, time.Hour)
	defer wake.Stop()
	eventually.Holds(t, "it listens", func() bool {
		_, err := pool.Exec(t.Context(), `SELECT pg_notify($1, '1')`, eventstore.Channel)
		return err == nil && wake.Announced() == 1
	})
	for i := range 25 {
		mustAppend(t, log, incoming("/x", []byte(fmt.Sprint(i))))
	}
	events := checkWhole(t, log)
	if len(events) != 25 {
		t.Errorf("got %d events, want 25", len(events))
	}
	t.Logf("fault: a role that may make no tables appended %d events, with partitions for %d", len(events), partitionEnd(t, admin)-1)
	if _, err := pool.Exec(t.Context(), `CREATE TABLE log.mine ()`); err == nil {
		t.Error("the role may make tables, so the test shows nothing")
	}
}
