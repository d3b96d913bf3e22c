package version_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/chain"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
)

// TestTwoRules runs two programs with different rules on one database: each follows the versions that have its rules,
// and no others.
func TestTwoRules(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	old := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	next := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(5))}
	must.Get(version.Register(t.Context(), log.Pool(), old, false, nil))(t)
	rig.CheckFit(t, log, old, rig.Schema("tally", 1)) // there is nothing to fold
	posts := rig.Blocks(0, 2000)
	replay.Append(t, log, posts[:1200]...)
	stopOld := rig.Follow(t, log, old...)
	replay.Wait(t, log)
	if got := next.Rules()["tally"]; got != 5 {
		t.Errorf("got rules %d, want 5", got)
	}

	signals, stopNext := rig.FollowWithSignals(t, log, next...) // builds on command only
	rig.WaitForNext(t, "the next program has looked at the register", &signals.Reconciled)
	if n := rig.Query[int](t, log, `SELECT count(*) FROM strata.projection WHERE name = 'tally'`); n != 1 {
		t.Errorf("%d versions were registered without a command, want 1", n)
	}
	made := rig.Rebuild(t, log, next, version.RebuildOptions{Name: "tally"})
	if !slices.Equal(made, []projections.Schema{rig.Schema("tally", 5)}) {
		t.Errorf("made %v, want number 5", made)
	}
	// A version that was far behind gets the indexes for readers at the end of its build.
	rig.WaitUntilLive(t, log, rig.Schema("tally", 5))
	if n := rig.Query[int](t, log, `SELECT count(*) FROM pg_indexes WHERE schemaname = 'tally_v5'`); n != 3 {
		t.Errorf("it has %d indexes, want 3", n)
	}
	eventually.Holds(t, "it was analysed", func() bool { // which Postgres 14 notes after a while
		return rig.Query[int](t, log, `SELECT count(*) FROM pg_stat_all_tables WHERE schemaname = 'tally_v5' AND relname = 'row' AND analyze_count > 0`) == 1
	})
	for i, want := range map[projections.Schema]int64{rig.Schema("tally", 1): 1, rig.Schema("tally", 5): 5} {
		if got := rig.Query[int64](t, log, `SELECT min(rules) + 1000 * (max(rules) - min(rules)) FROM `+i.String()+`.row`); got != want {
			t.Errorf("%s: got rules %d", i, got)
		}
	}
	stopOld()
	replay.Append(t, log, posts[1200:1300]...)
	rig.WaitUntilLive(t, log, rig.Schema("tally", 5))
	if s := rig.StatusOf(t, log, rig.Schema("tally", 1)); s.Position != 1200 {
		t.Errorf("version 1 was folded up to %d by a program with other rules", s.Position)
	}
	rig.Follow(t, log, old...)
	rig.WaitUntilLive(t, log, rig.Schema("tally", 1))

	// A number that is taken, and a projection without code.
	if _, err := version.Rebuild(t.Context(), log.Pool(), next, version.RebuildOptions{Name: "tally", To: 1}); !errors.Is(err, version.ErrTaken) {
		t.Errorf("to a number that is taken: got %v", err)
	}
	if _, err := version.Rebuild(t.Context(), log.Pool(), next, version.RebuildOptions{Name: "balances"}); !errors.Is(err, projections.ErrUnknown) {
		t.Errorf("a projection without code: got %v", err)
	}
	// Rebuild with the same rules, and drop the version while it is followed.
	made = rig.Rebuild(t, log, next, version.RebuildOptions{Name: "tally"})
	if !slices.Equal(made, []projections.Schema{rig.Schema("tally", 6)}) {
		t.Errorf("made %v, want number 6", made)
	}
	rig.WaitUntilLive(t, log, rig.Schema("tally", 6))
	for _, d := range rig.Differences(t, log, next, "tally", 5, 6) {
		t.Errorf("5 and 6 differ: %s", rig.Describe(d))
	}
	must.Do(t, version.Drop(t.Context(), log.Pool(), rig.Schema("tally", 6)))
	// Rebuild to a number that was used before.
	made = rig.Rebuild(t, log, next, version.RebuildOptions{Name: "tally", To: 6})
	replay.Append(t, log, posts[1300:1350]...)
	rig.WaitUntilLive(t, log, made...)
	rig.CheckFit(t, log, next, rig.Schema("tally", 6))
	stopNext()
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	log, _ := rig.Folded(t, 1500, lines...)
	slow := 5 // a throttled build would take five minutes, longer than anything here waits
	started := time.Now()
	made := rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "tally", Throttle: &slow})
	var s version.Status
	eventually.Holds(t, "it has folded what a throttled build does in two seconds", func() bool {
		s = rig.StatusOf(t, log, made[0])
		return s.Position >= int64(2*slow)
	})
	if most := int64(float64(slow) * (time.Since(started).Seconds() + 1)); s.Position > most {
		t.Errorf("it stands at %d, want %d at most", s.Position, most)
	}
	if s.Throttle == nil || *s.Throttle != slow || s.ETASeconds == nil || *s.ETASeconds < float64(s.Lag())/float64(slow)*0.9 {
		t.Errorf("got %+v, want the throttle, and an ETA that allows for it", s)
	}
	must.Do(t, version.SetThrottle(t.Context(), log.Pool(), made[0], nil))
	eventually.Holds(t, "it catches up without a throttle", func() bool { return rig.StatusOf(t, log, made[0]).Lag() == 0 })
	if err := version.SetThrottle(t.Context(), log.Pool(), rig.Schema("tally", 9), nil); !errors.Is(err, version.ErrNotRegistered) {
		t.Errorf("throttle a version that is not registered: got %v", err)
	}
	zero := 0
	if err := version.SetThrottle(t.Context(), log.Pool(), made[0], &zero); err == nil {
		t.Error("a throttle of nothing was taken")
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	log, _ := rig.Folded(t, 400, lines...)
	rig.WaitUntilLive(t, log, rig.Schema("chain", chain.Version), rig.Schema("tally", 1))
	rig.Execute(t, log, `ANALYZE tally_v1.row`)
	rig.Execute(t, log, `UPDATE strata.projection SET rate = 100`)
	e := must.Get(version.EstimateRebuild(t.Context(), log.Pool(), lines, version.RebuildOptions{Name: "chain", To: chain.Version + 1}, t.TempDir()))(t)
	if len(e.Parts) != 2 || e.Parts[0].Schema != rig.Schema("chain", chain.Version+1) || e.Parts[1].Schema != rig.Schema("tally", 2) || e.Parts[1].Items != 400 || e.Parts[1].Rows < 400 {
		t.Errorf("got %+v", e.Parts)
	}
	if e.Bytes < e.Parts[0].Bytes+e.Parts[1].Bytes || e.Parts[1].Bytes == 0 || e.Seconds == nil || *e.Seconds != 4 {
		t.Errorf("got %+v", e)
	}
	if e.FreeBytes == nil || *e.FreeBytes <= 0 || !e.Fits() {
		t.Errorf("the free space on the disk is not known: %+v", e)
	}
	if full := (version.Estimate{Bytes: 5, FreeBytes: new(int64(5))}); full.Fits() {
		t.Error("it fits although it would take all of the disk")
	}
	if n := rig.Query[int](t, log, `SELECT count(*) FROM strata.projection`); n != 2 {
		t.Errorf("the estimate has registered a version")
	}
	slow := 10
	slower, err := version.EstimateRebuild(t.Context(), log.Pool(), lines, version.RebuildOptions{Name: "tally", Throttle: &slow}, "")
	if err != nil || slower.Seconds == nil || *slower.Seconds != 40 || slower.FreeBytes != nil {
		t.Errorf("got %+v and %v, want 40 s", slower, err)
	}
	if _, err := version.EstimateRebuild(t.Context(), log.Pool(), lines, version.RebuildOptions{Name: "tally", To: 1}, ""); !errors.Is(err, version.ErrTaken) {
		t.Errorf("of a number that is taken: got %v", err)
	}
}

// TestDiff changes rows by hand, and expects Diff to find these.
func TestDiff(t *testing.T) {
	t.Parallel()
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	log, stop := rig.Folded(t, 1300, lines...)
	rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "tally"})
	rig.WaitUntilLive(t, log, rig.Schema("tally", 2))
	stop()
	if got := rig.Differences(t, log, lines, "tally", 1, 2); len(got) != 0 {
		t.Fatalf("got %s, want none", rig.Describe(got[0]))
	}
	for _, sql := range []string{
		`UPDATE tally_v2.row SET height = 9999, source_seq = 3 WHERE step = 600`,
		`DELETE FROM tally_v2.row WHERE step = 20`,
		`INSERT INTO tally_v2.row VALUES (5000, 7, 1, 1)`,
		`INSERT INTO tally_v2.sum VALUES (1, 1), (1, 1)`,
		`ALTER TABLE tally_v2.row ADD COLUMN another int`,
		`CREATE TABLE tally_v2.another (a int, b int)`,
	} {
		rig.Execute(t, log, sql)
	}
	var got []string
	for _, d := range rig.Differences(t, log, lines, "tally", 1, 2) {
		text := rig.Describe(d)
		if d.OldSeq != nil {
			text += " from " + time.Duration(*d.OldSeq).String()
		}
		if d.NewSeq != nil {
			text += " to " + time.Duration(*d.NewSeq).String()
		}
		got = append(got, text)
	}
	want := []string{
		`row step=20 (missing true, extra false) from 20ns`,
		`row step=600; source_seq: 600, and 3; height: 599, and 9999 (missing false, extra false) from 600ns to 3ns`,
		`row step=5000 (missing false, extra true) to 7ns`,
		`sum steps=1 since=1 (missing false, extra true)`,
		`sum steps=1 since=1 (missing false, extra true)`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	rig.Execute(t, log, `UPDATE tally_v2.row SET rules = 3`)
	calls := 0
	d := must.Get(lines.Definition("tally"))(t)
	if err := version.Diff(t.Context(), log.Pool(), d, 1, 2, func(version.Difference) bool { calls++; return calls < 700 }); err != nil || calls != 700 {
		t.Errorf("got %d differences and %v, want no more calls after 700", calls, err)
	}
	rig.Execute(t, log, `UPDATE tally_v2.part SET n = n + 1`)
	found := must.Get(version.CheckBuildDependent(t.Context(), log.Pool(), d, rig.Schema("tally", 2)))(t)
	if len(found) != 1 || found[0].Check != "the parts are those of the rows" {
		t.Errorf("got %+v, want that the parts are wrong, and nothing of other tables", found)
	}
	rig.Execute(t, log, `ALTER TABLE tally_v2.part DROP COLUMN n`)
	rig.Execute(t, log, `CREATE TABLE tally_v1.shown AS SELECT n, 'word' AS word FROM generate_series(1, 2) n`)
	rig.Execute(t, log, `CREATE VIEW tally_v2.shown AS SELECT n, n AS number FROM generate_series(2, 3) n`) // for the table of version 1
	rig.Execute(t, log, `CREATE VIEW tally_v2.view AS SELECT 1 AS one`)
	var shown []string
	must.Do(t, version.Diff(t.Context(), log.Pool(), d, 1, 2, func(d version.Difference) bool {
		if d.Table == "shown" {
			shown = append(shown, fmt.Sprint(*d.Key[0].Text, d.Missing, d.Extra))
		}
		return true
	}))
	check.Equal(t, "differences of a view", fmt.Sprint(shown), "[1true false 3false true]")
	unmatched := must.Get(version.FindUnmatched(t.Context(), log.Pool(), rig.Schema("tally", 1), rig.Schema("tally", 2)))(t)
	if got, want := fmt.Sprint(unmatched), "[only version 2 has the table another only version 1 has the column part.n only version 2 has the column row.another "+
		"only version 2 has the column shown.number only version 1 has the column shown.word]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := version.Diff(t.Context(), log.Pool(), d, 1, 8, func(version.Difference) bool { return true }); !errors.Is(err, version.ErrNotRegistered) {
		t.Errorf("with a version that is not registered: got %v", err)
	}
}
