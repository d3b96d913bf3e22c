package chain_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgfault"
	"strata/projections/chain"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/forks"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestRestarts folds random histories of Stacks and Bitcoin forks in one batch, and again in batches of random sizes, with restarts
// between some, and folds that fail. Both give the same steps and rows, and after each batch the memory is what would be read from
// the tables.
func TestRestarts(t *testing.T) {
	t.Parallel()
	for worker := range 2 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			pool, fault := pgfault.New(t, databases.NewFresh(t), pgfault.Refused)
			n := 0
			rapid.Check(t, func(rt *rapid.T) {
				if n++; n%64 == 0 { // what is rolled back stays in the tables until then
					must.Get(pool.Exec(context.Background(), `VACUUM`))(rt)
				}
				testRestarts(t, rt, pool, fault)
			})
		})
	}
}

func testRestarts(t *testing.T, rt *rapid.T, pool *pgxpool.Pool, fault *pgfault.Fault) {
	t.Helper()
	strange := rapid.SampledFrom([]int{0, 0, 10}).Draw(rt, "strange")
	items := replay.Decode(t, forks.Draw(rt, strange))
	rule := rapid.SampledFrom([]chain.Rule{chain.Recommended, chain.Recommended, chain.Reference}).Draw(rt, "rule")
	piece := rapid.SampledFrom([]int{4096, 3, 1}).Draw(rt, "piece")
	cache := rapid.SampledFrom([]int{1 << 14, 4, 0}).Draw(rt, "cache")
	most := rapid.SampledFrom([]int{1, 2, 6}).Draw(rt, "events at once")
	restarts := rapid.IntRange(0, 2).Draw(rt, "restarts")
	skips := rapid.IntRange(0, 3).Draw(rt, "skips") == 0
	fold := func(next func() (size int, restart bool, failing int)) (rows []string) {
		tx := replay.Begin(rt, pool)
		start := func() *chain.Chain {
			c := must.Get(chain.New(rule, nil))(rt)
			c.SetPiece(piece)
			c.SetCache(cache)
			return c
		}
		c, skipped, steps := start(), false, int64(0)
		for position := 0; position < len(items); {
			size, restart, failing := next()
			end := min(position+size, len(items))
			if failing > 0 {
				replay.InTx(rt, tx, func(attempt pgx.Tx) {
					var err error
					_, failed, _ := fault.During(failing, func() { _, err = c.Fold(context.Background(), attempt, int64(position), items[position:end]) })
					if failed != (err != nil) {
						rt.Fatalf("fold events %d to %d: request %d fails: %t, the fold: %v", position+1, end, failing, failed, err)
					}
				})
				c.Forget()
			}
			outcome, err := c.Fold(context.Background(), tx, int64(position), items[position:end])
			if err != nil {
				rt.Fatalf("fold events %d to %d: %v", position+1, end, err)
			}
			for _, step := range c.Written() {
				if steps++; step.Number != steps {
					rt.Fatalf("step %d is told of as number %d", steps, step.Number)
				}
			}
			position = end - outcome.Left
			switch {
			case outcome.Left == 0:
				skipped = false
			case skips && !skipped && end < len(items):
				// As if an operator let the projection skip the event in the middle: what it has led to goes on.
				skipped = true
				position++
			}
			if err := c.CheckMemory(context.Background(), tx); err != nil {
				rt.Fatalf("after event %d, %d of which are left: %v", end, outcome.Left, err)
			}
			if restart {
				c = start()
			}
		}
		if all := replay.Texts(rt, tx, schemas.In(`SELECT count(*)::text FROM {chain}.step`)); all[0] != fmt.Sprint(steps) {
			rt.Errorf("there are %s steps, and %d are told of", all[0], steps)
		}
		checkSteps(rt, tx)
		foldtest.Check(rt, tx, c)
		forks.CheckRules(rt, tx, rule == chain.Recommended && strange == 0)
		rows = replay.Texts(t, tx, allRows)
		replay.End(rt, tx)
		return rows
	}
	whole := fold(func() (int, bool, int) { return len(items), false, 0 })
	parts := fold(func() (int, bool, int) {
		failing := rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 3, 4, 6, 9, 14, 20}).Draw(rt, "failing")
		return rapid.IntRange(1, most).Draw(rt, "size"), rapid.IntRange(0, 1).Draw(rt, "restart") < restarts, failing
	})
	for _, difference := range []struct {
		what      string
		has, have []string
	}{{"in one batch only", whole, parts}, {"in parts only", parts, whole}} {
		for _, row := range difference.has {
			if !slices.Contains(difference.have, row) {
				rt.Errorf("%s: %s", difference.what, row)
			}
		}
	}
}

// allRows selects all rows that the fold may write.
var allRows = func() (query string) {
	for _, table := range []string{"block", "canonical", "step", "burn_block", "gap", "narrow_copy", "unfinished", "transaction"} {
		query += fmt.Sprintf(`SELECT '%[1]s ' || r::text FROM {chain}.%[1]s r UNION ALL `, table)
	}
	return schemas.In(query) + `SELECT 'quarantine ' || seq || pointer FROM strata.quarantine`
}()

// What a batch refers to is looked up at once, and at the tip nothing is: the number of requests does not grow with the events.
func TestRequests(t *testing.T) {
	t.Parallel()
	pool, fault := pgfault.New(t, databases.NewFresh(t), pgfault.Refused)
	posts := []replay.Post{genesis(), stacks("a1", body.Genesis, "101a")}
	for i := 2; i <= 40; i++ {
		posts = append(posts, bitcoin(fmt.Sprintf("%da", 100+i), fmt.Sprintf("%da", 99+i)), stacks(fmt.Sprintf("a%d", i), fmt.Sprintf("a%d", i-1), fmt.Sprintf("%da", 100+i)))
	}
	items := replay.Decode(t, slices.Concat(posts, posts, []replay.Post{stacks("b41", "a40", "141b"), bitcoin("141a", "140a"), stacks("b42", "a40", "141a")}))
	for size, want := range map[int]int{1: 371, 6: 117} {
		replay.InTx(t, pool, func(tx pgx.Tx) {
			batches := 0
			got, _, _ := fault.During(0, func() {
				foldAll(t, tx, chain.Recommended, items, func() (int, bool) { batches++; return size, batches%10 == 0 })
			})
			if got != want {
				t.Errorf("%d at a time, %d events lead to %d requests, want %d", size, len(items), got, want)
			}
		})
	}
}
