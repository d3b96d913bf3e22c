package version_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/version"
	"strata/rig"
)

// TestAwaitBuilt waits for a version that nobody builds, then for one that somebody builds, and activates it.
func TestAwaitBuilt(t *testing.T) {
	t.Parallel()
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	log, stop := rig.Folded(t, 300, lines...)
	stop()
	made := rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "tally"})
	rig.Execute(t, log, `CREATE INDEX row_height_idx ON tally_v2.row (height)`) // by a process that was killed then

	// The time is up between two looks, and not in the middle of one.
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	seen := 0
	err := version.AwaitBuilt(ctx, log.Pool(), lines, made, func(s version.Status) {
		if seen++; seen == 2 {
			cancel(context.DeadlineExceeded)
		}
		if s.Schema() != made[0] || s.Position != 0 {
			t.Errorf("progress of %s at %d", s.Schema(), s.Position)
		}
	})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "at position 0 of") || seen != 2 {
		t.Errorf("nobody builds it: got %v after %d reports", err, seen)
	}

	rig.Follow(t, log, lines...)
	must.Do(t, version.AwaitBuilt(t.Context(), log.Pool(), lines, made, func(version.Status) {}))
	if _, err := version.Activate(t.Context(), log.Pool(), lines, made); err != nil {
		t.Errorf("activate what was waited for: %v", err)
	}
	rig.CheckFit(t, log, lines, made[0])
}
