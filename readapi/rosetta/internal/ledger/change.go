package ledger

import (
	"context"

	"strata/readapi/internal/engine"
)

// Change is a block that was added to the canonical chain, or removed from it.
type Change struct {
	Sequence int64 // from 0, without gaps
	ID       ID
	Added    bool
}

func changeColumns(c *Change) []any {
	return []any{&c.Sequence, &c.ID.Index, &c.ID.Hash, &c.ID.IndexHash, &c.Added}
}

// ReadChanges reads at most limit changes from one on, or the last ones without it, and the number of the newest one. It
// fails with ErrNoBlock while there is none.
func ReadChanges(ctx context.Context, s *engine.Snapshot, from *int64, limit int64) (highest int64, changes []Change, err error) {
	if s.Active("rosetta") == nil {
		return 0, nil, ErrNoBlock
	}
	b := s.Batch()
	newest := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[source_seq], sequence FROM {rosetta}.block_event ORDER BY sequence DESC LIMIT 1`)
	found := engine.Query(b, changeColumns, `
		SELECT ARRAY[e.source_seq], e.sequence, e.height, e.block_hash, e.index_block_hash, e.added
		FROM (SELECT coalesce($1, (SELECT max(sequence) - $2 + 1 FROM {rosetta}.block_event)) AS start) s
		JOIN {rosetta}.block_event e ON e.sequence >= s.start AND e.sequence < s.start + $2
		ORDER BY e.sequence`, from, limit)
	if err := b.Run(ctx); err != nil {
		return 0, nil, err
	}
	highest, ok := newest.First()
	if !ok {
		return 0, nil, ErrNoBlock
	}
	return highest, found.Rows, nil
}
