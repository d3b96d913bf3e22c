package accounts_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/accounts"
	"strata/rig/foldtest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestHistories folds random histories with forks in batches of random sizes, with restarts on the way. It compares
// the rows with those of the naive model, and with those of an instance that folded the canonical chain alone.
func TestHistories(t *testing.T) {
	t.Parallel()
	rig.Databases.New(t) // create the tables before the first history, which has a time limit
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
		posts := replay.Take(rapid.IntRange(20, 350).Draw(rt, "posts"), generator.Next)
		tx := rig.Begin(t)
		defer func() { _ = tx.Rollback(context.Background()) }()
		steps := rig.Steps(t, tx, posts)
		random := rand.New(rand.NewPCG(config.Seed, 1))
		most := rapid.SampledFrom([]int{1, 5, 60}).Draw(rt, "steps at once")
		fold(t, tx, steps, func() int { return 1 + random.IntN(most) }, random.IntN(3) == 0)
		checkAll(t, tx, steps, posts)
		got := rig.Dump(t, tx)

		if _, err := accounts.New().Fold(t.Context(), tx, int64(len(steps)), foldtest.Back(steps)); err != nil {
			rt.Fatal(err)
		}
		foldtest.Same(rt, "everything reverted", rig.Dump(rt, tx), nil)

		alone := foldtest.Canonical(steps)
		for i := range alone {
			alone[i].Number = int64(i + 1)
		}
		fold(t, tx, alone, func() int { return len(alone) }, false)
		foldtest.Same(rt, "the canonical blocks alone, at once", rig.Dump(rt, tx), got)
		if t.Failed() {
			rt.FailNow()
		}
	})
}

// fold folds steps in batches.
func fold(t testing.TB, tx pgx.Tx, steps []projections.Step, size func() int, forget bool) {
	t.Helper()
	projection := accounts.New()
	projection.Limit(size() * 4) // so that it drops its memory now and then
	for after := 0; after < len(steps); {
		end := min(after+size(), len(steps))
		must.Get(projection.Fold(context.Background(), tx, int64(after), steps[after:end]))(t)
		after = end
		if forget {
			projection.Forget()
		}
	}
}

// checkAll compares the tables with the model, runs the checks, and returns the number of rows of each kind.
func checkAll(t testing.TB, tx pgx.Tx, steps []projections.Step, posts []replay.Post) map[string]int {
	t.Helper()
	model := newNaiveModel(t)
	for _, step := range foldtest.Canonical(steps) {
		model.block(step.BlockSeq, posts[step.BlockSeq-1])
	}
	counts := model.compare(tx)
	rig.Check(t, tx)
	return counts
}

// TestVariety checks that histories like those of TestHistories have rows in every list.
func TestVariety(t *testing.T) {
	t.Parallel()
	tx := rig.Begin(t)
	config := synthchain.Everything(5, synthchain.V40)
	config.SigningSample = 1000
	config.Mix = synthchain.DefaultMix()
	config.Mix.Print *= 4
	generator := synthchain.New(config)
	posts := replay.Take(400, generator.Next)
	steps := rig.Steps(t, tx, posts)
	if len(foldtest.Canonical(steps)) == len(steps) {
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
			tx := rig.Begin(t)
			steps := rig.Steps(t, tx, posts)
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
