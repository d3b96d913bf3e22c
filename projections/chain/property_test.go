package chain_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"strata/projections/chain"
	"strata/rig/foldtest"
	"strata/rig/forks"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestRestarts folds random histories of Stacks and Bitcoin forks in one batch, and again in batches of random sizes, with restarts
// between some. Both give the same steps and rows, and after each batch the memory is what would be read from the tables.
func TestRestarts(t *testing.T) {
	t.Parallel()
	for worker := range 2 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			pool := databases.NewFresh(t)
			n := 0
			rapid.Check(t, func(rt *rapid.T) {
				if n++; n%64 == 0 { // what is rolled back stays in the tables until then
					if _, err := pool.Exec(context.Background(), `VACUUM`); err != nil {
						rt.Fatal(err)
					}
				}
				testRestarts(t, rt, pool)
			})
		})
	}
}

func testRestarts(t *testing.T, rt *rapid.T, pool *pgxpool.Pool) {
	t.Helper()
	strange := rapid.SampledFrom([]int{0, 0, 10}).Draw(rt, "strange")
	items := replay.Decode(t, forks.Draw(rt, strange))
	rule := rapid.SampledFrom([]chain.Rule{chain.Recommended, chain.Recommended, chain.Reference}).Draw(rt, "rule")
	piece := rapid.SampledFrom([]int{4096, 3, 1}).Draw(rt, "piece")
	most := rapid.SampledFrom([]int{1, 2, 6}).Draw(rt, "events at once")
	restarts := rapid.IntRange(0, 2).Draw(rt, "restarts")
	fold := func(next func() (size int, restart bool)) (rows []string) {
		tx := replay.Begin(rt, pool)
		start := func() *chain.Chain {
			c, err := chain.New(rule, nil)
			if err != nil {
				rt.Fatal(err)
			}
			c.SetPiece(piece)
			return c
		}
		c := start()
		for position := 0; position < len(items); {
			size, restart := next()
			end := min(position+size, len(items))
			outcome, err := c.Fold(context.Background(), tx, int64(position), items[position:end])
			if err != nil {
				rt.Fatalf("fold events %d to %d: %v", position+1, end, err)
			}
			position = end - outcome.Left
			if err := c.CheckMemory(context.Background(), tx); err != nil {
				rt.Fatalf("after event %d, %d of which are left: %v", end, outcome.Left, err)
			}
			if restart {
				c = start()
			}
		}
		foldtest.Check(rt, tx, c)
		forks.CheckRules(rt, tx, rule == chain.Recommended && strange == 0)
		rows = replay.Texts(t, tx, allRows)
		replay.End(rt, tx)
		return rows
	}
	whole := fold(func() (int, bool) { return len(items), false })
	parts := fold(func() (int, bool) {
		return rapid.IntRange(1, most).Draw(rt, "size"), rapid.IntRange(0, 1).Draw(rt, "restart") < restarts
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
