package follow_test

import (
	"testing"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/replay"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/brc20"
	"strata/projections/ft"
	"strata/projections/inscriptions"
	"strata/projections/internal/rig"
	"strata/projections/mempool"
	"strata/projections/nft"
	"strata/projections/ordinals"
	"strata/projections/pox"
	"strata/projections/sft"
)

// TestFoldsLookUp builds everything from a log with many forks, and expects that no fold reads a table or an index as a whole: what
// an event costs must not depend on how many came before it. The tables have no statistics while they are built.
func TestFoldsLookUp(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	made := rig.NewPosts(5)
	config := synthchain.Everything(5, synthchain.V3109)
	config.ForkProbability, config.BitcoinReorgProbability = 0.03, 0
	made.Chain = synthchain.New(config)
	replay.Append(t, log, made.Next(2500)...)
	stop := rig.Follow(t, log,
		projections.Chain(rig.Chain(t), accounts.New(), balances.New(nil), mempool.New(), pox.New(), ft.New(nil), sft.New(nil), nft.New(nil)),
		projections.Feed(ordinals.New(nil), inscriptions.New(nil), brc20.New()))
	replay.Wait(t, log)
	stop()
	onlyMe(t, log)

	// Making an index reads the table once. The list of steps is read by those that fold it, gap as a whole: it is empty,
	// and horizon: it has one row.
	const whole = `
		SELECT coalesce(string_agg(format('%s.%s %s times', t.schemaname, t.relname, t.seq_scan - i.n), ', '), '')
		FROM pg_stat_user_tables t
		CROSS JOIN LATERAL (SELECT count(*) AS n FROM pg_index i WHERE i.indrelid = t.relid) i
		WHERE t.schemaname ~ '_v[0-9]+$' AND t.seq_scan > i.n AND t.relname NOT IN ('step', 'gap', 'horizon')`
	if got := rig.Query[string](t, log, whole); got != "" {
		t.Errorf("tables were read as a whole: %s", got)
	}
	// Lists of inscriptions and operations are counted in parts. What the mempool forgets, or lets expire, it looks at once more, all of it.
	const wide = `
		SELECT coalesce(string_agg(format('%s.%s %s rows in %s looks', schemaname, indexrelname, idx_tup_read, idx_scan), ', ' ORDER BY idx_tup_read DESC), '')
		FROM pg_stat_user_indexes
		WHERE schemaname ~ '_v[0-9]+$' AND schemaname NOT IN ('inscriptions_v2', 'brc20_v1', 'pox_v1') AND relname NOT IN ('step', 'gap') AND indexrelname NOT IN ('mined_burn_height_idx', 'transaction_receipt_height_idx') AND idx_tup_read > 10 * idx_scan`
	if got := rig.Query[string](t, log, wide); got != "" {
		t.Errorf("many rows were read for each that was looked up: %s", got)
	}
}

// onlyMe waits until all other sessions have ended, and with that have told what they did.
func onlyMe(t *testing.T, log *eventstore.Log) {
	t.Helper()
	log.Pool().Reset()
	rig.Eventually(t, "all other sessions end", func() bool {
		return rig.Query[int](t, log, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`) == 0
	})
}
