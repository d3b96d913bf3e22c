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
//   - 2: symbol and decimals are told even if the contract or its node fails at another property.
const Version = 2

// Rosetta is the projection. It is not safe for concurrent use: one follower owns it.
type Rosetta struct {
	spec  projections.Spec
	state *state // nil until read from the tables
}

// state is what the projection keeps in memory between batches.
type state struct {
	position int64 // number of the last step folded
	sequence int64 // of the next row of block_event
	tip      *projections.Tip
}

// New returns the projection.
func New() *Rosetta { return &Rosetta{spec: Spec()} }

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
	return &Rosetta{spec: spec}
}

// Readable implements projections.Readable. Until the new version is active, a currency is missing if its contract has told it only
// together with a failure.
func (p *Rosetta) Readable() []int { return []int{1} }

// Forget implements projections.Projection.
func (p *Rosetta) Forget() { p.state = nil }

// block is a canonical block.
type block struct {
	projections.Tip
	seq int64
}

// batch is one call of Fold: the steps of one database transaction.
type batch struct {
	spec       projections.Spec
	tx         pgx.Tx
	sequence   int64
	tip        *projections.Tip
	tipUnknown bool // after a revert, until the next block
	applied    map[int64]*block
	removed    []int64 // heights of rows to delete
	events     []blockEvent
	currencies map[string]currency
}

// blockEvent is a row of block_event.
type blockEvent struct {
	sequence, height, seq int64
	added                 bool
	indexHash, blockHash  hash.Hash32
}

// Fold implements projections.Projection.
func (p *Rosetta) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	if p.state == nil || p.state.position != after {
		var err error
		if p.state, err = p.readState(ctx, tx); err != nil {
			return projections.Outcome{}, err
		}
	}
	b := &batch{spec: p.spec, tx: tx, sequence: p.state.sequence, tip: p.state.tip, applied: map[int64]*block{}, currencies: map[string]currency{}}
	for _, step := range steps {
		switch step.Kind {
		case projections.Apply:
			b.apply(step)
		case projections.Revert:
			if err := b.revert(ctx, step); err != nil {
				return projections.Outcome{}, fmt.Errorf("revert block %s at height %d: %w", step.IndexBlockHash, step.Height, err)
			}
		case projections.TakeRecord:
			b.takeRecord(step)
		}
	}
	if err := b.write(ctx); err != nil {
		return projections.Outcome{}, err
	}
	if b.tipUnknown {
		var err error
		if b.tip, err = p.spec.ReadTip(ctx, tx); err != nil {
			return projections.Outcome{}, err
		}
	}
	p.state = &state{position: steps[len(steps)-1].Number, sequence: b.sequence, tip: b.tip}
	return projections.Outcome{Tip: b.tip}, nil
}

func (p *Rosetta) readState(ctx context.Context, tx pgx.Tx) (*state, error) {
	s := &state{position: -1}
	err := tx.QueryRow(ctx, p.spec.SQL(`SELECT coalesce((SELECT sequence + 1 FROM {schema}.block_event ORDER BY sequence DESC LIMIT 1), 0)`)).Scan(&s.sequence)
	if err != nil {
		return nil, fmt.Errorf("read the number of the next block event: %w", err)
	}
	s.tip, err = p.spec.ReadTip(ctx, tx)
	return s, err
}

func (b *batch) event(step projections.Step, added bool, blockHash hash.Hash32) {
	b.events = append(b.events, blockEvent{b.sequence, step.Height, step.SourceSeq, added, step.IndexBlockHash, blockHash})
	b.sequence++
}

func (b *batch) apply(step projections.Step) {
	applied := &block{seq: step.BlockSeq, Tip: step.Tip()}
	b.applied[step.Height] = applied
	b.tip, b.tipUnknown = &applied.Tip, false
	b.event(step, true, applied.BlockHash)
}

// revert removes the block at the top. What the list says of it is in memory or in its row.
func (b *batch) revert(ctx context.Context, step projections.Step) error {
	var blockHash hash.Hash32
	switch applied := b.applied[step.Height]; {
	case applied != nil:
		delete(b.applied, step.Height)
		blockHash = applied.BlockHash
	case !b.tipUnknown && b.tip != nil && b.tip.IndexBlockHash == step.IndexBlockHash:
		b.removed = append(b.removed, step.Height)
		blockHash = b.tip.BlockHash
	default:
		if err := b.tx.QueryRow(ctx, b.spec.SQL(`SELECT block_hash FROM {schema}.block WHERE height = $1`), step.Height).Scan(&blockHash); err != nil {
			return fmt.Errorf("read it: %w", err)
		}
		b.removed = append(b.removed, step.Height)
	}
	b.tip, b.tipUnknown = nil, true
	b.event(step, false, blockHash)
	return nil
}

// takeRecord reads a currency from a report, unless one of the batch had told it before.
func (b *batch) takeRecord(step projections.Step) {
	c, ok := currencyOf(step)
	if _, known := b.currencies[c.contract]; ok && !known {
		b.currencies[c.contract] = c
	}
}

// write writes the rows of the batch in one round trip.
func (b *batch) write(ctx context.Context) error {
	rows := &pgx.Batch{}
	if len(b.removed) > 0 {
		rows.Queue(b.spec.SQL(`DELETE FROM {schema}.block WHERE height = ANY ($1)`), b.removed)
	}
	b.queueBlocks(rows)
	b.queueEvents(rows)
	for _, contract := range slices.Sorted(maps.Keys(b.currencies)) {
		c := b.currencies[contract]
		rows.Queue(b.spec.SQL(`
			INSERT INTO {schema}.currency (source_seq, decimals, contract_id, symbol) VALUES ($1, $2, $3, $4)
			ON CONFLICT (contract_id) DO NOTHING`), c.seq, c.decimals, c.contract, c.symbol)
	}
	if rows.Len() == 0 {
		return nil
	}
	if err := b.tx.SendBatch(ctx, rows).Close(); err != nil {
		return fmt.Errorf("write %d blocks and %d block events: %w", len(b.applied), len(b.events), err)
	}
	return nil
}

func (b *batch) queueBlocks(rows *pgx.Batch) {
	if len(b.applied) == 0 {
		return
	}
	var heights, seqs, burnHeights []int64
	var indexHashes, blockHashes [][]byte
	for _, height := range slices.Sorted(maps.Keys(b.applied)) {
		applied := b.applied[height]
		heights, seqs, burnHeights = append(heights, height), append(seqs, applied.seq), append(burnHeights, applied.BurnBlockHeight)
		indexHashes, blockHashes = append(indexHashes, applied.IndexBlockHash[:]), append(blockHashes, applied.BlockHash[:])
	}
	rows.Queue(b.spec.SQL(`
		INSERT INTO {schema}.block (height, source_seq, burn_block_height, index_block_hash, block_hash)
		SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[])`), heights, seqs, burnHeights, indexHashes, blockHashes)
}

func (b *batch) queueEvents(rows *pgx.Batch) {
	if len(b.events) == 0 {
		return
	}
	var sequences, heights, seqs []int64
	var added []bool
	var indexHashes, blockHashes [][]byte
	for i := range b.events {
		e := &b.events[i]
		sequences, heights, seqs, added = append(sequences, e.sequence), append(heights, e.height), append(seqs, e.seq), append(added, e.added)
		indexHashes, blockHashes = append(indexHashes, e.indexHash[:]), append(blockHashes, e.blockHash[:])
	}
	rows.Queue(b.spec.SQL(`
		INSERT INTO {schema}.block_event (sequence, height, source_seq, added, index_block_hash, block_hash)
		SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[], $5::bytea[], $6::bytea[])`), sequences, heights, seqs, added, indexHashes, blockHashes)
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
