package stream

import (
	"context"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
)

// Kinds of steps.
const (
	stepApply  = 1
	stepRevert = -1
)

// liveStep is a step of the chain.
type liveStep struct {
	step, source int64 // source is the event that caused it
	kind         int16
	height       int64 // of the block; for a record of the one at the top, or -1
	id           hash.Hash32
	// Of the block; content is the event with it.
	content     int64
	block       *hash.Hash32
	parent      *hash.Hash32
	canonical   bool // it was applied by this step, and still is
	burnHeight  int64
	parentBlock *hash.Hash32
}

// liveStepSQL selects what liveStepColumns reads, of the step s.
const liveStepSQL = `
	SELECT ARRAY[]::bigint[], s.step, s.source_seq, s.kind, s.height, s.index_block_hash,
	       coalesce(b.source_seq, 0), b.block_hash, b.parent_index_block_hash, c.height IS NOT NULL, coalesce(b.burn_block_height, 0), b.parent_block_hash
	FROM {chain}.step s
	LEFT JOIN LATERAL ( -- by its hash, as the content of a block may have come again with another event
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

// position is what a client has that has got everything up to the step.
func (s *liveStep) position() live.Position {
	switch {
	case s.kind == stepRevert && s.parent != nil && s.height > 0:
		return live.Position{Log: s.source, Height: s.height - 1, Block: *s.parent}
	case s.kind != stepRevert && s.height >= 0:
		return live.Position{Log: s.source, Height: s.height, Block: s.id}
	}
	return live.Position{Log: s.source}
}

// queueSteps adds the query for the steps after one, up to another, to a batch.
func queueSteps(b *engine.Batch, after, until int64, limit int) *engine.Result[liveStep] {
	return engine.Query(b, liveStepColumns, liveStepSQL+`WHERE s.step > $1 AND s.step <= $2 ORDER BY s.step LIMIT $3`, after, until, limit)
}

// headStep is the last step, that with the number 0 when there is none.
func headStep(ctx context.Context, s *engine.Snapshot) (liveStep, error) {
	b := s.Batch()
	found := engine.Query(b, liveStepColumns, liveStepSQL+`ORDER BY s.step DESC LIMIT 1`)
	if err := b.Run(ctx); err != nil {
		return liveStep{}, err
	}
	head, ok := found.First()
	if !ok {
		head.height = -1
	}
	return head, nil
}

// stepsUpTo is a query for the number of the last step that an event up to one caused, found by halving: the events of steps
// only ever grow. argument is the expression for the event.
func stepsUpTo(argument string) string {
	return `(
		WITH RECURSIVE halving (low, high) AS (
			SELECT 0::bigint, coalesce((SELECT step FROM {chain}.step ORDER BY step DESC LIMIT 1), 0)
			UNION ALL
			SELECT CASE WHEN middle.source_seq <= ` + argument + ` THEN middle.step ELSE low END,
			       CASE WHEN middle.source_seq <= ` + argument + ` THEN high ELSE middle.step - 1 END
			FROM halving
			CROSS JOIN LATERAL (SELECT step, source_seq FROM {chain}.step WHERE step = (low + high + 1) / 2) middle
			WHERE low < high
		)
		SELECT low FROM halving WHERE low = high LIMIT 1
	)`
}
