// Package mempool keeps the transactions that nodes have announced and that wait to be mined, and what became of those that
// do not wait any more.
//
// # What is true of a transaction
//
// Two things are told of a transaction, and they are kept apart. Nodes announce it and drop it; that has nothing to do with
// forks, and no revert undoes it. The canonical chain mines it, uses its nonce for another one, or grows past its age; that
// is undone with the block that did it. Its status follows from both, so that a block that is reverted leaves everything as
// if it had never been there.
//
//   - An announcement makes a transaction pending that was not known, or that had been dropped or was too old.
//   - A node that drops a transaction says why; what it says last counts. It names transactions as well that were never
//     announced here, or that are mined, and that changes nothing. The one for which another is dropped is usually announced
//     later.
//   - A nonce is used once, by the sender or as a sponsor: whoever else waits with it is replaced by what was mined.
//   - A transaction that waited longer than nodes remember them is dropped, by the time of blocks and never by a clock: 2560
//     minutes by the time of a Nakamoto block, 256 blocks before that.
//
// # What is forgotten
//
// The nonces that a block used are remembered until 256 Bitcoin blocks have followed, and with them the announced transactions
// that it has. A later announcement of one of these, or with one of these nonces, looks like any other until it is too old.
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

// Name of the projection.
const Name = "mempool"

// Version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: transactions say which event last changed them.
const Version = 2

// Mempool is the projection. It is not safe for concurrent use; one follower owns it.
type Mempool struct {
	spec projections.Spec
	// What it knows between folds, valid while position is.
	position int64
	tip      *projections.Tip // nil while there is no block
	horizon  int64
}

// New makes the projection.
func New() *Mempool { return &Mempool{spec: Spec(), position: -1} }

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema:  projections.Schema{Name: Name, Version: Version},
		Tables:  tables,
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

// Forget implements projections.Projection.
func (p *Mempool) Forget() { p.position = -1 }

// Fold implements projections.Projection.
func (p *Mempool) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	b := &batch{
		spec: p.spec, tx: tx, tip: p.tip, horizon: p.horizon, rows: map[txid]*row{}, claimants: map[claim][]*row{},
		mined: map[claim][]use{}, counts: map[counted]*count{},
	}
	if p.position != after {
		if err := b.readState(ctx); err != nil {
			return projections.Outcome{}, err
		}
	}
	b.began = b.horizon
	if err := b.load(ctx, steps); err != nil {
		return projections.Outcome{}, err
	}
	var touched *projections.Touched
	if len(steps) == 1 {
		touched = projections.NewTouched()
	}
	for i := range steps {
		if err := b.take(ctx, &steps[i], touched); err != nil {
			return projections.Outcome{}, fmt.Errorf("%s %s at height %d: %w", steps[i].Kind, steps[i].IndexBlockHash, steps[i].Height, err)
		}
	}
	b.touch(touched)
	if err := b.write(ctx); err != nil {
		return projections.Outcome{}, err
	}
	p.position, p.tip, p.horizon = steps[len(steps)-1].Number, b.tip, b.horizon
	return projections.Outcome{Tip: b.tip, Touched: touched}, nil
}
