package eventstore_test

import (
	"context"
	"fmt"
	"math/bits"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
)

// leap moves the head of a log forward to a size, as if events had been appended, whose rows nobody here reads.
func leap(t testing.TB, pool *pgxpool.Pool, size int64) {
	t.Helper()
	frontier := make([]byte, 32*bits.OnesCount64(uint64(size)))
	must.Get(pool.Exec(context.Background(), `UPDATE log.head SET size = $1, frontier = $2 WHERE size <> $1`, size, frontier))(t)
}

// home returns where the bytes of an event are.
func home(t testing.TB, pool *pgxpool.Pool, seq int64) int64 {
	t.Helper()
	return pgtest.Value[int64](t, pool, `
		SELECT h.seq FROM log.event e JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq) AND h.body IS NOT NULL AND h.sha256 = e.sha256
		WHERE e.seq = $1`, seq)
}

// A small body is found again among the newest 262,144 events at least, a large one for ever, whichever way they come.
func TestKnownBodies(t *testing.T) {
	t.Parallel()
	const span = 1 << 18
	small, large := []byte(`{"n":1}`), noise(16<<10, 1)
	for name, add := range map[string]func(*eventstore.Log, eventstore.Incoming) int64{
		"Append":      func(log *eventstore.Log, in eventstore.Incoming) int64 { return mustAppend(t, log, in) },
		"AppendBatch": func(log *eventstore.Log, in eventstore.Incoming) int64 { return mustAppendBatch(t, log, in) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := migrated.New(t)
			// A log of its own for each step, because the head moves behind its back.
			at := func(size int64, body []byte) int64 {
				leap(t, pool, size)
				return home(t, pool, add(openLog(t, pool, eventstore.Config{}), incoming("/x", body)))
			}
			for _, step := range []struct {
				what string
				size int64
				body []byte
				want int64
			}{
				{"first", 100, small, 101},
				{"first large", 200, large, 201},
				{"again", 300, small, 101},
				{"in the next span", 2*span - 2, small, 101},
				{"large in the next span", 2*span - 1, large, 201}, // its position is 2*span, the first of the span after that
				{"two spans later", 2*span + 1, small, 2*span + 2},
				{"again after that", 2*span + 2, small, 2*span + 2},
				{"large, two spans later", 2*span + 3, large, 201},
			} {
				if got := at(step.size, step.body); got != step.want {
					t.Errorf("%s: the bytes of event %d are at %d, want %d", step.what, step.size+1, got, step.want)
				}
			}
			// Equal bodies of a batch across the border of spans are stored once, whether they are known or not.
			other := []byte(`{"n":2}`)
			leap(t, pool, 3*span-3)
			log := openLog(t, pool, eventstore.Config{})
			var first int64
			if name == "AppendBatch" {
				var batch []eventstore.Incoming
				for _, body := range [][]byte{small, other, small, other, small, other} {
					batch = append(batch, incoming("/x", body))
				}
				first = mustAppendBatch(t, log, batch...)
			} else {
				first = 3*span - 2
				concurrently(t, 6, func(i int) { mustAppend(t, log, incoming("/x", [][]byte{small, other}[i%2])) })
			}
			homes := map[int64]int{}
			for seq := first; seq < first+6; seq++ {
				homes[home(t, pool, seq)]++
			}
			if len(homes) != 2 || homes[2*span+2] != 3 {
				t.Errorf("the bytes of six events with two bodies are at %v, want three at %d and three at one other", homes, 2*span+2)
			}
			if wrong := pgtest.Value[int](t, pool, `
				SELECT count(*) FROM log.event e WHERE e.body_seq IS NULL AND NOT EXISTS (
					SELECT FROM log.body b WHERE b.seq = e.seq AND b.sha256 = e.sha256 AND e.size >= 16384
					UNION ALL SELECT FROM log.small_body b WHERE b.seq = e.seq AND b.sha256 = e.sha256 AND e.size < 16384)`); wrong != 0 {
				t.Errorf("%d bodies are not recorded", wrong)
			}
		})
	}
}

// The plan of a look-up touches the newest spans only, however many rows there are.
func TestKnownBodiesByIndex(t *testing.T) {
	short.Skip(t, "fills a large table")
	t.Parallel()
	pool := migrated.New(t)
	must.Get(pool.Exec(t.Context(), `INSERT INTO log.small_body (span, seq, sha256) SELECT n >> 18, n, sha256(convert_to(n::text, 'UTF8')) FROM generate_series(1, 600000) n`))(t)
	leap(t, pool, 700_000)
	writers := must.Get(pgxpool.New(t.Context(), migrated.URL(t)))(t)
	log := eventstore.Open(writers, eventstore.Config{})
	for i := range 20 {
		mustAppend(t, log, incoming("/x", fmt.Appendf(nil, "one %d", i)))
		mustAppendBatch(t, log, incoming("/x", fmt.Appendf(nil, "batch %d", i)), incoming("/x", fmt.Appendf(nil, "more %d", i)))
	}
	concurrently(t, 20, func(i int) { mustAppend(t, log, incoming("/x", fmt.Appendf(nil, "together %d", i))) })
	log.Close()
	writers.Close() // sessions that end report what they have read
	var lookups, scans, read int64
	eventually.Holds(t, "the index was searched", func() bool {
		must.Do(t, pool.QueryRow(t.Context(), `SELECT idx_scan, seq_scan, seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relid = 'log.small_body'::regclass`).Scan(&lookups, &scans, &read))
		return lookups >= 40
	})
	if scans != 0 || read > 1000 {
		t.Errorf("small bodies were looked up by %d searches of the index and %d scans of the table, and %d rows were read", lookups, scans, read)
	}
}
