// Package mempool keeps the transactions that nodes have announced: those that wait to be mined, and the outcome of the
// others.
//
// # The status of a transaction
//
// A transaction's status follows from two kinds of facts, which are stored separately. Nodes announce and drop it:
// this is independent of forks, and no revert undoes it. The canonical chain mines it, uses its nonce for another
// transaction, or grows past its maximum age: this is undone when the block that did it is reverted. So a revert
// leaves every row as if the block had never existed.
//
//   - An announcement makes a transaction pending if it was unknown, dropped or too old.
//   - A node that drops a transaction gives a reason, and the last reason counts, known or not. Nodes also drop transactions that
//     were never announced here or that are mined, which has no effect. A transaction that replaces another one is
//     usually announced after the drop.
//   - An account uses a nonce once, as sender or as sponsor: a mined transaction replaces all pending ones with its
//     nonces.
//   - A transaction that has waited longer than nodes keep it is dropped. Its age is measured by blocks, never by a
//     clock: 2560 minutes by the time of a Nakamoto block, 256 blocks before Nakamoto.
//
// # What is forgotten
//
// The nonces that a block used, and its announced transactions, are forgotten once 256 Bitcoin blocks have followed.
// If such a transaction, or one with such a nonce, is announced later, it is pending until it is too old.
package mempool

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

//go:embed tables.sql
var tables string

//go:embed views.sql
var views string

// Name is the name of the projection.
const Name = "mempool"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: transactions have the event that last changed them.
//   - 3: a drop for a reason that this program does not know counts, and the row has the reason as it came.
//   - 4: used nonces are looked up by a hash, and forgotten by their blocks, which takes less than half of the disk.
const Version = 4

// Mempool is the projection. It is not safe for concurrent use: one follower owns it.
type Mempool struct {
	spec projections.Spec
	// position is the last step folded, or -1 if unknown. The other fields are valid at that position only.
	position int64
	tip      *projections.Tip // nil while there is no block
	horizon  int64
}

// New returns the projection.
func New() *Mempool { return &Mempool{spec: Spec(), position: -1} }

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema:  projections.Schema{Name: Name, Version: Version},
		Tables:  tables,
		API:     views,
		Views:   []string{"mempool_transaction:transaction", "mempool_counter:counter"},
		Records: []projections.RecordKind{projections.Mempool},
	}
}

// Spec implements projections.Projection.
func (p *Mempool) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Mempool) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return &Mempool{spec: spec, position: -1}
}

// Readable implements projections.Readable. Rules 2 ignore a drop for an unknown reason; no read uses what rules 4 change.
func (p *Mempool) Readable() []int { return []int{2, 3} }

// Forget implements projections.Projection.
func (p *Mempool) Forget() { p.position = -1 }

// Fold implements projections.Projection.
func (p *Mempool) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	b := &batch{
		spec: p.spec, tx: tx, tip: p.tip, horizon: p.horizon, rows: map[txid]*row{}, claimants: map[claim][]*row{},
		mined: map[claimKey][]use{}, counts: map[counterKey]*count{},
	}
	if p.position != after {
		if err := b.readState(ctx); err != nil {
			return projections.Outcome{}, err
		}
	}
	b.oldHorizon = b.horizon
	if err := b.load(ctx, steps); err != nil {
		return projections.Outcome{}, err
	}
	var touched *projections.Touched
	if len(steps) == 1 {
		touched = projections.NewTouched()
	}
	for i := range steps {
		if err := b.foldStep(ctx, &steps[i], touched); err != nil {
			return projections.Outcome{}, fmt.Errorf("%s %s at height %d: %w", steps[i].Kind, steps[i].IndexBlockHash, steps[i].Height, err)
		}
	}
	b.touch(touched)
	if err := b.write(ctx, touched); err != nil {
		return projections.Outcome{}, err
	}
	p.position, p.tip, p.horizon = steps[len(steps)-1].Number, b.tip, b.horizon
	return projections.Outcome{Tip: b.tip, Touched: touched}, nil
}
