package rig

import (
	"fmt"
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testsignal"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/projections/pox"
	"strata/projections/version"
	"strata/rig/replay"
)

// Schema is short for a projections.Schema.
func Schema(name string, version int) projections.Schema {
	return projections.Schema{Name: name, Version: version}
}

// Follow runs these lines until stop is called, or the test ends.
func Follow(t *testing.T, log *eventstore.Log, lines ...projections.Line) (stop func()) {
	t.Helper()
	return replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond}, lines...)
}

// Folded returns a new log with blocks of a chain without forks, which the lines have folded, and fold until stop is called, or the test
// ends.
func Folded(t *testing.T, blocks int, lines ...projections.Line) (log *eventstore.Log, stop func()) {
	t.Helper()
	log = replay.NewLog(t)
	replay.Append(t, log, Blocks(0, blocks)...)
	stop = Follow(t, log, lines...)
	replay.Wait(t, log)
	return log, stop
}

// FollowWithSignals is Follow with the signals of the runner.
func FollowWithSignals(t *testing.T, log *eventstore.Log, lines ...projections.Line) (signals *follow.TestSignals, stop func()) {
	t.Helper()
	runner := follow.NewRunner(follow.Config{Log: log, Interval: 50 * time.Millisecond}, lines...)
	runner.TestSignals.Init()
	return &runner.TestSignals, replay.StartRunner(t, runner)
}

// WaitForNext waits for a signal that is sent from now on.
func WaitForNext(t *testing.T, what string, signal *testsignal.Signal) {
	t.Helper()
	signal.Discard()
	eventually.Receive(t, what, signal.C())
}

// Status returns the status of the first version of a projection.
func Status(t *testing.T, log *eventstore.Log, name string) version.Status {
	t.Helper()
	for _, s := range statuses(t, log) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("projection %s is not registered", name)
	return version.Status{}
}

// StatusOf returns the status of a version; the zero Status when it is not registered.
func StatusOf(t *testing.T, log *eventstore.Log, v projections.Schema) version.Status {
	t.Helper()
	for _, s := range statuses(t, log) {
		if s.Schema() == v {
			return s
		}
	}
	return version.Status{}
}

func statuses(t *testing.T, log *eventstore.Log) []version.Status {
	t.Helper()
	return must.Get(version.Statuses(t.Context(), log.Pool()))(t)
}

// WaitUntilLive waits until versions are live at the head, with their indexes.
func WaitUntilLive(t *testing.T, log *eventstore.Log, versions ...projections.Schema) {
	t.Helper()
	for _, v := range versions {
		eventually.Holds(t, v.String()+" has caught up", func() bool {
			s := StatusOf(t, log, v)
			if s.State == version.StateFailed {
				t.Fatalf("%s does not catch up: %+v %s", v, s, valueText(s.Error))
			}
			return s.State == version.StateLive && s.Lag() == 0 && s.Indexed
		})
	}
}

// Rebuild registers the versions that rebuild a projection.
func Rebuild(t *testing.T, log *eventstore.Log, lines projections.Lines, options version.RebuildOptions) []projections.Schema {
	t.Helper()
	return must.Get(version.Rebuild(t.Context(), log.Pool(), lines, options))(t)
}

// Differences returns those of two versions of a projection.
func Differences(t *testing.T, log *eventstore.Log, lines projections.Lines, name string, v1, v2 int) (all []version.Difference) {
	t.Helper()
	d := must.Get(lines.Definition(name))(t)
	must.Do(t, version.Diff(t.Context(), log.Pool(), d, v1, v2, func(d version.Difference) bool {
		all = append(all, d)
		return len(all) < 2000
	}))
	return all
}

// Describe returns a difference as text.
func Describe(d version.Difference) string {
	text := d.Table
	for _, k := range d.Key {
		text += " " + k.Column + "=" + valueText(k.Text)
	}
	for _, c := range d.Columns {
		text += fmt.Sprintf("; %s: %.200s, and %.200s", c.Column, valueText(c.Old), valueText(c.New))
	}
	return fmt.Sprintf("%s (missing %t, extra %t)", text, d.Missing, d.Extra)
}

// WrongRows returns the rows of projections, of all if no names are given, that the log does not give, after the name of each.
func WrongRows(t testing.TB, log *eventstore.Log, lines projections.Lines, names ...string) (all []string) {
	t.Helper()
	must.Do(t, follow.VerifyRows(t.Context(), log, lines, follow.VerifyRowsOptions{Names: names, Difference: func(name string, d version.Difference) bool {
		all = append(all, name+"."+Describe(d))
		return len(all) < 10
	}}))
	return all
}

func valueText(text *string) string {
	if text == nil {
		return "null"
	}
	return *text
}

// CheckFit expects Verify to find nothing wrong.
func CheckFit(t *testing.T, log *eventstore.Log, lines projections.Lines, v projections.Schema) {
	t.Helper()
	d := must.Get(lines.Definition(v.Name))(t)
	verification := must.Get(version.Verify(t.Context(), log.Pool(), d, v))(t)
	for _, f := range verification.Findings {
		t.Errorf("%s: %s", v, f)
	}
}

// Query returns the value of a query of one row and one column.
func Query[T any](t *testing.T, log *eventstore.Log, sql string, args ...any) T {
	t.Helper()
	var value T
	if err := log.Pool().QueryRow(t.Context(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// Execute runs SQL that must succeed.
func Execute(t *testing.T, log *eventstore.Log, sql string, args ...any) {
	t.Helper()
	if _, err := log.Pool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// FoldAccounts runs the projections whose rows CheckState compares until they have folded the log.
func FoldAccounts(t *testing.T, log *eventstore.Log) {
	t.Helper()
	replay.Run(t, log, Chain(t), balances.New(nil), pox.New())
}

// CheckAlone folds the posts of the canonical chain alone in another log, and compares the rows with those of a log.
func CheckAlone(t *testing.T, log *eventstore.Log, canonical []replay.Post) {
	t.Helper()
	alone := replay.NewLogApart(t)
	replay.Append(t, alone, canonical...)
	FoldAccounts(t, alone)
	CheckSameRows(t, alone.Pool(), log.Pool())
}

// FollowAccounts runs the projections whose rows CheckState compares until stop is called, or the test ends.
func FollowAccounts(t *testing.T, log *eventstore.Log) (stop func()) {
	t.Helper()
	return replay.Start(t, log, Chain(t), balances.New(nil), pox.New())
}
