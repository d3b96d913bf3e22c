// Package rosetta keeps what the integration standard (Rosetta, now Mesh) needs and no other projection has: the numbered
// list of blocks that were added and removed, and the currencies of fungible tokens as they were first known.
//
// Amounts and balances are not here: the standard shows those of the projection balances.
package rosetta

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/token"
	"strata/projections"
)

//go:embed tables.sql
var tables string

// Name is the name of the projection.
const Name = "rosetta"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
const Version = 1

// Rosetta is the projection. It keeps no state in memory.
type Rosetta struct{ spec projections.Spec }

// New returns the projection.
func New() *Rosetta { return &Rosetta{Spec()} }

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version}, Tables: tables,
		Views:   []string{"block_event", "currency"},
		Records: []projections.RecordKind{projections.Fetched},
	}
}

// Spec implements projections.Projection.
func (p *Rosetta) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Rosetta) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return &Rosetta{spec}
}

// Forget implements projections.Projection.
func (p *Rosetta) Forget() {}

// block is a canonical block.
type block struct {
	projections.Tip
	seq int64
}

// batch is one call of Fold: the steps of one database transaction.
type batch struct {
	spec     projections.Spec
	tx       pgx.Tx
	sequence int64 // of the next row of block_event
	applied  map[int64]*block
	removed  []int64 // heights of rows to delete
	events   [][]any
}

// Fold implements projections.Projection.
func (p *Rosetta) Fold(ctx context.Context, tx pgx.Tx, _ int64, steps []projections.Step) (projections.Outcome, error) {
	b := &batch{spec: p.spec, tx: tx, applied: map[int64]*block{}}
	err := tx.QueryRow(ctx, p.spec.SQL(`SELECT coalesce((SELECT sequence + 1 FROM {schema}.block_event ORDER BY sequence DESC LIMIT 1), 0)`)).Scan(&b.sequence)
	if err != nil {
		return projections.Outcome{}, fmt.Errorf("read the number of the next block event: %w", err)
	}
	currencies := map[string]currency{}
	for _, step := range steps {
		switch step.Kind {
		case projections.Apply:
			b.apply(step)
		case projections.Revert:
			if err := b.revert(ctx, step); err != nil {
				return projections.Outcome{}, fmt.Errorf("revert block %s at height %d: %w", step.IndexBlockHash, step.Height, err)
			}
		case projections.TakeRecord:
			if c, ok := currencyOf(step); ok {
				if _, known := currencies[c.contract]; !known {
					currencies[c.contract] = c
				}
			}
		}
	}
	if err := b.write(ctx, currencies); err != nil {
		return projections.Outcome{}, err
	}
	tip, err := projections.ReadTip(ctx, tx, p.spec.SQL(`SELECT height, index_block_hash, block_hash, burn_block_height FROM {schema}.block ORDER BY height DESC LIMIT 1`))
	return projections.Outcome{Tip: tip}, err
}

func (b *batch) event(step projections.Step, added bool, blockHash hash.Hash32) {
	b.events = append(b.events, []any{b.sequence, step.Height, step.SourceSeq, added, step.IndexBlockHash[:], blockHash[:]})
	b.sequence++
}

func (b *batch) apply(step projections.Step) {
	b.applied[step.Height] = &block{seq: step.BlockSeq, Tip: projections.Tip{
		Height: step.Height, IndexBlockHash: step.IndexBlockHash, BlockHash: step.Block.BlockHash, BurnBlockHeight: int64(step.Block.BurnBlockHeight),
	}}
	b.event(step, true, step.Block.BlockHash)
}

func (b *batch) revert(ctx context.Context, step projections.Step) error {
	if applied := b.applied[step.Height]; applied != nil {
		delete(b.applied, step.Height)
		b.event(step, false, applied.BlockHash)
		return nil
	}
	var blockHash hash.Hash32
	if err := b.tx.QueryRow(ctx, b.spec.SQL(`SELECT block_hash FROM {schema}.block WHERE height = $1`), step.Height).Scan(&blockHash); err != nil {
		return fmt.Errorf("read it: %w", err)
	}
	b.removed = append(b.removed, step.Height)
	b.event(step, false, blockHash)
	return nil
}

// write writes the rows of the batch.
func (b *batch) write(ctx context.Context, currencies map[string]currency) error {
	if len(b.removed) > 0 {
		if _, err := b.tx.Exec(ctx, b.spec.SQL(`DELETE FROM {schema}.block WHERE height = ANY ($1)`), b.removed); err != nil {
			return fmt.Errorf("delete %d blocks: %w", len(b.removed), err)
		}
	}
	var blocks [][]any
	for _, height := range slices.Sorted(maps.Keys(b.applied)) {
		applied := b.applied[height]
		blocks = append(blocks, []any{height, applied.seq, applied.BurnBlockHeight, applied.IndexBlockHash[:], applied.BlockHash[:]})
	}
	if err := b.copy(ctx, "block", []string{"height", "source_seq", "burn_block_height", "index_block_hash", "block_hash"}, blocks); err != nil {
		return err
	}
	if err := b.copy(ctx, "block_event", []string{"sequence", "height", "source_seq", "added", "index_block_hash", "block_hash"}, b.events); err != nil {
		return err
	}
	for _, contract := range slices.Sorted(maps.Keys(currencies)) {
		c := currencies[contract]
		_, err := b.tx.Exec(ctx, b.spec.SQL(`
			INSERT INTO {schema}.currency (source_seq, decimals, contract_id, symbol) VALUES ($1, $2, $3, $4)
			ON CONFLICT (contract_id) DO NOTHING`), c.seq, c.decimals, c.contract, c.symbol)
		if err != nil {
			return fmt.Errorf("write the currency of %s: %w", contract, err)
		}
	}
	return nil
}

// copy writes rows into a table.
func (b *batch) copy(ctx context.Context, table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := b.tx.CopyFrom(ctx, pgx.Identifier{b.spec.String(), table}, columns, pgx.CopyFromRows(rows)); err != nil {
		return fmt.Errorf("write %d rows of %s: %w", len(rows), table, err)
	}
	return nil
}

// currency is what a contract says of its fungible token.
type currency struct {
	seq              int64
	decimals         int32
	contract, symbol string
}

// currencyOf returns what a report says of a fungible token; ok is false unless it tells both symbol and decimals.
func currencyOf(step projections.Step) (c currency, ok bool) {
	report, ok := step.Record.(*fetch.Report)
	if !ok || report.Want.Kind != fetch.ContractRead {
		return c, false
	}
	read, problem := token.ReadToken(token.FT, report)
	if problem != nil || read.Symbol == nil || *read.Symbol == "" || read.Decimals == nil {
		return c, false
	}
	return currency{step.SourceSeq, *read.Decimals, report.Want.Contract, *read.Symbol}, true
}

// Checks implements projections.Checked.
func (p *Rosetta) Checks() []projections.Check {
	return []projections.Check{
		{Name: "block events are numbered from 0 without gaps", SQL: `
			SELECT sequence FROM (SELECT sequence, row_number() OVER (ORDER BY sequence) - 1 AS place FROM {schema}.block_event) e WHERE sequence <> place`},
		{Name: "the canonical blocks are those that were added last and not removed", SQL: `
			SELECT b.height FROM {schema}.block b
			WHERE NOT EXISTS (SELECT FROM {schema}.block_event e WHERE e.height = b.height AND e.added AND e.index_block_hash = b.index_block_hash)`},
	}
}
