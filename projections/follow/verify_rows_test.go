package follow_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/inscriptions"
	"strata/projections/ordinals"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestVerifyRows changes what projections have by hand, and expects VerifyRows to find that, and nothing else. It drops its scratch
// versions, and those that a killed one has left.
func TestVerifyRows(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	chain, feed := projections.Chain(rig.Chain(t), rig.NewTally(1)), projections.Feed(ordinals.New(nil), inscriptions.New(nil))
	lines := projections.Lines{chain, feed}
	replay.Append(t, log, rig.NewPosts(3).Next(150)...)
	replay.Append(t, log, rig.Blocks(0, 300)...) // of another chain: more than what is folded while the followers are held
	replay.Append(t, log, replay.Post{Path: "/new_block", Body: []byte(`{"block_hash":7}`)}, replay.Post{Path: "/new_block", Body: []byte(`{}`)})
	stop := rig.Follow(t, log, projections.Chain(rig.Chain(t), rig.NewTally(1), &rig.Recorder{}), feed)
	replay.Wait(t, log)
	stop()
	rig.Execute(t, log, schemas.In(`INSERT INTO strata.projection (name, version, input, scratch) VALUES ('tally', 1073741824, '{chain}', true)`))
	rig.Execute(t, log, `CREATE SCHEMA tally_v1073741824; CREATE TABLE tally_v1073741824.row ()`)
	if all := must.Get(version.Statuses(t.Context(), log.Pool()))(t); len(all) != len(lines.Definitions())+1 {
		t.Errorf("got %+v, want those of the lines", all)
	}
	verify := func(most int, names ...string) (found []string, err error) {
		var done, total int64
		err = follow.VerifyRows(t.Context(), log, lines, follow.VerifyRowsOptions{
			Names: names, Progress: func(d, n int64) { done, total = d, n },
			Difference: func(name string, d version.Difference) bool {
				seq := func(n *int64) int64 { return *cmp.Or(n, new(int64)) }
				key := ""
				for _, k := range d.Key {
					key += " " + *k.Text
				}
				found = append(found, fmt.Sprint(name, ".", d.Table, key, " ", seq(d.OldSeq), " ", seq(d.NewSeq), " ", d.Missing, " ", d.Extra, " ", len(d.Columns)))
				return len(found) < most
			},
		})
		if err == nil && (done == 0 || done != total) {
			t.Errorf("the progress ended at %d of %d", done, total)
		}
		if n := rig.Query[int](t, log, `SELECT count(*) FROM pg_namespace WHERE nspname ~ '_v[0-9]{4,}$'`); n != 0 {
			t.Errorf("%d scratch versions are left", n)
		}
		return found, err
	}
	if found, err := verify(100); err != nil || len(found) > 0 {
		t.Errorf("got %q and %v, want nothing", found, err)
	}
	first, last := rig.Query[int64](t, log, `SELECT min(seq) FROM strata.quarantine`), rig.Query[int64](t, log, `SELECT max(seq) FROM strata.quarantine`)
	for _, sql := range []string{
		fmt.Sprint(`UPDATE strata.quarantine SET path = '/made/up' WHERE seq = `, first), fmt.Sprint(`DELETE FROM strata.quarantine WHERE seq = `, last),
		`INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason) SELECT 'chain', version, 3, '/new_block', pointer, 'made up' FROM strata.active, (VALUES (''), ('/a/part')) AS p (pointer) WHERE name = 'chain'`,
		`UPDATE tally_v1.row SET height = height + 1 WHERE step IN (7, 8)`, `INSERT INTO tally_v1.row VALUES (100000, 9, 9, 1)`,
		schemas.In(`DELETE FROM {inscriptions}.location WHERE (sat, height, tx_index) = (SELECT sat, height, tx_index FROM {inscriptions}.location LIMIT 1)`),
	} {
		rig.Execute(t, log, sql)
	}
	seventh := rig.Query[int64](t, log, `SELECT source_seq FROM tally_v1.row WHERE step = 7`)
	chains := []string{
		"chain.quarantine 3 3 0 true false 0", "chain.quarantine 3 /a/part 3 0 true false 0",
		fmt.Sprintf("chain.quarantine %d /transactions/0/raw_tx %[1]d %[1]d false false 1", first), fmt.Sprintf("chain.quarantine %d /index_block_hash 0 %[1]d false true 0", last),
	}
	tallies := []string{fmt.Sprintf("tally.row 7 %d %[1]d false false 1", seventh)}
	for _, c := range []struct {
		most  int
		names []string
		want  []string
	}{{100, []string{"chain"}, chains}, {1, []string{"chain"}, chains[:1]}, {1, []string{"tally"}, tallies}, {1, []string{"chain", "tally"}, append(chains[:1:1], tallies...)}} {
		if found, err := verify(c.most, c.names...); err != nil || !slices.Equal(found, c.want) {
			t.Errorf("%v, at most %d: got %q and %v, want %q", c.names, c.most, found, err, c.want)
		}
	}

	if found, err := verify(100, "tally", "unknown"); !errors.Is(err, projections.ErrUnknown) || len(found) > 0 {
		t.Errorf("a projection without code: got %v", err)
	}
	rig.Execute(t, log, `UPDATE strata.projection SET unfinished = true WHERE name = 'tally'`)
	if _, err := verify(100, "tally"); err == nil || !strings.Contains(err.Error(), "projection tally_v1 folds an event that changes much") {
		t.Errorf("in the middle of an event: got %v", err)
	}
	lines[0] = projections.Chain(rig.Chain(t), rig.NewTally(2), &rig.Recorder{})
	if _, err := verify(100, "tally"); !errors.Is(err, version.ErrRules) {
		t.Errorf("a version with other rules: got %v", err)
	}
	if _, err := verify(100, "recorder"); err == nil || !strings.Contains(err.Error(), "the code of projection recorder can fold into version 1 only") {
		t.Errorf("code that knows one version: got %v", err)
	}
	rig.Execute(t, log, `UPDATE strata.projection SET rules = 99 WHERE name = 'chain'`) // which is of another line
	if found, err := verify(100, "inscriptions"); err != nil || len(found) != 1 || !strings.HasPrefix(found[0], "inscriptions.location ") {
		t.Errorf("got %q and %v, want a location", found, err)
	}
}
