package balances_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/shard"
	"strata/internal/synth/synthchain"
	"strata/projections"
	"strata/rig/replay"
)

// TestTouched checks that a step touches every account and block that it changes: also an account whose lock ends
// because the Bitcoin height grows, or whose lock is in force again because of a revert.
func TestTouched(t *testing.T) {
	t.Parallel()
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V25, synthchain.V40} {
		t.Run(generation.String(), func(t *testing.T) {
			t.Parallel()
			config := synthchain.Everything(11, generation)
			config.Maturity, config.SigningSample, config.Accounts, config.RewardCycle = 6, 1000, 16, 6
			config.ForkProbability, config.BitcoinReorgProbability = 0.2, 0.05
			generator := synthchain.New(config)
			posts := replay.Take(600, generator.Next)
			ended := 0
			rig.CheckTouched(t, posts, answers, func(tx pgx.Tx, step projections.Step, shards []string) {
				inBlock := rig.Texts(t, tx, `
					SELECT account FROM {schema}.ledger WHERE height = $1
					UNION SELECT account FROM {schema}.stx_lock WHERE height = $1`, step.Height)
				for _, name := range shards {
					if account, ok := strings.CutPrefix(name, shard.Account("")); ok && step.Kind == projections.Apply && !slices.Contains(inBlock, account) {
						ended++ // its lock has ended, and nothing else happened to the account
					}
				}
			})
			if ended == 0 {
				t.Error("no lock ended in this history")
			}
		})
	}
}

// answers selects a summary of each account at the tip.
const answers = `
	WITH tip AS (
		SELECT * FROM {schema}.block ORDER BY height DESC LIMIT 1
	), lock AS (
		SELECT DISTINCT ON (account) account,
		       amount > 0 AND unlock_height > tip.burn_block_height AND NOT coalesce(tip.burn_block_height >= CASE pox_version
		           WHEN 1 THEN pox_v1_unlock_height WHEN 2 THEN pox_v2_unlock_height
		           WHEN 3 THEN pox_v3_unlock_height WHEN 4 THEN pox_v4_unlock_height END, false) AS in_force,
		       l.source_seq
		FROM {schema}.stx_lock l CROSS JOIN tip
		ORDER BY account, l.height DESC, position DESC
	)
	SELECT account, concat_ws(' ', (
	           SELECT string_agg(concat_ws(':', asset, n, balance, source_seq), ' ' ORDER BY asset) FROM {schema}.holding h WHERE h.account = account.account
	       ), lock.in_force, CASE WHEN lock.in_force THEN lock.source_seq END)
	FROM (SELECT account FROM {schema}.holding UNION SELECT account FROM {schema}.stx_lock) account
	LEFT JOIN lock USING (account)`
