// Package names keeps the first naming system, BNS v1: namespaces, names with their history, their zonefiles, and the
// subdomains that zonefiles define.
//
// # Where a name's owner comes from
//
// The contract prints each operation with its sender, which for an import and for a transfer is not the new owner. The
// owner is the recipient of the name's token in the same transaction, otherwise whoever holds the token.
//
// # What prints nothing
//
// The contract prints nothing for a renewal without a zonefile hash, and for changes of prices. A top-level call tells of
// them. When another contract makes such a call, nothing does, except that a renewal burns STX of the owner of the name. But
// the contract, or one that it names, has the name of the function in its source. So the projection knows in which blocks a
// name may have been renewed, or prices may have changed, and raises a want for what the registry says then. The report is
// in the log, and counts while the block is canonical at which the registry was asked.
//
// # Namespaces that were launched before
//
// The genesis block launches the namespaces of Stacks 1.0 without an event, and a log may begin above a launch. Names that are
// registered there prove that the namespace exists, and a want asks the registry for its properties. Until a report brings them, prices and lifetime are unknown.
//
// # Zonefiles
//
// The chain has only hashes of zonefiles. A node posts a zonefile when it has found it, some time after the block and
// perhaps never. A zonefile is stored by its hash, whichever block it was posted for, and a zonefile whose content has
// another hash than it claims is ignored. For one that has not come after a while, the projection raises a want, and what
// a node answers is in the log as a report. So rows depend on the canonical chain and on the set of zonefiles, but not on
// the order in which both came: when the later of an update and its zonefile arrives, the subdomains are written.
package names

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/projections"
	"strata/projections/internal/ranked"
)

//go:embed tables.sql
var tables string

//go:embed views.sql
var views string

// Name is the name of the projection.
const Name = "names"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: what Stacks 1.0 had, from its published export.
//   - 3: zonefiles that never came are asked for.
//   - 4: long lists have sections; what contracts change without a print is read from the registry.
//   - 5: the properties of a namespace whose launch is not in the log are read from the registry.
const Version = 5

// Names is the projection. It is not safe for concurrent use: one follower owns it.
type Names struct {
	spec  projections.Spec
	lists *ranked.Lists
	// tip is the newest block at the step position; nil if there is none. A position of -1 means that it is unknown.
	tip      *tip
	position int64
	callers  callers // at the position
}

// tip is the newest block with the contract's clock in it.
type tip struct {
	projections.Tip
	clock int64
}

func (t *tip) block() *projections.Tip {
	if t == nil {
		return nil
	}
	block := t.Tip
	return &block
}

// New returns the projection.
func New() *Names { return newWith(Spec()) }

func newWith(spec projections.Spec) *Names {
	return &Names{spec: spec, lists: ranked.New(spec, listSource).Sectioned(), position: -1}
}

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version}, Tables: strings.ReplaceAll(tables, "{ranked}", ranked.Tables),
		API: views,
		Views: []string{
			"bns_v1_namespace:namespace", "bns_v1_operation:operation", "bns_v1_custody:custody", "bns_v1_name:name", "bns_v1_zonefile:zonefile",
			"bns_v1_subdomain:subdomain", "bns_v1_want:want", "bns_v1_reading:reading",
		},
		Records: []projections.RecordKind{projections.Attached},
	}
}

// Spec implements projections.Projection.
func (p *Names) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Names) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return newWith(spec)
}

// Forget implements projections.Projection.
func (p *Names) Forget() { p.tip, p.position, p.callers = nil, -1, nil }

// batch is the steps of one database transaction, up to one that reports what the registry says or to the end.
type batch struct {
	spec    projections.Spec
	tx      pgx.Tx
	lists   *ranked.Changes
	touched *projections.Touched
	tip     *tip

	facts []fact                // of the applied blocks
	names map[string]*nameState // those that steps change
	// namespaces are the last properties of the namespaces that steps change; nil for one that is not launched.
	namespaces map[string]*namespaceRow

	operations []*operationRow
	// zonefiles are the hashes whose wants the steps may change.
	zonefiles map[hash.Hash20]bool
	custody   [][]any
	launches  [][]any
	blocks    [][]any

	callers  callers
	deployed [][]any // rows of caller
	acts     map[actKey]actRow
	// unsettled are the subjects whose wants may change besides those of names and namespaces.
	unsettled map[string]bool
}

func (b *batch) sql(query string) string { return b.spec.SQL(query) }

// Fold implements projections.Projection.
func (p *Names) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	known, last := p.position == after, steps[len(steps)-1].Number
	b := batch{spec: p.spec, tx: tx, lists: p.lists.Changes(), tip: p.tip, callers: p.callers}
	if len(steps) == 1 {
		b.touched = projections.NewTouched()
	}
	if !known {
		if err := b.readTip(ctx); err != nil {
			return projections.Outcome{}, err
		}
	}
	if !known || b.callers == nil {
		if err := b.readCallers(ctx); err != nil {
			return projections.Outcome{}, err
		}
	}
	for len(steps) > 0 {
		n := slices.IndexFunc(steps, isReading)
		if n < 0 {
			n = len(steps) - 1
		}
		b = b.next()
		if err := b.foldUpTo(ctx, steps[:n+1]); err != nil {
			return projections.Outcome{}, err
		}
		steps = steps[n+1:]
	}
	if err := b.lists.Write(ctx, tx); err != nil {
		return projections.Outcome{}, fmt.Errorf("write the lists: %w", err)
	}
	p.tip, p.position, p.callers = b.tip, last, b.callers
	return projections.Outcome{Touched: b.touched, Tip: b.tip.block()}, nil
}

// next returns an empty batch that goes on where this one has ended.
func (b *batch) next() batch {
	return batch{
		spec: b.spec, tx: b.tx, lists: b.lists, touched: b.touched, tip: b.tip, callers: b.callers,
		names: map[string]*nameState{}, namespaces: map[string]*namespaceRow{}, zonefiles: map[hash.Hash20]bool{},
		acts: map[actKey]actRow{}, unsettled: map[string]bool{},
	}
}

// foldUpTo folds steps of which only the last may report what the registry says: it counts after the blocks before it.
func (b *batch) foldUpTo(ctx context.Context, steps []projections.Step) error {
	if err := b.attach(ctx, steps); err != nil {
		return fmt.Errorf("take zonefiles: %w", err)
	}
	if err := b.export(ctx, steps); err != nil {
		return err
	}
	if err := b.fold(ctx, projections.Lasting(steps)); err != nil {
		return err
	}
	if err := b.want(ctx, steps); err != nil {
		return err
	}
	if err := b.raise(ctx); err != nil {
		return err
	}
	if last := &steps[len(steps)-1]; isReading(*last) {
		after := b.next()
		if err := after.read(ctx, last); err != nil {
			return fmt.Errorf("fold the report %d: %w", last.BlockSeq, err)
		}
	}
	return nil
}

// copy writes rows into a table. columns are the names of its columns, separated by spaces.
func (b *batch) copy(ctx context.Context, table string, columns string, rows [][]any) error {
	return b.spec.Copy(ctx, b.tx, table, strings.Fields(columns), rows)
}
