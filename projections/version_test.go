package projections_test

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"strata/internal/testkit/replay"
	"strata/projections"
	"strata/projections/balances"
)

// TestTwoRules runs programs with other rules on one database: each follows what it knows, and nothing else.
func TestTwoRules(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	old := projections.Lines{projections.Chain(recommended(t), newTally(1))}
	next := projections.Lines{projections.Chain(recommended(t), newTally(5))}
	posts := line(0, 2000)
	replay.Append(t, log, posts[:1200]...)
	stopOld := follow(t, log, old...)
	replay.Wait(t, log)
	if got := next.Rules()["tally"]; got != 5 {
		t.Errorf("got rules %d, want 5", got)
	}

	stopNext := follow(t, log, next...) // builds on command only
	time.Sleep(50 * time.Millisecond)
	if n := query[int](t, log, `SELECT count(*) FROM strata.projection WHERE name = 'tally'`); n != 1 {
		t.Errorf("%d versions were registered without a command, want 1", n)
	}
	made := rebuild(t, log, next, projections.RebuildOptions{Name: "tally"})
	if !slices.Equal(made, []projections.Instance{at("tally", 5)}) {
		t.Errorf("made %v, want number 5", made)
	}
	// What was far behind gets the indexes of readers at its end.
	caughtUp(t, log, at("tally", 5))
	if n := query[int](t, log, `SELECT count(*) FROM pg_indexes WHERE schemaname = 'tally_v5'`); n != 3 {
		t.Errorf("it has %d indexes, want 3", n)
	}
	if n := query[int](t, log, `SELECT count(*) FROM pg_stat_all_tables WHERE schemaname = 'tally_v5' AND relname = 'row' AND analyze_count > 0`); n != 1 {
		t.Error("it was not analysed")
	}
	for i, want := range map[projections.Instance]int64{at("tally", 1): 1, at("tally", 5): 5} {
		if got := query[int64](t, log, `SELECT min(rules) + 1000 * (max(rules) - min(rules)) FROM `+i.String()+`.row`); got != want {
			t.Errorf("%s: got rules %d", i, got)
		}
	}
	stopOld()
	replay.Append(t, log, posts[1200:1300]...)
	caughtUp(t, log, at("tally", 5))
	if s := statusAt(t, log, at("tally", 1)); s.Position != 1200 {
		t.Errorf("version 1 was folded up to %d by a program with other rules", s.Position)
	}
	follow(t, log, old...)
	caughtUp(t, log, at("tally", 1))

	// Numbers that are taken, and rules that nobody has.
	if _, err := projections.Rebuild(t.Context(), log.Pool(), next, projections.RebuildOptions{Name: "tally", To: 1}); !errors.Is(err, projections.ErrTaken) {
		t.Errorf("to a number that is taken: got %v", err)
	}
	if _, err := projections.Rebuild(t.Context(), log.Pool(), next, projections.RebuildOptions{Name: "balances"}); !errors.Is(err, projections.ErrUnknown) {
		t.Errorf("of what there is no code of: got %v", err)
	}
	// The same rules again, and away with them while they are followed.
	made = rebuild(t, log, next, projections.RebuildOptions{Name: "tally"})
	if !slices.Equal(made, []projections.Instance{at("tally", 6)}) {
		t.Errorf("made %v, want number 6", made)
	}
	caughtUp(t, log, at("tally", 6))
	for _, d := range differences(t, log, next, "tally", 5, 6) {
		t.Errorf("5 and 6 differ: %s", describe(d))
	}
	if err := projections.Drop(t.Context(), log.Pool(), at("tally", 6)); err != nil {
		t.Fatal(err)
	}
	// And a number that was used before.
	made = rebuild(t, log, next, projections.RebuildOptions{Name: "tally", To: 6})
	replay.Append(t, log, posts[1300:1350]...)
	caughtUp(t, log, made...)
	verified(t, log, next, at("tally", 6))
	stopNext()
}

// TestNewLeader starts a program with other rules of a leader: all that fold its steps are built on its own list of them.
func TestNewLeader(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, line(0, 100)...)
	follow(t, log, projections.Chain(recommended(t), newTally(1)))
	replay.Wait(t, log)
	// The register says that other code has written what is there.
	execute(t, log, `UPDATE strata.projection SET rules = 7 WHERE name = 'chain'`)
	replay.Follow(t, projections.Config{Log: log, BuildNew: true}, projections.Chain(recommended(t), newTally(1)))
	caughtUp(t, log, at("chain", 4), at("tally", 2))
	got := query[string](t, log, `SELECT string_agg(name || version || ' ' || rules || ' ' || input, ', ' ORDER BY name, version) FROM strata.projection`)
	if want := "chain3 7 log, chain4 3 log, tally1 1 chain_v3, tally2 1 chain_v4"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	replay.Append(t, log, line(100, 1)...)
	caughtUp(t, log, at("tally", 2))
	if s := statusAt(t, log, at("chain", 3)); s.Position != 100 {
		t.Errorf("chain_v3 was folded up to %d, by code that does not know its rules", s.Position)
	}
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	lines := projections.Lines{projections.Chain(recommended(t), newTally(1))}
	replay.Append(t, log, line(0, 1500)...)
	follow(t, log, lines...)
	replay.Wait(t, log)
	slow := 50
	started := time.Now()
	made := rebuild(t, log, lines, projections.RebuildOptions{Name: "tally", Throttle: &slow})
	eventually(t, "it has begun", func() bool { return statusAt(t, log, made[0]).Position > 0 })
	time.Sleep(2 * time.Second)
	s := statusAt(t, log, made[0])
	if most := int64(float64(slow) * (time.Since(started).Seconds() + 1)); s.Position > most {
		t.Errorf("it stands at %d, want %d at most", s.Position, most)
	}
	if s.Throttle == nil || *s.Throttle != slow || s.ETASeconds == nil || *s.ETASeconds < float64(s.Lag())/float64(slow)*0.9 {
		t.Errorf("got %+v, want the throttle, and a time that it allows", s)
	}
	if err := projections.SetThrottle(t.Context(), log.Pool(), made[0], nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is as quick as it can be", func() bool { return statusAt(t, log, made[0]).Lag() == 0 })
	if took := time.Since(started); took > 25*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := projections.SetThrottle(t.Context(), log.Pool(), at("tally", 9), nil); !errors.Is(err, projections.ErrNotRegistered) {
		t.Errorf("throttle what is not there: got %v", err)
	}
	zero := 0
	if err := projections.SetThrottle(t.Context(), log.Pool(), made[0], &zero); err == nil {
		t.Error("a throttle of nothing was taken")
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	lines := projections.Lines{projections.Chain(recommended(t), newTally(1))}
	replay.Append(t, log, line(0, 400)...)
	follow(t, log, lines...)
	replay.Wait(t, log)
	caughtUp(t, log, at("chain", 3), at("tally", 1))
	execute(t, log, `ANALYZE tally_v1.row`)
	execute(t, log, `UPDATE strata.projection SET rate = 100`)
	e, err := projections.EstimateRebuild(t.Context(), log.Pool(), lines, projections.RebuildOptions{Name: "chain", To: 4}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Parts) != 2 || e.Parts[0].Instance != at("chain", 4) || e.Parts[1].Instance != at("tally", 2) || e.Parts[1].Items != 400 || e.Parts[1].Rows < 400 {
		t.Errorf("got %+v", e.Parts)
	}
	if e.Bytes < e.Parts[0].Bytes+e.Parts[1].Bytes || e.Parts[1].Bytes == 0 || e.Seconds == nil || *e.Seconds != 4 {
		t.Errorf("got %+v", e)
	}
	if e.FreeBytes == nil || *e.FreeBytes <= 0 || !e.Fits() {
		t.Errorf("the room on the disk is not known: %+v", e)
	}
	if n := query[int](t, log, `SELECT count(*) FROM strata.projection`); n != 2 {
		t.Errorf("an estimate has registered something")
	}
	slow := 10
	e, err = projections.EstimateRebuild(t.Context(), log.Pool(), lines, projections.RebuildOptions{Name: "tally", Throttle: &slow}, "")
	if err != nil || e.Seconds == nil || *e.Seconds != 40 || e.FreeBytes != nil {
		t.Errorf("got %+v and %v, want 40 s", e, err)
	}
}

// TestDiff changes rows by hand.
func TestDiff(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	lines := projections.Lines{projections.Chain(recommended(t), newTally(1))}
	replay.Append(t, log, line(0, 1300)...)
	stop := follow(t, log, lines...)
	replay.Wait(t, log)
	rebuild(t, log, lines, projections.RebuildOptions{Name: "tally"})
	caughtUp(t, log, at("tally", 2))
	stop()
	if got := differences(t, log, lines, "tally", 1, 2); len(got) != 0 {
		t.Fatalf("got %s, want none", describe(got[0]))
	}
	for _, sql := range []string{
		`UPDATE tally_v2.row SET height = 9999, source_seq = 3 WHERE step = 600`,
		`DELETE FROM tally_v2.row WHERE step = 20`,
		`INSERT INTO tally_v2.row VALUES (5000, 7, 1, 1)`,
		`INSERT INTO tally_v2.sum VALUES (1, 1), (1, 1)`,
		`ALTER TABLE tally_v2.row ADD COLUMN another int`,
		`CREATE TABLE tally_v2.another ()`,
	} {
		execute(t, log, sql)
	}
	var got []string
	for _, d := range differences(t, log, lines, "tally", 1, 2) {
		text := describe(d)
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
	execute(t, log, `UPDATE tally_v2.row SET rules = 3`)
	calls := 0
	d, err := lines.Definition("tally")
	if err != nil {
		t.Fatal(err)
	}
	if err := projections.Diff(t.Context(), log.Pool(), d, 1, 2, func(projections.Difference) bool { calls++; return calls < 700 }); err != nil || calls != 700 {
		t.Errorf("got %d differences and %v, want to be left alone after 700", calls, err)
	}
	if err := projections.Diff(t.Context(), log.Pool(), d, 1, 8, func(projections.Difference) bool { return true }); !errors.Is(err, projections.ErrNotRegistered) {
		t.Errorf("with what is not there: got %v", err)
	}
}

// TestLeftovers expects what a killed VerifyRows has left to be taken away by the next, and one that goes on to be left alone.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	lines := projections.Lines{projections.Chain(recommended(t), newTally(1))}
	replay.Append(t, log, line(0, 50)...)
	follow(t, log, lines...)
	replay.Wait(t, log)
	execute(t, log, `INSERT INTO strata.projection (name, version, input, scratch) VALUES ('tally', 1073741824, 'chain_v3', true)`)
	execute(t, log, `CREATE SCHEMA tally_v1073741824; CREATE TABLE tally_v1073741824.row ()`)
	if all, err := projections.Statuses(t.Context(), log.Pool()); err != nil || len(all) != 2 {
		t.Errorf("got %+v and %v, want two", all, err)
	}
	err := projections.VerifyRows(t.Context(), log, lines, projections.VerifyRowsOptions{
		Difference: func(name string, d projections.Difference) bool {
			t.Errorf("%s: %s", name, describe(d))
			return true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := query[int](t, log, `SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'tally_v%' OR nspname LIKE 'chain_v%'`); n != 2 {
		t.Errorf("there are %d schemas, want 2", n)
	}
}

// TestKillRebuild kills the process that builds with SIGKILL at any moment. The next one goes on.
func TestKillRebuild(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	url := replay.Databases.URL(t)
	lines := projections.Lines{projections.Chain(recommended(t), balances.New(nil))}
	replay.Append(t, log, newPosts(8).chainOnly(900)...)
	stop := follow(t, log, lines...)
	replay.Wait(t, log)
	stop()
	made := rebuild(t, log, lines, projections.RebuildOptions{Name: "chain"})
	done := func() bool {
		return !slices.ContainsFunc(made, func(i projections.Instance) bool { s := statusAt(t, log, i); return s.Lag() > 0 || !s.Indexed })
	}
	kills := 0
	for delay := 150 * time.Millisecond; !done(); delay += 150 * time.Millisecond {
		child := startChild(t, url)
		time.Sleep(delay)
		if err := child.process.Signal(os.Kill); err != nil {
			t.Fatal(err)
		}
		child.wait()
		kills++
	}
	t.Logf("killed %d times", kills)
	follow(t, log, lines...)
	caughtUp(t, log, made...)
	for _, i := range made {
		for _, d := range differences(t, log, lines, i.Name, i.Version-1, i.Version) {
			t.Errorf("%s: %s", i, describe(d))
			break
		}
		verified(t, log, lines, i)
	}
}
