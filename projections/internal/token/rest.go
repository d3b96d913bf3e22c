package token

import (
	"fmt"

	"strata/domain/fetch"
	"strata/projections"
)

// rest puts off all that a contract wants, except for what a person asked for. Wants that it raises later are put off as
// well.
func (b *batch) rest(step projections.Step, r *fetch.Rest) error {
	b.touched = nil // any number of tokens say when they are fetched again
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		WITH resting AS (
			INSERT INTO {schema}.rest (source_seq, until, contract_id) VALUES ($2, $3, $1)
			ON CONFLICT (contract_id) DO UPDATE SET source_seq = excluded.source_seq, until = greatest(rest.until, excluded.until)
			RETURNING until)
		UPDATE {schema}.want w SET due_at = resting.until FROM resting
		WHERE w.wanted_by = $1 AND w.priority > $4 AND w.due_at < resting.until`), r.Contract, step.SourceSeq, r.Until, priorityPerson); err != nil {
		return fmt.Errorf("put off what %s wants: %w", r.Contract, err)
	}
	return nil
}
