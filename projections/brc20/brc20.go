// Package brc20 keeps the BRC-20 tokens of the ordinals feed: what was done with them, and who has how much.
//
// The feed's indexer has checked the operations, so they are added up as they come. Every change of a balance is an entry
// of a ledger with the balance after it: the balance at the tip and at any earlier block are reads of that table.
//
// # Order
//
// Blocks come late and are taken back in any order, and the rows are always those of the applied blocks in the order of
// their heights, however they came to be applied. So a fold looks at what becomes of each height, not at the steps in
// between; it takes away the rows of some heights, adds those of others, and derives what hangs on the operations that
// changed: running balances from the first changed entry of an account on, the tie between a transfer and its send, the
// counts of a token. Blocks above all others, which is what a feed at the tip has, only add.
//
// A block that is missing leaves operations of tokens without a deploy, sends without a transfer, and balances below zero.
// All of them count, and all is well when the block has come.
package brc20

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/projections"
	"strata/projections/internal/ranked"
)

//go:embed tables.sql
var tables string

// Name of the projection.
const Name = "brc20"

// Version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
const Version = 1

// BRC20 is the projection. All that it knows is in its tables.
type BRC20 struct {
	spec  projections.Spec
	lists *ranked.Lists
}

var _ projections.Projection[projections.FeedStep] = (*BRC20)(nil)

// New makes the projection.
func New() *BRC20 { return newVersion(Version) }

func newVersion(version int) *BRC20 {
	spec := specOf(version)
	return &BRC20{spec: spec, lists: ranked.New(spec, listSource(spec))}
}

// Spec describes the projection's tables.
func Spec() projections.Spec { return specOf(Version) }

func specOf(version int) projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: version}, Tables: strings.ReplaceAll(tables, "{ranked}", ranked.Tables),
		Views: []string{"brc20_token:token", "brc20_operation:operation", "brc20_entry:entry", "brc20_balance:balance"},
	}
}

// Spec implements projections.Projection.
func (p *BRC20) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *BRC20) WithSpec(spec projections.Spec) projections.Projection[projections.FeedStep] {
	return newVersion(spec.Version)
}

// Forget implements projections.Projection.
func (p *BRC20) Forget() {}

// Fold implements projections.Projection.
func (p *BRC20) Fold(ctx context.Context, tx pgx.Tx, _ int64, steps []projections.FeedStep) (projections.Outcome, error) {
	for len(steps) > 0 {
		var w wave
		w, steps = nextWave(steps)
		c := &change{spec: p.spec, tx: tx, wave: w, lists: p.lists.Changes()}
		if err := c.fold(ctx); err != nil {
			return projections.Outcome{}, fmt.Errorf("take back %d blocks and apply %d: %w", len(w.gone), len(w.blocks), err)
		}
	}
	tip, err := p.tip(ctx, tx)
	return projections.Outcome{Tip: tip}, err
}

// tip is the highest block.
func (p *BRC20) tip(ctx context.Context, tx pgx.Tx) (*projections.Tip, error) {
	rows, err := tx.Query(ctx, p.spec.SQL(`SELECT height, block_hash, block_hash, height FROM {schema}.block ORDER BY height DESC LIMIT 1`))
	if err != nil {
		return nil, fmt.Errorf("read the tip: %w", err)
	}
	var tip *projections.Tip
	var t projections.Tip
	_, err = pgx.ForEachRow(rows, []any{&t.Height, &t.BlockHash, &t.IndexBlockHash, &t.BurnBlockHeight}, func() error {
		tip = &t
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the tip: %w", err)
	}
	return tip, nil
}
