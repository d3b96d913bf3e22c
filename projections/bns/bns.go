// Package bns keeps the names of BNS-V2: namespaces, names with their owners, expiry and listings, primary names,
// zonefiles, preorders, and what happened to each name.
//
// # What tells of a change
//
// Owners follow the events of the non-fungible token alone. Everything else is in what the contracts print, except for
// changes that print nothing: preorders, the reveal of a namespace, the choice of a primary name, and the renewal of a
// lapsed name by its owner. These are read from top-level calls.
//
// A contract that makes such a call itself leaves no trace in the events of its transaction. But it has the name of the
// function in its source, and it only runs in a transaction that calls a contract which names it, or that passes it as an
// argument. So the projection knows in which blocks such a contract, an agent, may have acted. If it has names, the
// projection raises a want for what the registry answers about its primary name and its lapsed names. The report is in the
// log, and counts while the block is canonical at which the registry was asked. The registry does not tell about preorders
// and about namespaces that are not launched; when a contract makes one, the row keeps what was known before.
//
// The events of a contract deployment count as well: names of the first registry were moved here by the bodies of
// deployments.
//
// # Expiry
//
// Names expire without an event, when the Bitcoin height of the chain passes the last height at which they are
// active. The fold moves them between the lists of valid and expired names at the block with which that happens, and
// back when it is reverted.
package bns

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/bns"
	"strata/projections"
	"strata/projections/internal/ranked"
)

//go:embed tables.sql
var tables string

//go:embed views.sql
var views string

// Name is the name of the projection.
const Name = "bns"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: what contracts change without a print is read from the registry.
//   - 3: long lists have sections.
const Version = 3

// BNS is the projection. It is not safe for concurrent use: one follower owns it.
type BNS struct {
	spec      projections.Spec
	contracts bns.Contracts
	lists     *ranked.Lists
	// tip is the newest block at the step position; nil if there is none. A position of -1 means that it is unknown.
	tip      *tip
	position int64
	callers  callers // at the position
}

// tip is the newest block that the rows reflect.
type tip struct {
	projections.Tip
	burnHeight int64 // what the contract reads in the block
	events     int64 // number of events up to the block
}

func (t *tip) block() *projections.Tip {
	if t == nil {
		return nil
	}
	return &t.Tip
}

// New returns the projection of the names that these contracts register.
func New(contracts bns.Contracts) *BNS { return newWith(Spec(), contracts) }

func newWith(spec projections.Spec, contracts bns.Contracts) *BNS {
	return &BNS{spec: spec, contracts: contracts, lists: ranked.New(spec, listSource).Sectioned(), position: -1}
}

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version}, Tables: strings.ReplaceAll(tables, "{ranked}", ranked.Tables),
		API: views,
		Views: []string{
			"bns_namespace:namespace", "bns_name:name", "bns_primary_name:primary_name", "bns_zonefile:zonefile", "bns_preorder:preorder",
			"bns_event:event", "bns_reading:reading",
		},
		Records: []projections.RecordKind{projections.Attached},
	}
}

// Spec implements projections.Projection.
func (p *BNS) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *BNS) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return newWith(spec, p.contracts)
}

// Readable implements projections.Readable. Names of rules 1 lack what contracts change without a print, until the new
// version is active.
func (p *BNS) Readable() []int { return []int{1} }

// Forget implements projections.Projection.
func (p *BNS) Forget() { p.tip, p.position, p.callers = nil, -1, nil }

// batch is one call of Fold: the steps of one database transaction.
type batch struct {
	spec      projections.Spec
	contracts bns.Contracts
	tx        pgx.Tx
	lists     *ranked.Changes
	tip       *tip
	callers   callers
	deployed  [][]any // rows of caller that are not written yet
	acts      map[actKey]act
	unsettled map[string]bool // agents whose wants may change
}

func (b *batch) sql(query string) string { return b.spec.SQL(query) }

// Fold implements projections.Projection.
func (p *BNS) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	b := &batch{
		spec: p.spec, contracts: p.contracts, tx: tx, lists: p.lists.Changes(), tip: p.tip, callers: p.callers, acts: map[actKey]act{}, unsettled: map[string]bool{},
	}
	if p.position != after {
		if err := b.readTip(ctx); err != nil {
			return projections.Outcome{}, err
		}
	}
	if p.position != after || b.callers == nil {
		if err := b.readCallers(ctx); err != nil {
			return projections.Outcome{}, err
		}
	}
	if err := b.fold(ctx, steps); err != nil {
		return projections.Outcome{}, err
	}
	if err := b.raise(ctx, steps[len(steps)-1].SourceSeq); err != nil {
		return projections.Outcome{}, err
	}
	if err := b.lists.Write(ctx, tx); err != nil {
		return projections.Outcome{}, fmt.Errorf("write the lists: %w", err)
	}
	p.tip, p.position, p.callers = b.tip, steps[len(steps)-1].Number, b.callers
	outcome := projections.Outcome{Tip: b.tip.block()}
	if len(steps) == 1 {
		outcome.Touched = projections.NewTouched() // every answer depends on the tip
	}
	return outcome, nil
}

// fold folds blocks and readings in their order.
func (b *batch) fold(ctx context.Context, steps []projections.Step) error {
	for len(steps) > 0 {
		n := slices.IndexFunc(steps, func(s projections.Step) bool { _, ok := b.readingOf(s); return ok })
		if n < 0 {
			n = len(steps)
		}
		if lasting := projections.Lasting(steps[:n]); len(lasting) > 0 {
			if err := projections.FoldBlocks(ctx, lasting, b.revert, b.apply); err != nil {
				return err
			}
		}
		if n == len(steps) {
			return nil
		}
		if err := b.read(ctx, steps[n]); err != nil {
			return fmt.Errorf("fold the report %d: %w", steps[n].BlockSeq, err)
		}
		steps = steps[n+1:]
	}
	return nil
}

// readTip reads the newest block that the rows reflect.
func (b *batch) readTip(ctx context.Context) error {
	var t tip
	newest, err := b.spec.ReadTipWith(ctx, b.tx, ", burn_height, events", &t.burnHeight, &t.events)
	b.tip = nil
	if newest != nil {
		t.Tip = *newest
		b.tip = &t
	}
	return err
}

// copy writes rows into a table. columns are the names of its columns, separated by spaces.
func (b *batch) copy(ctx context.Context, table string, columns string, rows [][]any) error {
	return b.spec.Copy(ctx, b.tx, table, strings.Fields(columns), rows)
}
