package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
)

// ReadTip returns the newest block in the version's table block.
func (s Spec) ReadTip(ctx context.Context, tx pgx.Tx) (*Tip, error) {
	return s.ReadTipWith(ctx, tx, "")
}

// ReadTipWith also reads further columns of that block's row, such as ", clock". Without a row, they are left as they are.
func (s Spec) ReadTipWith(ctx context.Context, tx pgx.Tx, columns string, into ...any) (*Tip, error) {
	return scanTip(tx.QueryRow(ctx, s.SQL(`
		SELECT height, index_block_hash, block_hash, burn_block_height`+columns+` FROM {schema}.block ORDER BY height DESC LIMIT 1`)), into...)
}

// ReadTip returns the tip that a query selects, or nil if it selects no row. Its columns are height, index_block_hash,
// block_hash and burn_block_height.
func ReadTip(ctx context.Context, tx pgx.Tx, query string, args ...any) (*Tip, error) {
	return scanTip(tx.QueryRow(ctx, query, args...))
}

func scanTip(row pgx.Row, into ...any) (*Tip, error) {
	t := &Tip{}
	err := row.Scan(append([]any{&t.Height, &t.IndexBlockHash, &t.BlockHash, &t.BurnBlockHeight}, into...)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the tip: %w", err)
	}
	return t, nil
}

// Tip returns the block that a step applies.
func (s Step) Tip() Tip {
	return Tip{Height: s.Height, IndexBlockHash: s.IndexBlockHash, BlockHash: s.Block.BlockHash, BurnBlockHeight: int64(s.Block.BurnBlockHeight)}
}

// CheckParents returns an error unless steps apply blocks on a tip, each on the one before. A nil tip may be any block.
func CheckParents(tip *Tip, steps []Step) error {
	for i, step := range steps {
		if step.Kind != Apply {
			return fmt.Errorf("step %d reverts a block that is not the tip of this projection", step.Number)
		}
		var below hash.Hash32
		switch {
		case i > 0:
			below = steps[i-1].IndexBlockHash
		case tip != nil:
			below = tip.IndexBlockHash
		default:
			continue
		}
		if step.Block.ParentIndexBlockHash != below {
			return fmt.Errorf("step %d applies block %s, whose parent is not the tip of this projection, %s", step.Number, step.IndexBlockHash, below)
		}
	}
	return nil
}
