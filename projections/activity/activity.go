// Package activity counts the addresses that call each contract in a day. It is the example of
// docs/writing-a-projection.md; the program does not run it.
package activity

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/transaction"
	"strata/projections"
)

//go:embed tables.sql
var tables string

// Name is the name of the projection.
const Name = "activity"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
const Version = 1

// Activity is the projection. It keeps nothing in memory.
type Activity struct{ spec projections.Spec }

// New returns the projection.
func New() *Activity {
	return &Activity{projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version}, Tables: tables, Views: []string{"contract_activity:day"},
	}}
}

// Spec implements projections.Projection.
func (p *Activity) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Activity) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return &Activity{spec}
}

// Forget implements projections.Projection.
func (p *Activity) Forget() {}

// Fold implements projections.Projection.
func (p *Activity) Fold(ctx context.Context, tx pgx.Tx, _ int64, steps []projections.Step) (projections.Outcome, error) {
	b := &batch{p.spec, tx, nil}
	if len(steps) == 1 {
		b.touched = projections.NewTouched() // a batch of many blocks changes too much to name it
	}
	if err := projections.FoldBlocks(ctx, projections.Lasting(steps), b.revert, b.apply); err != nil {
		return projections.Outcome{}, err
	}
	tip, err := p.spec.ReadTip(ctx, tx)
	return projections.Outcome{Tip: tip, Touched: b.touched}, err
}

// batch is one call of Fold: the steps of one database transaction.
type batch struct {
	spec    projections.Spec
	tx      pgx.Tx
	touched *projections.Touched
}

// calls are columns of calls of contracts.
type calls struct {
	heights, seqs        []int64
	days                 []time.Time
	indexes              []int32
	contracts, addresses []string
}

// apply adds blocks with the calls in them.
func (b *batch) apply(ctx context.Context, steps []projections.Step) error {
	blocks := make([][]any, len(steps))
	var c calls
	for i, step := range steps {
		blocks[i] = []any{step.Height, step.BlockSeq, int64(step.Block.BurnBlockHeight), step.IndexBlockHash[:], step.Block.BlockHash[:]}
		c.add(step)
	}
	if err := b.spec.Copy(ctx, b.tx, "block", []string{"height", "source_seq", "burn_block_height", "index_block_hash", "block_hash"}, blocks); err != nil {
		return err
	}
	// Of several calls by an address in a day the first counts, whatever is in one batch.
	rows, err := b.tx.Query(ctx, b.spec.SQL(`
		WITH called AS (
			SELECT DISTINCT ON (contract, day, address) *
			FROM unnest($1::bigint[], $2::bigint[], $3::date[], $4::int[], $5::text[], $6::text[]) AS c (height, seq, day, tx_index, contract, address)
			ORDER BY contract, day, address, height, tx_index
		), came AS (
			INSERT INTO {schema}.caller (height, source_seq, day, tx_index, contract_id, address) SELECT * FROM called
			ON CONFLICT (contract_id, day, address) DO NOTHING RETURNING contract_id, day, source_seq
		)
		INSERT INTO {schema}.day AS d (source_seq, day, addresses, contract_id)
		SELECT max(source_seq), day, count(*), contract_id FROM came GROUP BY contract_id, day ORDER BY contract_id, day
		ON CONFLICT (contract_id, day) DO UPDATE
			SET source_seq = greatest(d.source_seq, excluded.source_seq), addresses = d.addresses + excluded.addresses
		RETURNING contract_id`), c.heights, c.seqs, c.days, c.indexes, c.contracts, c.addresses)
	return b.touch(rows, err)
}

// add adds the calls in a block.
func (c *calls) add(step projections.Step) {
	seconds := step.Block.BurnBlockTime
	if step.Block.Time != nil { // since Nakamoto a block has a time of its own
		seconds = *step.Block.Time
	}
	day := time.Unix(int64(seconds), 0).UTC().Truncate(24 * time.Hour)
	for i, tx := range step.Block.Decoded {
		if tx == nil { // an operation that came from Bitcoin
			continue
		}
		if call, ok := tx.Payload.(*transaction.ContractCall); ok {
			c.heights, c.seqs, c.days = append(c.heights, step.Height), append(c.seqs, step.BlockSeq), append(c.days, day)
			c.indexes = append(c.indexes, int32(i))
			c.contracts, c.addresses = append(c.contracts, call.Contract.String()), append(c.addresses, tx.Sender().String())
		}
	}
}

// revert removes the blocks from the height lowest on.
func (b *batch) revert(ctx context.Context, _ projections.Step, lowest int64) error {
	if _, err := b.tx.Exec(ctx, b.spec.SQL(`DELETE FROM {schema}.block WHERE height >= $1`), lowest); err != nil {
		return err
	}
	rows, err := b.tx.Query(ctx, b.spec.SQL(`
		WITH gone AS (DELETE FROM {schema}.caller WHERE height >= $1 RETURNING contract_id, day)
		SELECT contract_id, day, count(*) FROM gone GROUP BY contract_id, day ORDER BY contract_id, day`), lowest)
	if err != nil {
		return err
	}
	type change struct {
		contract string
		day      time.Time
		n        int64
	}
	changes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c change, err error) {
		err = row.Scan(&c.contract, &c.day, &c.n)
		return c, err
	})
	if err != nil {
		return err
	}
	var (
		contracts []string
		days      []time.Time
	)
	for _, c := range changes {
		contracts, days = append(contracts, c.contract), append(days, c.day)
	}
	// The newest call that is left says what the row comes from now; a day without calls has no row.
	if _, err := b.tx.Exec(ctx, b.spec.SQL(`
		DELETE FROM {schema}.day d USING unnest($1::text[], $2::date[]) AS g (contract, day) WHERE d.contract_id = g.contract AND d.day = g.day`),
		contracts, days); err != nil {
		return err
	}
	rows, err = b.tx.Query(ctx, b.spec.SQL(`
		INSERT INTO {schema}.day (source_seq, day, addresses, contract_id)
		SELECT max(c.source_seq), c.day, count(*), c.contract_id
		FROM unnest($1::text[], $2::date[]) AS g (contract, day) JOIN {schema}.caller c ON c.contract_id = g.contract AND c.day = g.day
		GROUP BY c.contract_id, c.day RETURNING contract_id`), contracts, days)
	for _, c := range changes {
		b.touched.Add(Resource(c.contract))
	}
	return b.touch(rows, err)
}

// Resource is the name of what is known about a contract. Answers about it are cached until a fold touches that.
func Resource(contract string) string { return "activity:" + contract }

// touch names the contracts that a query returns.
func (b *batch) touch(rows pgx.Rows, err error) error {
	if err != nil {
		return err
	}
	contracts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, contract := range contracts {
		b.touched.Add(Resource(contract))
	}
	return err
}

// Checks implements projections.Checked.
func (p *Activity) Checks() []projections.Check {
	return []projections.Check{{Name: "a day counts its callers", SQL: `
		SELECT contract_id, day
		FROM (SELECT contract_id, day, count(*) AS addresses, max(source_seq) AS source_seq FROM {schema}.caller GROUP BY 1, 2) c
		FULL JOIN {schema}.day d USING (contract_id, day)
		WHERE (c.addresses, c.source_seq) IS DISTINCT FROM (d.addresses, d.source_seq)`}}
}
