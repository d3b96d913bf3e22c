package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/rig/replay"
)

// Reads that are sent together get what they asked for, each its own; one that fails is the only one that does.
func TestCombiner(t *testing.T) {
	t.Parallel()
	pool := replay.Databases.New(t)
	c := newCombiner(pool)
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(5, uint64(i)))
			for n := range 50 {
				want := i*1000 + n
				fails := random.IntN(20) == 0
				sql := `SELECT $1::int, pg_backend_pid()`
				if fails {
					sql = `SELECT $1::int / 0, pg_backend_pid()`
				}
				if random.IntN(100) == 0 {
					sql += `, pg_sleep(0.01)`
				}
				var got []int
				read := func(rows pgx.Rows) error {
					got = nil
					for rows.Next() {
						values, err := rows.Values()
						if err != nil {
							return err
						}
						got = append(got, int(values[0].(int32)))
					}
					return rows.Err()
				}
				queries := []queuedQuery{{sql: sql, args: []any{want}, read: read}}
				if random.IntN(3) == 0 {
					queries = append([]queuedQuery{{sql: `SELECT 1`, read: func(rows pgx.Rows) error { rows.Close(); return rows.Err() }}}, queries...)
				}
				err := c.send(t.Context(), queries)
				switch {
				case fails && err == nil:
					t.Error("a read that fails got an answer")
				case !fails && err != nil:
					t.Errorf("a read that doesn't fail got %v", err)
				case !fails && (len(got) != 1 || got[0] != want):
					t.Errorf("got %v, want %d", got, want)
				}
			}
		})
	}
	wait.Wait()
	if c.trips != 0 || len(c.waiting) != 0 {
		t.Errorf("in the end %d round trips are under way, and %d reads wait", c.trips, len(c.waiting))
	}
}

// A slow read takes those along that were sent with it, and nobody else.
func TestCombinerPatience(t *testing.T) {
	t.Parallel()
	pool := replay.Databases.New(t)
	c := newCombiner(pool)
	nothing := func(rows pgx.Rows) error { rows.Close(); return rows.Err() }
	gate, err := pool.Begin(t.Context()) // slow reads take until it ends
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = gate.Rollback(context.WithoutCancel(t.Context())) }()
	must.Get(gate.Exec(t.Context(), `SELECT pg_advisory_xact_lock(1)`))(t)
	var slow sync.WaitGroup
	for range tripsMax {
		slow.Go(func() {
			if err := c.send(t.Context(), []queuedQuery{{sql: `SELECT pg_advisory_xact_lock_shared(1)`, read: nothing}}); err != nil {
				t.Error(err)
			}
		})
	}
	eventually.Holds(t, "slow reads are under way", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.trips == tripsMax && len(c.waiting) == 0
	})
	quick, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for n := range 10 {
		if err := c.send(quick, []queuedQuery{{sql: fmt.Sprintf(`SELECT %d`, n), read: nothing}}); err != nil {
			t.Errorf("a quick read beside slow ones: %v", err)
		}
	}
	must.Do(t, gate.Commit(t.Context()))
	slow.Wait()
}
