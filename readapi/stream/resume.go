package stream

import (
	"context"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/register"
)

// branchMost is the maximum number of blocks of an abandoned branch that a client may have.
const branchMost = 10_000

// resumePoint is the point at which a client resumes.
type resumePoint struct {
	step int64 // the last step that the client has
	// undone are blocks that the client has and that no later step reverts, the newest first. position is the client's
	// position without them.
	undone   []branchBlock
	position live.Position
}

// branchBlock is a block of a branch.
type branchBlock struct {
	height              int64
	id, block           hash.Hash32
	parent, parentBlock hash.Hash32
	canonical           bool
	since               int64 // the seq of the event that made it canonical
}

// resume finds the step after which a client with a given position resumes. In the instance that the position comes
// from, that is the step which led to it. Another instance may have other steps; there the tip decides: the client's
// blocks down to the first canonical one are undone, and it resumes after the step that applied that block, which has
// been canonical ever since. A position of another archive, or on a branch of more than branchMost blocks, is the
// client's error (400).
func resume(ctx context.Context, s *engine.Snapshot, p live.Position) (resumePoint, error) {
	b := s.Batch()
	last := engine.Query(b, liveStepColumns, liveStepSQL+`WHERE s.step = `+stepsUpTo(`$1::bigint`), p.Log)
	if err := b.Run(ctx); err != nil {
		return resumePoint{}, err
	}
	step, ok := last.First()
	switch {
	case !ok && p.Block.IsZero():
		return resumePoint{position: p}, nil
	case ok && (p.Block.IsZero() || step.position().Block == p.Block):
		return resumePoint{step: step.step, position: p}, nil
	}
	// The client may have left between the steps of one event: amid finds the last step that it has of them.
	b = s.Batch()
	amid := engine.Query(b, liveStepColumns, liveStepSQL+`
		WHERE s.step > `+stepsUpTo(`$1::bigint - 1`)+` AND s.step <= $2
		  AND (s.kind = 1 AND s.index_block_hash = $3 OR s.kind = -1 AND b.parent_index_block_hash = $3)
		ORDER BY s.step LIMIT 1`, step.source, step.step, p.Block)
	branch := engine.Query(b, branchColumns, `
		WITH RECURSIVE branch (n, height, index_block_hash, block_hash, parent_index_block_hash, parent_block_hash, canonical_seq) AS (
			SELECT 1, b.height, b.index_block_hash, b.block_hash, b.parent_index_block_hash, b.parent_block_hash, c.source_seq
			FROM {chain}.block b LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq
			WHERE b.index_block_hash = $1
			UNION ALL
			SELECT child.n + 1, b.height, b.index_block_hash, b.block_hash, b.parent_index_block_hash, b.parent_block_hash, c.source_seq
			FROM branch child
			CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.index_block_hash = child.parent_index_block_hash LIMIT 1) b
			LEFT JOIN LATERAL (SELECT source_seq FROM {chain}.canonical c WHERE c.block_seq = b.source_seq LIMIT 1) c ON true
			WHERE child.canonical_seq IS NULL AND child.n <= $2
		)
		SELECT {}, height, index_block_hash, block_hash, parent_index_block_hash, parent_block_hash, canonical_seq IS NOT NULL, coalesce(canonical_seq, 0)
		FROM branch ORDER BY n`, p.Block, branchMost)
	if err := b.Run(ctx); err != nil {
		return resumePoint{}, err
	}
	if found, ok := amid.First(); ok {
		return resumePoint{step: found.step, position: p}, nil
	}
	n := len(branch.Rows)
	if n == 0 {
		return resumePoint{}, engine.BadRequest("there is no block %s: the position %q is not of this archive", p.Block, p)
	}
	common := branch.Rows[n-1]
	if !common.canonical {
		return resumePoint{}, engine.BadRequest("the position %q is on a branch that leaves the chain more than %d blocks below, or nowhere", p, branchMost)
	}
	b = s.Batch()
	applied := engine.Query(b, liveStepColumns, liveStepSQL+`
		WHERE s.step > `+stepsUpTo(`$1::bigint - 1`)+` AND s.step <= `+stepsUpTo(`$1::bigint`)+` AND s.kind = 1 AND s.index_block_hash = $2
		ORDER BY s.step DESC LIMIT 1`, common.since, common.id)
	if err := b.Run(ctx); err != nil {
		return resumePoint{}, err
	}
	since, ok := applied.First()
	if !ok {
		return resumePoint{}, engine.BadRequest("no step has applied the block %s of the position %q", common.id, p)
	}
	return resumePoint{step: since.step, undone: branch.Rows[:n-1], position: since.position()}, nil
}

func branchColumns(r *branchBlock) []any {
	return []any{&r.height, &r.id, &r.block, &r.parent, &r.parentBlock, &r.canonical, &r.since}
}

// instance identifies the list of steps of a version: a rebuilt version has another one.
func instance(v *register.Version) string { return string(v.Epoch[:]) }
