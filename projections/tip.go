package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ReadTip returns the tip that a query selects, or nil if it selects no row. Its columns are height, index_block_hash,
// block_hash and burn_block_height.
func ReadTip(ctx context.Context, tx pgx.Tx, query string, args ...any) (*Tip, error) {
	t := &Tip{}
	err := tx.QueryRow(ctx, query, args...).Scan(&t.Height, &t.IndexBlockHash, &t.BlockHash, &t.BurnBlockHeight)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the tip: %w", err)
	}
	return t, nil
}
