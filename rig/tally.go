package rig

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// Tally is a projection of steps with rules that a test chooses: each row says which rules wrote it.
type Tally struct {
	spec  projections.Spec
	rules int
}

// NewTally makes a Tally whose rules have this number.
func NewTally(rules int) *Tally {
	return &Tally{rules: rules, spec: projections.Spec{
		Schema: projections.Schema{Name: "tally", Version: rules}, Views: []string{"tally_row:row"},
		Tables: `
			CREATE TABLE {schema}.row (
				step       bigint NOT NULL PRIMARY KEY,
				source_seq bigint NOT NULL,
				height     bigint NOT NULL,
				rules      int    NOT NULL
			);
			CREATE TABLE {schema}.sum (steps bigint NOT NULL, since bigint NOT NULL);
			CREATE TABLE {schema}.part (first bigint NOT NULL, n bigint NOT NULL);
` + projections.ReaderIndexes + `
			-- For look-ups by height; and by rules.
			CREATE INDEX row_height_idx ON {schema}.row (height);
			CREATE UNIQUE INDEX row_source_idx
				ON {schema}.row (source_seq, step);
		`,
	}}
}

// Spec implements projections.Projection.
func (p *Tally) Spec() projections.Spec { return p.spec }

// Forget implements projections.Projection.
func (p *Tally) Forget() {}

// WithSpec implements projections.Rebuildable.
func (p *Tally) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return &Tally{rules: p.rules, spec: spec}
}

// Checks implements projections.Checked.
func (p *Tally) Checks() []projections.Check {
	return []projections.Check{{
		Name: "the sum is that of the rows",
		SQL:  `SELECT s.steps, r.n FROM {schema}.sum s FULL JOIN (SELECT count(*) AS n FROM {schema}.row) r ON true WHERE coalesce(s.steps, 0) <> r.n`,
	}, {
		Name: "the parts are those of the rows",
		SQL:  `SELECT p.n, r.n AS rows FROM (SELECT coalesce(sum(n), 0) AS n FROM {schema}.part) p JOIN (SELECT count(*) AS n FROM {schema}.row) r ON r.n <> p.n`,
	}}
}

// BuildDependent implements projections.BuildDependent: part has a row for each fold.
func (p *Tally) BuildDependent() []string { return []string{"part"} }

// Fold implements projections.Projection.
func (p *Tally) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	if steps[0].Number != after+1 {
		return projections.Outcome{}, fmt.Errorf("step %d comes after %d", steps[0].Number, after)
	}
	b := &pgx.Batch{}
	for _, s := range steps {
		b.Queue(p.spec.SQL(`INSERT INTO {schema}.row VALUES ($1, $2, $3, $4)`), s.Number, s.SourceSeq, s.Height, p.rules)
	}
	b.Queue(p.spec.SQL(`INSERT INTO {schema}.part VALUES ($1, $2)`), steps[0].Number, len(steps))
	b.Queue(p.spec.SQL(`INSERT INTO {schema}.sum SELECT 0, 0 WHERE NOT EXISTS (SELECT FROM {schema}.sum)`))
	b.Queue(p.spec.SQL(`UPDATE {schema}.sum SET steps = steps + $1`), len(steps))
	return projections.Outcome{}, tx.SendBatch(ctx, b).Close()
}
