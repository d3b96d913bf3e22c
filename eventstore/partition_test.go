package eventstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
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

// countPartitions counts how often the server is asked to add a partition. It refuses while log.refusal has a row.
func countPartitions(t *testing.T, pool *pgxpool.Pool) (asked func() int) {
	t.Helper()
	must.Get(pool.Exec(t.Context(), `
		ALTER FUNCTION log.add_partition RENAME TO add_one; CREATE SEQUENCE log.asked MINVALUE 0 START 0; CREATE TABLE log.refusal (); SELECT nextval('log.asked');
		CREATE FUNCTION log.add_partition(low bigint, count bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
			PERFORM nextval('log.asked'); -- which counts also in a transaction that fails
			IF EXISTS (SELECT FROM log.refusal) THEN RAISE 'refused'; END IF;
			PERFORM log.add_one(low, count);
		END $$`))(t)
	return func() int { return pgtest.Value[int](t, pool, `SELECT last_value FROM log.asked`) }
}

func TestPartitionsAreAddedAhead(t *testing.T) {
	pool := migrated.New(t)
	withSmallPartitions(t, pool, 10)
	asked := countPartitions(t, pool)
	log := openLog(t, pool, eventstore.Config{PartitionEvents: 10})
	for i := range 33 {
		seq := mustAppend(t, log, incoming("/x", []byte(fmt.Sprint(i))))
		log.AwaitPartitions()
		if end := partitionEnd(t, pool); end < seq+5 || end > seq+15 {
			t.Errorf("at event %d, partitions end at %d, want half a partition ahead", seq, end)
		}
	}
	batch := make([]eventstore.Incoming, 45) // several partitions at once
	for i := range batch {
		batch[i] = incoming("/x", []byte(fmt.Sprint("batch ", i)))
	}
	mustAppendBatch(t, log, batch...)
	log.AwaitPartitions()
	if events, end := checkWhole(t, log), partitionEnd(t, pool); len(events) != 78 || end != 90 {
		t.Errorf("got %d events, and partitions up to %d, want 78 and 90", len(events), end)
	}
	// A Log with another partition size keeps the existing partitions.
	other := openLog(t, pool, eventstore.Config{PartitionEvents: 100})
	mustAppend(t, other, incoming("/x", []byte("other")))
	other.AwaitPartitions()
	checkWhole(t, other)
	if end, n := partitionEnd(t, pool), asked(); end != 190 || n != 9 {
		t.Errorf("partitions end at %d, after the server was asked for %d, want 190 and 9", end, n)
	}
}

// A server that refuses a partition is asked five times, ahead of time only now and then, and for each append that needs it. Appends
// fail only without room, and go on as soon as the server adds partitions again.
func TestRefusedPartitions(t *testing.T) {
	pool := migrated.New(t)
	withSmallPartitions(t, pool, 10)
	asked := countPartitions(t, pool)
	must.Get(pool.Exec(t.Context(), `INSERT INTO log.refusal DEFAULT VALUES`))(t)
	var said logbuffer.Buffer
	log := openLog(t, pool, eventstore.Config{PartitionEvents: 10, Logger: slog.New(slog.NewTextHandler(&said, nil))})
	for seq := 1; seq <= 12; seq++ {
		if seq == 8 {
			log.RetryPartitions()
		}
		_, err := log.Append(t.Context(), incoming("/x", []byte(fmt.Sprint(seq))))
		if full := seq >= 10; full != errors.Is(err, eventstore.ErrUnavailable) || full != (err != nil) {
			t.Errorf("append %d, with room for 9: got %v", seq, err)
		}
		log.AwaitPartitions()
		if want := []int{0, 0, 0, 0, 5, 5, 5, 10, 10, 15, 20, 25}[seq-1]; asked() != want {
			t.Errorf("after append %d, the server was asked for %d partitions, want %d", seq, asked(), want)
		}
	}
	if first, err := log.AppendBatch(t.Context(), []eventstore.Incoming{incoming("/x", nil)}, nil); first != 0 || !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("a batch without room: got %d, %v", first, err)
	}
	if n := strings.Count(said.String(), "ahead of time"); n != 2 {
		t.Errorf("it says %d times that it can't add partitions ahead of time, want 2: %s", n, said.String())
	}
	must.Get(pool.Exec(t.Context(), `DELETE FROM log.refusal`))(t)
	for seq := int64(10); seq <= 15; seq++ {
		if seq == 15 {
			log.RetryPartitions()
		}
		mustAppend(t, log, incoming("/x", fmt.Append(nil, seq)))
	}
	log.AwaitPartitions()
	if end := partitionEnd(t, pool); end != 30 {
		t.Errorf("partitions end at %d, want half a partition ahead of event 15", end)
	}
	checkWhole(t, log)
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
	superuser := pgtest.Connect(t, pgtest.AdminURL(t))
	t.Cleanup(func() { must.Get(superuser.Exec(context.Background(), `DROP OWNED BY `+role+`; DROP ROLE `+role))(t) })
	must.Get(superuser.Exec(t.Context(), strings.NewReplacer("appender", role, "owner", pgx.Identifier{admin.Config().ConnConfig.User}.Sanitize()).Replace(`
		CREATE ROLE appender; GRANT appender TO owner; GRANT USAGE ON SCHEMA log TO appender; GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA log TO appender;
		GRANT UPDATE ON log.head TO appender;
		REVOKE EXECUTE ON FUNCTION pg_try_advisory_xact_lock(bigint), pg_try_advisory_lock(bigint) FROM PUBLIC -- as strata sql-role does`)))(t)
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
