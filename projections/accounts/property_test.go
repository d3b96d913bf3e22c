package accounts_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"strata/internal/synth/synthchain"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/chain"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestHistories folds random histories with forks in batches of random sizes, with restarts on the way. It compares
// the rows with those of the naive model, and with those of an instance that folded the canonical chain alone.
func TestHistories(t *testing.T) {
	t.Parallel()
	databases.New(t) // create the tables before the first history, which has a time limit
	rapid.Check(t, func(rt *rapid.T) {
		config := synthchain.Everything(rapid.Uint64().Draw(rt, "seed"), rapid.SampledFrom([]synthchain.Generation{
			synthchain.V205, synthchain.V21, synthchain.V25, synthchain.V30, synthchain.V3109, synthchain.V40,
		}).Draw(rt, "generation"))
		config.Maturity, config.SigningSample = 6, 1000
		config.MergedGenesis = config.Generation == synthchain.V205 && rapid.Bool().Draw(rt, "merged genesis")
		config.Accounts = rapid.SampledFrom([]int{8, 40}).Draw(rt, "accounts")
		config.ForkProbability = rapid.SampledFrom([]float64{0.1, 0.4}).Draw(rt, "forks")
		config.BitcoinReorgProbability = rapid.SampledFrom([]float64{0, 0.08}).Draw(rt, "Bitcoin forks")
		generator := synthchain.New(config)
		posts := make([]replay.Post, rapid.IntRange(20, 350).Draw(rt, "posts"))
		for i := range posts {
			posts[i] = generator.Next()
		}
		tx := begin(t)
		defer func() { _ = tx.Rollback(context.Background()) }()
		steps := stepsOf(t, tx, posts)
		random := rand.New(rand.NewPCG(config.Seed, 1))
		most := rapid.SampledFrom([]int{1, 5, 60}).Draw(rt, "steps at once")
		fold(t, tx, steps, func() int { return 1 + random.IntN(most) }, random.IntN(3) == 0)
		checkAll(t, tx, steps, posts)
		got := dump(t, tx)

		// The canonical blocks alone, all at once.
		begun, err := tx.Begin(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		empty(t, tx)
		alone := canonical(steps)
		for i := range alone {
			alone[i].Number = int64(i + 1)
		}
		fold(t, begun, alone, func() int { return len(alone) }, false)
		if want := dump(t, begun); !slices.Equal(got, want) {
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					rt.Fatalf("got  %s\nwant %s", got[i], want[i])
				}
			}
			rt.Fatalf("got %d rows, want %d", len(got), len(want))
		}
		if err := begun.Rollback(t.Context()); err != nil {
			rt.Fatal(err)
		}

		// No row is left when all blocks are reverted.
		last := int64(len(steps))
		var back []projections.Step
		for _, step := range slices.Backward(canonical(steps)) {
			last++
			step.Kind, step.Block, step.Number = projections.Revert, nil, last
			back = append(back, step)
		}
		projection := accounts.New()
		if _, err := projection.Fold(t.Context(), tx, int64(len(steps)), back); err != nil {
			rt.Fatal(err)
		}
		if left := dump(t, tx); len(left) > 0 {
			rt.Fatalf("%d rows are left after all reverts, such as %s", len(left), left[0])
		}
		if t.Failed() {
			rt.FailNow()
		}
	})
}

var allTables = []string{"block", "transaction", "account", "account_transaction", "account_event", "contract_event", "contract_topic", "deployment", "miner_reward"}

func empty(t testing.TB, tx pgx.Tx) {
	t.Helper()
	for _, table := range allTables {
		if _, err := tx.Exec(context.Background(), schemas.In(`DELETE FROM {accounts}.`)+table); err != nil {
			t.Fatal(err)
		}
	}
}

// dump returns all rows of all tables, with all columns.
func dump(t testing.TB, tx pgx.Tx) (rows []string) {
	t.Helper()
	for _, table := range allTables {
		list := replay.Texts(t, tx, fmt.Sprintf(schemas.In(`SELECT '%[1]s ' || row_to_json(r)::text FROM {accounts}.%[1]s r`), table))
		slices.Sort(list)
		rows = append(rows, list...)
	}
	return rows
}

// fold folds steps in batches.
func fold(t testing.TB, tx pgx.Tx, steps []projections.Step, size func() int, forget bool) {
	t.Helper()
	projection := accounts.New()
	projection.Limit(size() * 4) // so that it drops its memory now and then
	for after := 0; after < len(steps); {
		end := min(after+size(), len(steps))
		if _, err := projection.Fold(context.Background(), tx, int64(after), steps[after:end]); err != nil {
			t.Fatal(err)
		}
		after = end
		if forget {
			projection.Forget()
		}
	}
}

// stepsOf folds posts with chain and returns the steps.
func stepsOf(t testing.TB, tx pgx.Tx, posts []replay.Post) []projections.Step {
	t.Helper()
	c, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	items := replay.Decode(t, posts)
	if _, err := c.Fold(context.Background(), tx, 0, items); err != nil {
		t.Fatal(err)
	}
	rows, err := tx.Query(context.Background(), schemas.In(`SELECT step, kind, height, index_block_hash, block_seq, source_seq FROM {chain}.step ORDER BY step`))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (projections.Step, error) {
		var s projections.Step
		err := row.Scan(&s.Number, &s.Kind, &s.Height, &s.IndexBlockHash, &s.BlockSeq, &s.SourceSeq)
		if s.Kind == projections.Apply {
			s.Block = items[s.BlockSeq-1].Block
		}
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// canonical returns the steps that apply the blocks which are not reverted later.
func canonical(steps []projections.Step) (left []projections.Step) {
	for _, step := range steps {
		switch step.Kind {
		case projections.Apply:
			left = append(left, step)
		case projections.Revert:
			left = left[:len(left)-1]
		}
	}
	return left
}

// checkAll compares the tables with the model, runs the checks, and returns the number of rows of each kind.
func checkAll(t testing.TB, tx pgx.Tx, steps []projections.Step, posts []replay.Post) map[string]int {
	t.Helper()
	model := newNaiveModel(t)
	for _, step := range canonical(steps) {
		model.block(step.BlockSeq, posts[step.BlockSeq-1])
	}
	counts := model.compare(tx)
	check(t, tx)
	return counts
}

// TestVariety checks that histories like those of TestHistories have rows in every list.
func TestVariety(t *testing.T) {
	t.Parallel()
	tx := begin(t)
	config := synthchain.Everything(5, synthchain.V40)
	config.SigningSample = 1000
	config.Mix = synthchain.DefaultMix()
	config.Mix.Print *= 4
	generator := synthchain.New(config)
	posts := make([]replay.Post, 400)
	for i := range posts {
		posts[i] = generator.Next()
	}
	steps := stepsOf(t, tx, posts)
	if len(canonical(steps)) == len(steps) {
		t.Error("the history has no reverts")
	}
	fold(t, tx, steps, func() int { return 7 }, false)
	for what, n := range checkAll(t, tx, steps, posts) {
		if n < 50 && (what != "deployments" || n < 20) {
			t.Errorf("%s: only %d", what, n)
		}
	}
	for what, query := range map[string]string{
		"sponsors":              schemas.In(`SELECT count(*)::text FROM {accounts}.account_transaction WHERE involvement & 2 <> 0`),
		"calls":                 schemas.In(`SELECT count(*)::text FROM {accounts}.account_transaction WHERE involvement & 8 <> 0`),
		"inbound transfers":     schemas.In(`SELECT count(transfer_type)::text FROM {accounts}.account_event`),
		"locks":                 schemas.In(`SELECT count(*)::text FROM {accounts}.account_event WHERE kind = 10`),
		"topics":                schemas.In(`SELECT count(*)::text FROM {accounts}.contract_topic`),
		"operations of Bitcoin": schemas.In(`SELECT count(*)::text FROM {accounts}.transaction JOIN {chain}.transaction c USING (source_seq, tx_index) WHERE c.type_id IS NULL AND type IS NOT NULL`),
	} {
		if got := replay.Texts(t, tx, query)[0]; got == "0" {
			t.Errorf("there are no %s", what)
		}
	}
}

// TestRecordings folds recordings of nodes and compares the tables with the model.
func TestRecordings(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"epoch-3-transition", "mainnet-block0", "mainnet-reorg-scenario1", "mocknet", "regtest-env-pox-4-stack-stx-in-reward-phase-S1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			posts := replay.Recording(t, name+".tsv.gz")
			tx := begin(t)
			steps := stepsOf(t, tx, posts)
			fold(t, tx, steps, func() int { return 1 }, false)
			counts := checkAll(t, tx, steps, posts)
			if counts["transactions"] == 0 || counts["accounts"] == 0 {
				t.Errorf("got %v", counts)
			}
			if name == "mainnet-block0" {
				return
			}
			if got := replay.Texts(t, tx, schemas.In(`SELECT count(*)::text FROM {accounts}.account_event`))[0]; got == "0" {
				t.Error("no account has an event")
			}
		})
	}
}
