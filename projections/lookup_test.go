package projections_test

import (
	"fmt"
	"strings"
	"testing"

	first "strata/domain/names"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/rig"
	"strata/rig/every"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestFoldsLookUp builds all projections from a log with many forks, and expects no fold to scan a whole table or
// index: the cost of an event must not depend on how many came before it. The tables have no statistics while they are
// built.
func TestFoldsLookUp(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	made := rig.NewPosts(5)
	config := synthchain.Everything(5, synthchain.V3109)
	config.ForkProbability, config.BitcoinReorgProbability = 0.03, 0
	config.Mix = synthchain.DefaultMix()
	config.Mix.Naming, config.Mix.Registry = 20, 20
	made.Chain = synthchain.New(config)
	replay.Append(t, log, made.Next(2500)...)
	replay.Append(t, log, stacks1(t, made.Chain.Expected().Names)...)
	stop := rig.Follow(t, log, every.Lines()...)
	replay.Wait(t, log)
	stop()
	waitForOtherSessions(t, log)

	// Making an index scans its table once, and so does packing it. The followers read the list of steps; gap is empty, and horizon has one
	// row. A process reads caller when it begins to fold.
	const whole = `
		SELECT coalesce(string_agg(format('%s.%s %s times', t.schemaname, t.relname, t.seq_scan - i.n), ', '), '')
		FROM pg_stat_user_tables t
		CROSS JOIN LATERAL (SELECT 2 * count(*) AS n FROM pg_index i WHERE i.indrelid = t.relid) i
		WHERE t.schemaname ~ '_v[0-9]+$' AND t.seq_scan > i.n AND t.relname NOT IN ('step', 'gap', 'horizon', 'caller')`
	if got := rig.Query[string](t, log, whole); got != "" {
		t.Errorf("whole tables were scanned: %s", got)
	}
	// Lists of inscriptions and operations are counted in parts. The mempool looks once more at everything that it
	// forgets, or lets expire. One look may be for many keys, so small numbers say nothing.
	wide := schemas.In(`
		SELECT coalesce(string_agg(format('%s.%s %s rows in %s looks', schemaname, indexrelname, idx_tup_read, idx_scan), ', ' ORDER BY idx_tup_read DESC), '')
		FROM pg_stat_user_indexes
		WHERE schemaname ~ '_v[0-9]+$' AND schemaname NOT IN ('{inscriptions}', '{brc20}', '{pox}') AND relname NOT IN ('step', 'gap') AND indexrelname NOT IN ('mined_burn_height_idx', 'transaction_receipt_height_idx') AND idx_tup_read > 10 * idx_scan + 100`)
	if got := rig.Query[string](t, log, wide); got != "" {
		t.Errorf("index look-ups read many rows each: %s", got)
	}
}

// stacks1 is an export of Stacks 1.0 with names and others.
func stacks1(t *testing.T, names map[string]synthchain.Name) (posts []replay.Post) {
	t.Helper()
	const address = "SP2CTPPV8BHBVSQR727A3MK00ZD85RNY903KAG9F3"
	var lines, subdomains strings.Builder
	for name := range names {
		fmt.Fprintf(&lines, "%s,%s,\n", name, address)
	}
	for i := range 300 {
		fmt.Fprintf(&lines, "old%d.id,%s,\n", i, address)
		fmt.Fprintf(&subdomains, ",,sub.old%d.id,%s,\n", i, address)
	}
	for _, part := range []first.ExportPart{
		{Kind: first.ExportNames, Columns: "name,address,zonefile_hash", Text: lines.String()},
		{Kind: first.ExportSubdomains, Columns: "zonefile_hash,parent_zonefile_hash,fully_qualified_subdomain,owner,resolver", Text: subdomains.String()},
	} {
		body := must.Get(part.Encode())(t)
		posts = append(posts, replay.Post{Path: first.PathExport, Body: body})
	}
	return posts
}

// waitForOtherSessions waits until all other sessions have ended, which makes Postgres count what they did.
func waitForOtherSessions(t *testing.T, log *eventstore.Log) {
	t.Helper()
	log.Pool().Reset()
	eventually.Holds(t, "all other sessions end", func() bool {
		return rig.Query[int](t, log, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`) == 0
	})
}
