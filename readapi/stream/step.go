package stream

import (
	"context"

	"strata/domain/hash"
	"strata/domain/step"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/page"
)

// liveStep is a step of the projection chain: a block that is applied or reverted, or a record that changes no block.
type liveStep struct {
	step, source int64 // source is the seq of the event that caused the step
	kind         step.Kind
	height       int64 // of the block; for a record that of the tip, or -1 when there is none
	id           hash.Hash32
	// The block of the step. content is the seq of the event that brought it, and block its hash.
	content     int64
	block       *hash.Hash32
	parent      *hash.Hash32
	canonical   bool // the step applied the block, which has been canonical ever since
	burnHeight  int64
	parentBlock *hash.Hash32
}

// liveStepSQL selects the columns of liveStepColumns from the steps s; a condition on s may follow.
const liveStepSQL = `
	SELECT {}, s.step, s.source_seq, s.kind, s.height, s.index_block_hash,
	       coalesce(b.source_seq, 0), b.block_hash, b.parent_index_block_hash, c.height IS NOT NULL, coalesce(b.burn_block_height, 0), b.parent_block_hash
	FROM {chain}.step s
	LEFT JOIN LATERAL ( -- by hash: another event may have brought the same block again
		SELECT b.source_seq, b.block_hash, b.parent_index_block_hash, b.burn_block_height, b.parent_block_hash
		FROM {chain}.block b WHERE b.index_block_hash = s.index_block_hash LIMIT 1
	) b ON s.kind <> 0
	LEFT JOIN LATERAL (
		SELECT c.height FROM {chain}.canonical c
		WHERE c.height = s.height AND c.block_seq = s.block_seq AND c.source_seq = s.source_seq LIMIT 1
	) c ON s.kind = 1 `

func liveStepColumns(s *liveStep) []any {
	return []any{
		&s.step, &s.source, &s.kind, &s.height, &s.id,
		&s.content, &s.block, &s.parent, &s.canonical, &s.burnHeight, &s.parentBlock,
	}
}

// position returns the position of a client that has everything up to and including the step.
func (s *liveStep) position() live.Position {
	switch {
	case s.kind == step.Revert && s.parent != nil && s.height > 0:
		return live.Position{Log: s.source, Height: s.height - 1, Block: *s.parent}
	case s.kind != step.Revert && s.height >= 0:
		return live.Position{Log: s.source, Height: s.height, Block: s.id}
	}
	return live.Position{Log: s.source}
}

// queueSteps adds a query to a batch: the first steps in (after, until].
func queueSteps(b *engine.Batch, after, until int64, limit int) *engine.Result[liveStep] {
	return engine.Query(b, liveStepColumns, liveStepSQL+`WHERE s.step > $1 AND s.step <= $2 ORDER BY s.step LIMIT $3`, after, until, limit)
}

// headStep returns the last step up to until; one with the number 0 when there is none.
func headStep(ctx context.Context, s *engine.Snapshot, until int64) (liveStep, error) {
	b := s.Batch()
	found := engine.Query(b, liveStepColumns, liveStepSQL+`WHERE s.step <= $1 ORDER BY s.step DESC LIMIT 1`, until)
	if err := b.Run(ctx); err != nil {
		return liveStep{}, err
	}
	head, ok := found.First()
	if !ok {
		head.height = -1
	}
	return head, nil
}

// stepsUpTo returns the SQL expression for the number of the last step that was caused by an event at or before a given
// one; 0 for none. The events of steps never decrease. argument is the SQL expression for the seq of that event.
func stepsUpTo(argument string) string {
	return page.Bisection{
		Low: `0::bigint`, High: `coalesce((SELECT step FROM {chain}.step ORDER BY step DESC LIMIT 1), 0)`,
		Probe: `SELECT s.step AS n, s.source_seq <= ` + argument + ` AS holds FROM {chain}.step s WHERE s.step = {middle}`,
	}.Last()
}
