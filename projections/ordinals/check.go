package ordinals

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// CountContradictions returns how often the feed has repeated a block that is applied now, and said something else.
func CountContradictions(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, version projections.Schema) (n int64, err error) {
	err = db.QueryRow(ctx, projections.Spec{Schema: version}.SQL(`
		SELECT count(*) FROM {schema}.anomaly a JOIN {schema}.block b USING (height, block_hash)
		WHERE a.kind = 'changed' AND b.source_seq < a.source_seq`)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count the repeated blocks that say something else in %s: %w", version, err)
	}
	return n, nil
}

// Checks implements projections.Checked.
func (p *Ordinals) Checks() []projections.Check {
	return []projections.Check{
		{Name: "steps are numbered without gaps", SQL: `
			SELECT max(step) AS last_step, count(*) AS steps FROM {schema}.step HAVING count(*) <> coalesce(max(step), 0)`},
		{Name: "steps add up to the applied blocks", SQL: `
			SELECT coalesce(s.height, b.height) AS height, coalesce(s.block_seq, b.source_seq) AS block_seq
			FROM (
				SELECT height, block_seq, block_index, sum(kind) AS applied, max(step) AS step FROM {schema}.step GROUP BY height, block_seq, block_index
			) s FULL JOIN {schema}.block b ON b.height = s.height AND b.source_seq = s.block_seq AND b.block_index = s.block_index
			WHERE coalesce(s.applied, 0) <> CASE WHEN b.height IS NULL THEN 0 ELSE 1 END OR b.step <> s.step`},
	}
}
