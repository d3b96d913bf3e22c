// Package pox keeps the data of stacking on both chains: the payments of Bitcoin blocks on the followed fork, the
// reward cycles with their signers and the stackers behind these, and the events of the stacking contracts.
//
// # Two orders
//
// A Bitcoin block can join or leave the followed fork at any height: a node that started earlier may announce lower
// blocks later. So the rows of Bitcoin blocks are stored by height, their lists are counted in parts (package ranked),
// and the changes of a batch are added up before they are written. All other rows belong to canonical blocks, of which
// only the newest is ever reverted: their lists are numbered.
//
// # The stackers behind a signer
//
// A solo stacker names the key that signs in the cycles of the lock. A pool's stacker does not: the pool commits its
// stacked amount for a cycle and a reward address with a key, which holds for the stackers who joined the pool since
// its last commitment. Neither an extension nor an increase changes the key of cycles that were locked before. All
// this is evaluated once for each cycle, when a block has the cycle's set of signers.
//
// In pox-5, a stacker chooses a signer manager, whose key is the one registered when the set is computed. The cycles of
// such a set are recognised by the set itself, which rewards no addresses and has no threshold.
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

//go:embed views.sql
var views string

// Name is the name of the projection.
const Name = "pox"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: the stackers of cycles whose signers pox-5 determines are those of pox-5, and cycles with an empty reward set are
//     listed.
const Version = 2

// Pox is the projection. It is not safe for concurrent use: one follower owns it.
type Pox struct {
	spec  projections.Spec
	lists *ranked.Lists
	// tip is the newest block at the step position; nil if there is none. A position of -1 means that it is unknown.
	tip      *projections.Tip
	position int64
}

// New returns the projection.
func New() *Pox { return newWith(Spec()) }

func newWith(spec projections.Spec) *Pox {
	return &Pox{spec: spec, lists: ranked.New(spec, listSource), position: -1}
}

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version}, Tables: strings.ReplaceAll(tables, "{ranked}", ranked.Tables),
		API: views,
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
	return newWith(spec)
}

// Forget implements projections.Projection.
func (p *Pox) Forget() { p.tip, p.position = nil, -1 }

// batch is one call of Fold: the steps of one database transaction.
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
		var err error
		if b.tip, err = p.spec.ReadTip(ctx, tx); err != nil {
			return projections.Outcome{}, err
		}
	}
	if err := b.bitcoin(ctx, steps); err != nil {
		return projections.Outcome{}, fmt.Errorf("follow Bitcoin: %w", err)
	}
	if err := projections.FoldBlocks(ctx, projections.Lasting(steps), b.revert, b.apply); err != nil {
		return projections.Outcome{}, err
	}
	if err := b.lists.Write(ctx, tx); err != nil {
		return projections.Outcome{}, fmt.Errorf("write the lists: %w", err)
	}
	p.tip, p.position = b.tip, steps[len(steps)-1].Number
	return projections.Outcome{Tip: b.tip, Touched: b.touched}, nil
}

// copy writes rows into a table. columns are the names of its columns, separated by spaces.
func (b *batch) copy(ctx context.Context, table string, columns string, rows [][]any) error {
	return b.spec.Copy(ctx, b.tx, table, strings.Fields(columns), rows)
}
