package balances_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/internal/synth/synthchain"
	"strata/projections"
	"strata/projections/balances"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestTouched checks that a step touches every account and block that it changes: also an account whose lock ends
// because the Bitcoin height grows, or whose lock is in force again because of a revert.
func TestTouched(t *testing.T) {
	t.Parallel()
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V25, synthchain.V40} {
		t.Run(generation.String(), func(t *testing.T) {
			t.Parallel()
			tx, err := databases.New(t).Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
			config := synthchain.Everything(11, generation)
			config.Maturity, config.SigningSample, config.Accounts, config.RewardCycle = 6, 1000, 16, 6
			config.ForkProbability, config.BitcoinReorgProbability = 0.2, 0.05
			generator := synthchain.New(config)
			posts := make([]replay.Post, 600)
			for i := range posts {
				posts[i] = generator.Next()
			}
			steps := stepsOf(t, tx, posts)
			checkForked(t, tx)
			projection := balances.New(nil)
			before, named, quiet, ended := map[string]string{}, 0, 0, 0
			for i, step := range steps {
				outcome, err := projection.Fold(t.Context(), tx, int64(i), []projections.Step{step})
				if err != nil {
					t.Fatal(err)
				}
				now := answers(t, tx)
				changed := map[string]bool{}
				for name := range maps.Keys(before) {
					changed[name] = before[name] != now[name]
				}
				for name := range maps.Keys(now) {
					changed[name] = before[name] != now[name]
				}
				inBlock := replay.Texts(t, tx, schemas.In(`
					SELECT account FROM {balances}.ledger WHERE height = $1
					UNION SELECT account FROM {balances}.stx_lock WHERE height = $1`), step.Height)
				for name, changed := range changed {
					if account, ok := strings.CutPrefix(name, shard.Account("")); ok && changed && step.Kind == projections.Apply && !slices.Contains(inBlock, account) {
						ended++ // its lock has ended, and nothing else happened to the account
					}
					if changed && !outcome.Touched.Includes(name) {
						t.Errorf("step %d, %s of block %d: %q was %s and is %s, but is not touched", step.Number, step.Kind, step.Height, name, before[name], now[name])
					}
				}
				if outcome.Touched != nil {
					named++
					if !outcome.Touched.Includes(shard.Account("nobody")) {
						quiet++
					}
				}
				before = now
			}
			if t.Failed() {
				return
			}
			if named < len(steps)*3/4 || quiet < named*9/10 {
				t.Errorf("of %d steps, %d list what they touch, and %d touch only that", len(steps), named, quiet)
			}
			if ended == 0 {
				t.Error("no lock ended in this history")
			}
		})
	}
}

// answers returns a summary of each account and each block at the tip, by the shard names that readers use.
func answers(t *testing.T, tx pgx.Tx) map[string]string {
	t.Helper()
	summaries := map[string]string{}
	rows, err := tx.Query(t.Context(), schemas.In(`
		WITH tip AS (
			SELECT * FROM {balances}.block ORDER BY height DESC LIMIT 1
		), lock AS (
			SELECT DISTINCT ON (account) account,
			       amount > 0 AND unlock_height > tip.burn_block_height AND NOT coalesce(tip.burn_block_height >= CASE pox_version
			           WHEN 1 THEN pox_v1_unlock_height WHEN 2 THEN pox_v2_unlock_height
			           WHEN 3 THEN pox_v3_unlock_height WHEN 4 THEN pox_v4_unlock_height END, false) AS in_force,
			       l.source_seq
			FROM {balances}.stx_lock l CROSS JOIN tip
			ORDER BY account, l.height DESC, position DESC
		)
		SELECT account, concat_ws(' ', (
		           SELECT string_agg(concat_ws(':', asset, n, balance, source_seq), ' ' ORDER BY asset) FROM {balances}.holding h WHERE h.account = account.account
		       ), lock.in_force, CASE WHEN lock.in_force THEN lock.source_seq END)
		FROM (SELECT account FROM {balances}.holding UNION SELECT account FROM {balances}.stx_lock) account
		LEFT JOIN lock USING (account)`))
	if err != nil {
		t.Fatal(err)
	}
	var name, summary string
	if _, err := pgx.ForEachRow(rows, []any{&name, &summary}, func() error {
		summaries[shard.Account(name)] = summary
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	rows, err = tx.Query(t.Context(), schemas.In(`SELECT height, index_block_hash, block_hash FROM {balances}.block`))
	if err != nil {
		t.Fatal(err)
	}
	var height int64
	var id, block hash.Hash32
	if _, err := pgx.ForEachRow(rows, []any{&height, &id, &block}, func() error {
		summaries[shard.Height(height)] = string(id[:])
		summaries[shard.Block(id)], summaries[shard.Block(block)] = "canonical", "canonical"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return summaries
}
