package version_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/frozen"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
)

// renew runs a Renewal until the test ends.
func renew(t *testing.T, log *eventstore.Log, lines projections.Lines, keep time.Duration) (*version.Renewal, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewRegistry()
	r := newRenewal(log, lines, registry, keep)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return r, registry
}

// look lets a Renewal of another process look once.
func look(t *testing.T, log *eventstore.Log, lines projections.Lines) {
	t.Helper()
	newRenewal(log, lines, prometheus.NewRegistry(), time.Hour).Look(t.Context())
}

func newRenewal(log *eventstore.Log, lines projections.Lines, registry *prometheus.Registry, keep time.Duration) *version.Renewal {
	return version.NewRenewal(version.RenewalConfig{
		Pool: log.Pool(), Lines: lines, Logger: slog.New(slog.DiscardHandler), Registry: registry, Activate: true, Keep: keep,
	})
}

// TestRenewal starts a program with new rules of a leader and of what folds its steps, under reads: its versions become
// active by themselves, together. What was replaced is dropped, but for what a command made.
func TestRenewal(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	old := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	stop := rig.Follow(t, log, old...)
	replay.Append(t, log, rig.Blocks(0, 400)...)
	replay.Wait(t, log)
	byHand := rig.Rebuild(t, log, old, version.RebuildOptions{Name: "tally", To: 9})[0]
	waitUntilIndexed(t, log, byHand)
	stop()
	rig.Execute(t, log, `UPDATE strata.projection SET rules = $1 WHERE name = 'chain'`, chain.Version-1) // built by the last release
	ctx, stopReading := context.WithCancel(t.Context())
	defer stopReading()
	r := read(ctx, log.Pool())

	next := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(2))}
	leader := rig.Schema("chain", chain.Version+1)
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, BuildNew: true}, next...)
	renewal, _ := renew(t, log, next, time.Nanosecond)
	eventually.Holds(t, "the new versions are active", func() bool {
		active := must.Get(version.Active(t.Context(), log.Pool()))(t)
		if (active["chain"] == leader.Version) != (active["tally"] == 2) {
			t.Fatalf("the leader is active without its followers: %v", active)
		}
		return active["tally"] == 2
	})
	replay.Append(t, log, rig.Blocks(400, 20)...)
	eventually.Holds(t, "a version that was replaced is dropped", func() bool { return rig.StatusOf(t, log, rig.Schema("tally", 1)).Name == "" })
	if r.ended() {
		t.Fatalf("a read failed: %v", r.err)
	}
	stopReading()
	<-r.done
	if r.err != nil || r.versions[1].Load() == 0 {
		t.Errorf("%d reads of the old version, and then: %v", r.versions[1].Load(), r.err)
	}
	// The chain whose steps it folds stays, too.
	if rig.StatusOf(t, log, byHand).Name == "" || rig.StatusOf(t, log, rig.Schema("chain", chain.Version)).Name == "" {
		t.Errorf("dropped %s, which a command made, or what it folds", byHand)
	}
	if notice := renewal.Notice(); notice != "" {
		t.Errorf("got the notice %q", notice)
	}
}

// TestRenewalOfAFollower gives new rules to a projection whose leader stays. What somebody has rolled back stays so, and a
// program with the older rules leaves the newer ones active.
func TestRenewalOfAFollower(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	old := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	next := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(2))}
	rig.Follow(t, log, old...)
	replay.Append(t, log, rig.Blocks(0, 100)...)
	replay.Wait(t, log)
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, BuildNew: true}, next...)
	renew(t, log, old, time.Nanosecond)
	renew(t, log, next, time.Hour)
	becomes := func(number int) {
		t.Helper()
		eventually.Holds(t, "the version is active", func() bool { return must.Get(version.Active(t.Context(), log.Pool()))(t)["tally"] == number })
	}
	becomes(2)
	newRenewal(log, next, prometheus.NewRegistry(), 0).Look(t.Context())
	if rig.StatusOf(t, log, rig.Schema("tally", 1)).Name == "" {
		t.Error("a program that keeps what is replaced has dropped it")
	}
	change(t, func() ([]version.Switch, error) { return version.Rollback(t.Context(), log.Pool(), next, "tally") }) // as it is kept
	for _, lines := range []projections.Lines{old, next, next} {
		look(t, log, lines)
		becomes(1)
	}
	if rig.StatusOf(t, log, rig.Schema("tally", 2)).Name == "" {
		t.Error("the version with newer rules is gone")
	}
}

// TestRenewalRefused has wrong rows in a version: it does not become active, and the notice and the metric say why.
func TestRenewalRefused(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	stop := rig.Follow(t, log, projections.Chain(rig.Chain(t), rig.NewTally(1)))
	replay.Append(t, log, rig.Blocks(0, 100)...)
	replay.Wait(t, log)
	stop()
	next := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(2))}
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, BuildNew: true}, next...)
	waitUntilIndexed(t, log, rig.Schema("tally", 2))
	rig.Execute(t, log, `UPDATE tally_v2.sum SET steps = steps + 1`)
	renewal, registry := renew(t, log, next, 0)
	eventually.Holds(t, "the notice says why", func() bool { return renewal.Notice() != "" })
	if got := must.Get(version.Active(t.Context(), log.Pool()))(t)["tally"]; got != 1 {
		t.Errorf("version %d is active: %s", got, renewal.Notice())
	}
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetMetric()[0].GetGauge().GetValue() != 1 {
		t.Errorf("got the metrics %v, %v", families, err)
	}
	rig.Execute(t, log, `UPDATE tally_v2.sum SET steps = steps - 1`)
	must.Get(version.Activate(t.Context(), log.Pool(), next, []projections.Schema{rig.Schema("tally", 2)}))(t)
	eventually.Holds(t, "nothing is wrong any more", func() bool { return renewal.Notice() == "" })
}

// TestFrozenRenewal freezes the process that makes a new version active, while it verifies it: another one does it then.
func TestFrozenRenewal(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 20)...)
	replay.Run(t, log, rig.Chain(t), rig.NewTally(1))
	next := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(2))}
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, BuildNew: true}, next...)
	waitUntilIndexed(t, log, rig.Schema("tally", 2))
	process := frozen.New(t, log.Pool(), "SELECT seq FROM strata.quarantine")
	ctx, stop := context.WithCancel(t.Context())
	first := version.NewRenewal(version.RenewalConfig{
		Pool: process.Pool, Lines: next, Logger: slog.New(slog.DiscardHandler), Activate: true, Patience: 500 * time.Millisecond,
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		first.Run(ctx)
	}()
	<-process.Frozen
	began := time.Now()
	renew(t, log, next, 0)
	eventually.Holds(t, "another process makes the version active", func() bool { return must.Get(version.Active(t.Context(), log.Pool()))(t)["tally"] == 2 })
	t.Logf("fault: a process frozen while it activates a version; another had activated it after %s", time.Since(began).Round(time.Millisecond))
	process.Thaw()
	eventually.Holds(t, "the first process has nothing to report", func() bool { return first.Notice() == "" })
	stop()
	<-ended
}
