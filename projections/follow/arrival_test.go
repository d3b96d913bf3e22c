package follow_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/projections"
	"strata/rig"
	"strata/rig/replay"
)

// latecomer is a Tally that counts its folds, and those in which the indexes for readers are there while the leader is
// still far behind the head.
type latecomer struct {
	*rig.Tally
	early, folds *atomic.Int64
}

func (p latecomer) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return latecomer{p.Tally.WithSpec(spec).(*rig.Tally), p.early, p.folds}
}

func (p latecomer) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	early := false
	err := tx.QueryRow(ctx, `
		SELECT to_regclass('tally_v1.row_height_idx') IS NOT NULL AND c.position + 64 < h.size
		FROM strata.projection c, log.head h WHERE c.name = 'chain'`).Scan(&early)
	if err != nil {
		return projections.Outcome{}, err
	}
	if p.folds.Add(1); early {
		p.early.Add(1)
	}
	return p.Tally.Fold(ctx, tx, after, steps)
}

// TestIndexesComeLast builds a projection together with its leader, as after an import. The projection keeps up with
// the leader, and yet it must not make its indexes before the leader is at the head.
func TestIndexesComeLast(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 9000)...)
	var early, folds atomic.Int64
	rig.Follow(t, log, projections.Chain(rig.Chain(t), latecomer{rig.NewTally(1), &early, &folds}))
	replay.Wait(t, log)
	if n := early.Load(); n > 0 || folds.Load() < 2 {
		t.Errorf("%d of %d folds found the indexes for readers, long before the end of the build", n, folds.Load())
	}
	if n := rig.Query[int](t, log, `SELECT count(*) FROM pg_indexes WHERE schemaname = 'tally_v1' AND indexname = 'row_height_idx'`); n != 1 {
		t.Error("the indexes for readers were not there when the build had caught up")
	}
	if n := rig.Query[int](t, log, `SELECT count(*) FROM pg_class WHERE relnamespace = 'tally_v1'::regnamespace AND reloptions::text ~ 'autovacuum'`); n > 0 {
		t.Errorf("%d tables still have the settings of a build", n)
	}
	replay.Append(t, log, rig.Blocks(9000, 10)...)
	replay.Wait(t, log)
}

// TestShortBuild builds a projection with its leader from a short log, and expects one fold of all steps: while the
// leader is building, its follower must not take steps one by one.
func TestShortBuild(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 300)...)
	var early, folds atomic.Int64
	rig.Follow(t, log, projections.Chain(rig.Chain(t), latecomer{rig.NewTally(1), &early, &folds}))
	replay.Wait(t, log)
	if n := folds.Load(); n != 1 {
		t.Errorf("got %d folds, want 1 of all steps", n)
	}
}
