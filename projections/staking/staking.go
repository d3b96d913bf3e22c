// Package staking keeps the data of pox-5: bonds with their allow-lists and registrations, stakes of STX, signer
// managers with their keys and grants, calculations of rewards, claims, and the sets of signers of cycles.
//
// # Rows
//
// All rows follow from the events that pox-5 prints, in their order. No row is changed, except that it ends: until_n is
// the event with which another row takes its place. So a revert deletes the rows of its events, and lets the rows hold
// again that these events ended. Sums (weight, holding, claimed, and those of a bond) are linear in the rows that hold:
// each row adds to them when it begins to hold, and takes the same away when it ends, also in a revert.
//
// # Rewards
//
// A staker earns from a calculation what its shares in the cycle of the calculation yield, rounded down. The rows of
// share say what a staker had in a cycle as of any event, and those of earning which signer managers had enough STX. So
// what a staker has accrued is a sum over both, which readers compute: it needs no rows of its own, a calculation costs
// the same however many stakers there are, and there is nothing to undo.
package staking

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

//go:embed tables.sql
var tables string

//go:embed views.sql
var views string

// Name is the name of the projection.
const Name = "staking"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
const Version = 1

// Staking is the projection. It is not safe for concurrent use: one follower owns it.
type Staking struct {
	spec projections.Spec
	// tip is the newest block at the step position; nil if there is none. A position of -1 means that it is unknown.
	tip      *projections.Tip
	position int64
}

// New returns the projection.
func New() *Staking { return newWith(Spec()) }

func newWith(spec projections.Spec) *Staking { return &Staking{spec: spec, position: -1} }

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version}, Tables: tables,
		API: views,
		Views: []string{
			"staking_event:event", "staking_bond:bond", "staking_allowlist:allowlist", "staking_registration:registration",
			"staking_stake:stake", "staking_share:share", "staking_signer:signer", "staking_signer_key:signer_key",
			"staking_key_grant:key_grant", "staking_calculation:calculation", "staking_distribution:distribution",
			"staking_earning:earning", "staking_claim:claim", "staking_staker_claim:staker_claim",
			"staking_cycle_set:cycle_set", "staking_set_member:set_member",
		},
		Records: []projections.RecordKind{projections.BitcoinFollowed, projections.BitcoinLeft},
	}
}

// Spec implements projections.Projection.
func (p *Staking) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Staking) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return newWith(spec)
}

// Forget implements projections.Projection.
func (p *Staking) Forget() { p.tip, p.position = nil, -1 }

// batch is one call of Fold: the steps of one database transaction.
type batch struct {
	spec    projections.Spec
	tx      pgx.Tx
	touched *projections.Touched
	tip     *projections.Tip
}

func (b *batch) sql(query string) string { return b.spec.SQL(query) }

// Fold implements projections.Projection.
func (p *Staking) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	b := &batch{spec: p.spec, tx: tx, tip: p.tip}
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
	p.tip, p.position = b.tip, steps[len(steps)-1].Number
	return projections.Outcome{Tip: b.tip, Touched: b.touched}, nil
}

// copy writes rows into a table. columns are the names of its columns, separated by spaces.
func (b *batch) copy(ctx context.Context, table string, columns string, rows [][]any) error {
	return b.spec.Copy(ctx, b.tx, table, strings.Fields(columns), rows)
}
