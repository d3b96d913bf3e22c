package register

import (
	"context"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/shard"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

// TestSummarize lets versions change shards while processes summarize, which loses nothing and leaves few rows.
func TestSummarize(t *testing.T) {
	t.Parallel()
	const most, kept, rounds = 20, 5, 12
	pool := pgtest.Template("register", migrations.Up).New(t)
	random := rand.New(rand.NewPCG(1, 2))
	epochs, want := make([][16]byte, 3), make([]map[int32]int64, 3)
	for i, name := range []string{"busy", "quiet", "dropped"} {
		want[i] = map[int32]int64{}
		must.Do(t, pool.QueryRow(t.Context(), `INSERT INTO strata.projection (name, version, input) VALUES ($1, 1, 'log') RETURNING epoch`, name).Scan(&epochs[i]))
	}
	position := int64(0)
	change := func(i int) {
		t.Helper()
		position += 1 + random.Int64N(3)
		list := make([]int32, 1+random.IntN(4))
		for j := range list {
			list[j] = random.Int32N(9) * random.Int32N(shard.Count/9)
			want[i][list[j]] = position
		}
		must.Get(pool.Exec(t.Context(), `INSERT INTO strata.change (epoch, position, shards) VALUES ($1, $2, $3)`, epochs[i], position, shard.Encode(list)))(t)
	}
	change(1)
	change(2)
	for round := range rounds {
		for range random.IntN(2 * most) {
			change(0)
		}
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() {
				if err := summarize(context.WithoutCancel(t.Context()), pool, most, kept); err != nil {
					t.Error(err)
				}
			})
		}
		for range 3 {
			change(0)
		}
		wait.Wait()
		if round == 0 {
			must.Get(pool.Exec(t.Context(), `DELETE FROM strata.projection WHERE name = 'dropped'`))(t)
			clear(want[2])
		}
	}
	must.Do(t, summarize(t.Context(), pool, most, kept))
	for i, epoch := range epochs {
		got, rows := changed(t, pool, epoch)
		if !maps.Equal(got, want[i]) {
			t.Errorf("version %d: shards last changed at %v, want %v", i, got, want[i])
		}
		if rows > most {
			t.Errorf("version %d: %d changes are left, want %d at most", i, rows, most)
		}
	}
}

// changed reads when each shard of a version last changed, and how many rows its journal has.
func changed(t *testing.T, pool *pgxpool.Pool, epoch [16]byte) (at map[int32]int64, rows int) {
	t.Helper()
	at = map[int32]int64{}
	var summary []byte
	var until int64
	err := pool.QueryRow(t.Context(), `SELECT position, positions FROM strata.change_summary WHERE epoch = $1`, epoch).Scan(&until, &summary)
	if err == nil {
		var positions [shard.Count]int64
		must.Do(t, shard.DecodePositions(summary, &positions))
		for s, p := range positions {
			if p > until {
				t.Errorf("shard %d changed at %d, after the end of the summary, %d", s, p, until)
			}
			if p > 0 {
				at[int32(s)] = p
			}
		}
	}
	list, _ := pool.Query(t.Context(), `SELECT position, shards FROM strata.change WHERE epoch = $1 ORDER BY position`, epoch)
	var position int64
	var encoded []byte
	must.Get(pgx.ForEachRow(list, []any{&position, &encoded}, func() error {
		rows++
		if position <= until {
			t.Errorf("the change at %d is in the summary, which goes to %d, and in the journal", position, until)
		}
		shards, err := shard.Decode(encoded)
		for _, s := range shards {
			at[s] = position
		}
		return err
	}))(t)
	return at, rows
}

// TestTend summarizes at the first call, and then only after many moves.
func TestTend(t *testing.T) {
	t.Parallel()
	pool := pgtest.Template("register", migrations.Up).New(t)
	fill := func() {
		t.Helper()
		_, err := pool.Exec(t.Context(), `
			WITH version AS (
				INSERT INTO strata.projection (name, version, input) VALUES ('busy', 1, 'log') ON CONFLICT (name, version) DO UPDATE SET input = 'log' RETURNING epoch
			)
			INSERT INTO strata.change (epoch, position, shards)
			SELECT epoch, (SELECT coalesce(max(position), 0) FROM strata.change) + i, '\x0001' FROM version, generate_series(1, $1) i`, journalMax)
		if err != nil {
			t.Fatal(err)
		}
	}
	j := &Journal{}
	rows := func(want int) {
		t.Helper()
		must.Do(t, j.Compact(t.Context(), pool))
		var got int
		if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM strata.change`).Scan(&got); err != nil || got != want {
			t.Errorf("the journal has %d rows, want %d (%v)", got, want, err)
		}
	}
	fill()
	rows(journalMax) // as many as it may have
	fill()
	rows(2 * journalMax)
	for range journalMax - journalKept {
		j.Moved()
	}
	rows(journalKept)
	fill()
	rows(journalMax + journalKept)
	rows(journalMax + journalKept)
	j = &Journal{} // of a process that starts
	rows(journalKept)
}
