package follow_test

import (
	"fmt"
	"slices"
	"testing"

	"strata/projections"
	"strata/projections/follow"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestLeftovers expects VerifyRows to drop the scratch versions that a killed VerifyRows has left.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	log, _ := rig.Folded(t, 50, lines...)
	rig.Execute(t, log, schemas.In(`INSERT INTO strata.projection (name, version, input, scratch) VALUES ('tally', 1073741824, '{chain}', true)`))
	rig.Execute(t, log, `CREATE SCHEMA tally_v1073741824; CREATE TABLE tally_v1073741824.row ()`)
	if all, err := version.Statuses(t.Context(), log.Pool()); err != nil || len(all) != len(lines.Definitions()) {
		t.Errorf("got %+v and %v, want those of the lines", all, err)
	}
	err := follow.VerifyRows(t.Context(), log, lines, follow.VerifyRowsOptions{
		Difference: func(name string, d version.Difference) bool {
			t.Errorf("%s: %s", name, rig.Describe(d))
			return true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := rig.Query[int](t, log, `SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tally_v%' OR nspname LIKE 'chain_v%'`); n != 2 {
		t.Errorf("there are %d schemas, want 2", n)
	}
}

// TestVerifyQuarantine expects VerifyRows to find what the quarantine says without cause, and what it does not say.
func TestVerifyQuarantine(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	replay.Append(t, log, rig.Blocks(0, 20)...)
	replay.Append(t, log, replay.Post{Path: "/new_block", Body: []byte(`{"block_hash":7}`)}, replay.Post{Path: "/new_block", Body: []byte(`{}`)})
	rig.Follow(t, log, lines...)
	replay.Wait(t, log)
	verify := func() (found []string) {
		err := follow.VerifyRows(t.Context(), log, lines, follow.VerifyRowsOptions{Difference: func(name string, d version.Difference) bool {
			found = append(found, fmt.Sprint(name, " ", d.Table, " ", *d.Key[0].Text, " ", d.Missing, " ", d.Extra, " ", len(d.Columns)))
			return true
		}})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := verify(); len(found) > 0 {
		t.Errorf("got %q, want nothing", found)
	}
	first, last := rig.Query[int64](t, log, `SELECT min(seq) FROM strata.quarantine`), rig.Query[int64](t, log, `SELECT max(seq) FROM strata.quarantine`)
	rig.Execute(t, log, `UPDATE strata.quarantine SET path = '/made/up' WHERE seq = $1`, first)
	rig.Execute(t, log, `DELETE FROM strata.quarantine WHERE seq = $1`, last)
	rig.Execute(t, log, `INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason) SELECT 'chain', version, 3, '/new_block', pointer, 'made up' FROM strata.active, (VALUES (''), ('/a/part')) AS p (pointer) WHERE name = 'chain'`)
	want := []string{"chain quarantine 3 true false 0", "chain quarantine 3 true false 0", fmt.Sprintf("chain quarantine %d false false 1", first), fmt.Sprintf("chain quarantine %d false true 0", last)}
	if found := verify(); !slices.Equal(found, want) {
		t.Errorf("got %q, want %q", found, want)
	}
}
