package accounts_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/internal/synth/synthchain"
	"strata/projections"
	"strata/projections/accounts"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestTouched checks that a step touches every account and block that it changes, and few others.
func TestTouched(t *testing.T) {
	t.Parallel()
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V40} {
		t.Run(generation.String(), func(t *testing.T) {
			t.Parallel()
			tx := begin(t)
			config := synthchain.Everything(11, generation)
			config.SigningSample, config.ForkProbability = 1000, 0.2
			generator := synthchain.New(config)
			posts := make([]replay.Post, 250)
			for i := range posts {
				posts[i] = generator.Next()
			}
			steps := stepsOf(t, tx, posts)
			projection := accounts.New()
			before, named, quiet, reverted := map[string]string{}, 0, 0, 0
			for i, step := range steps {
				outcome, err := projection.Fold(t.Context(), tx, int64(i), []projections.Step{step})
				if err != nil {
					t.Fatal(err)
				}
				now := answers(t, tx)
				for _, all := range []map[string]string{before, now} {
					for name := range all {
						if before[name] != now[name] && !outcome.Touched.Includes(name) {
							t.Errorf("step %d, %s of block %d: %q was %s and is %s, but is not touched", step.Number, step.Kind, step.Height, name, before[name], now[name])
						}
					}
				}
				if outcome.Touched != nil {
					named++
					if !outcome.Touched.Includes(shard.Account("nobody")) {
						quiet++
					}
				}
				if step.Kind == projections.Revert && outcome.Touched != nil {
					reverted++
				}
				before = now
			}
			if named < len(steps)*3/4 || quiet < named*9/10 || reverted == 0 {
				t.Errorf("of %d steps, %d list what they touch, %d of them reverts, and %d touch only that", len(steps), named, reverted, quiet)
			}
		})
	}
}

// TestTouchedByRecord checks that a record changes nothing.
func TestTouchedByRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.apply(block(1, alice.Did()))
	w.fold(projections.Step{Kind: projections.TakeRecord, Height: 1, BlockSeq: 2, SourceSeq: 2})
	if w.outcome.Touched == nil || w.outcome.Touched.Includes(shard.Account(alice.Address())) || w.outcome.Tip == nil || w.outcome.Tip.Height != 1 {
		t.Errorf("got %+v", w.outcome)
	}
}

// answers returns a summary of each account and each block, by the shard names that readers use.
func answers(t *testing.T, tx pgx.Tx) map[string]string {
	t.Helper()
	said := map[string]string{}
	rows, err := tx.Query(t.Context(), schemas.In(`
		SELECT account, concat_ws(' ', id, source_seq,
		       (SELECT concat(max(n), ':', max(source_seq)) FROM {accounts}.account_transaction WHERE account = id),
		       (SELECT concat(max(n), ':', max(source_seq)) FROM {accounts}.account_event WHERE account = id),
		       (SELECT concat(max(n), ':', max(source_seq)) FROM {accounts}.contract_event WHERE contract = id))
		FROM {accounts}.account`))
	if err != nil {
		t.Fatal(err)
	}
	var name, answer string
	if _, err := pgx.ForEachRow(rows, []any{&name, &answer}, func() error {
		said[shard.Account(name)] = answer
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	rows, err = tx.Query(t.Context(), schemas.In(`SELECT height, index_block_hash, block_hash FROM {accounts}.block`))
	if err != nil {
		t.Fatal(err)
	}
	var height int64
	var id, block hash.Hash32
	if _, err := pgx.ForEachRow(rows, []any{&height, &id, &block}, func() error {
		said[shard.Height(height)] = string(id[:])
		said[shard.Block(id)], said[shard.Block(block)] = "canonical", "canonical"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return said
}
