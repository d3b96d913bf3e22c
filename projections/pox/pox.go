// Package pox keeps what stacking does on both chains: what followed Bitcoin blocks pay and to whom, the reward cycles with
// their signers and those behind them, and what the stacking contracts report.
//
// # Two orders
//
// Bitcoin blocks are followed and left at any height: a node that began earlier tells later of what is below. So their rows are
// kept by height, their lists are counted in parts (package ranked), and what one event changes is added up before anything
// is written. Everything else is of canonical blocks, of which only the newest is ever taken off: its lists are numbered.
//
// # Who is behind a signer
//
// Who stacks alone names the key that signs in the cycles of the lock. Who stacks in a pool does not: the pool commits what it has
// for a cycle and a reward address with a key, which holds for those who came into the pool since its last commitment. An
// extension leaves the key of the cycles that were locked before as it was, and so does an increase. All that is looked at
// once for each cycle, when a block has its set of signers.
package pox

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
const Name = "pox"

// Version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
const Version = 1

// Pox is the projection. It is not safe for concurrent use; one follower owns it.
type Pox struct {
	spec  projections.Spec
	lists *ranked.Lists
	// tip is the newest block here, valid while position is; nil when there is none.
	tip      *projections.Tip
	position int64
}

// New makes the projection.
func New() *Pox { return newVersion(Version) }

func newVersion(version int) *Pox {
	spec := specOf(version)
	return &Pox{spec: spec, lists: ranked.New(spec, listSource), position: -1}
}

// Spec describes the projection's tables.
func Spec() projections.Spec { return specOf(Version) }

func specOf(version int) projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: version}, Tables: strings.ReplaceAll(tables, "{ranked}", ranked.Tables),
		Views: []string{
			"pox_burn_block:burn_block", "pox_reward:reward", "pox_recipient:recipient", "pox_slot:slot", "pox_payout:payout",
			"pox_cycle:cycle", "pox_signer:signer", "pox_stacker:stacker", "pox_event:event", "pox_delegation:delegation",
		},
		Records: []projections.RecordKind{projections.BitcoinFollowed, projections.BitcoinLeft},
	}
}

// Spec implements projections.Projection.
func (p *Pox) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Pox) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return newVersion(spec.Version)
}

// Forget implements projections.Projection.
func (p *Pox) Forget() { p.tip, p.position = nil, -1 }

// batch is one Fold: the steps of one transaction.
type batch struct {
	spec    projections.Spec
	tx      pgx.Tx
	lists   *ranked.Changes
	touched *projections.Touched
	tip     *projections.Tip
}

func (b *batch) sql(query string) string { return b.spec.SQL(query) }

// Fold implements projections.Projection.
func (p *Pox) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	b := &batch{spec: p.spec, tx: tx, lists: p.lists.Changes(), tip: p.tip}
	if len(steps) == 1 {
		b.touched = projections.NewTouched()
	}
	if p.position != after {
		if err := b.readTip(ctx); err != nil {
			return projections.Outcome{}, err
		}
	}
	if err := b.bitcoin(ctx, steps); err != nil {
		return projections.Outcome{}, fmt.Errorf("follow Bitcoin: %w", err)
	}
	if err := b.blocks(ctx, projections.Lasting(steps)); err != nil {
		return projections.Outcome{}, err
	}
	if err := b.lists.Write(ctx, tx); err != nil {
		return projections.Outcome{}, fmt.Errorf("write the lists: %w", err)
	}
	p.tip, p.position = b.tip, steps[len(steps)-1].Number
	return projections.Outcome{Tip: b.tip, Touched: b.touched}, nil
}

// copy writes rows of a table.
func (b *batch) copy(ctx context.Context, table string, columns string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := b.tx.CopyFrom(ctx, pgx.Identifier{b.spec.String(), table}, strings.Fields(columns), pgx.CopyFromRows(rows))
	if err != nil {
		return fmt.Errorf("write %d rows of %s: %w", len(rows), table, err)
	}
	return nil
}
