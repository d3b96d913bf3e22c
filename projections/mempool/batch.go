package mempool

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
	"strata/domain/shard"
	"strata/projections"
)

// batch is one call of Fold: the steps of one database transaction, and all rows that they can change.
type batch struct {
	spec projections.Spec
	tx   pgx.Tx
	tip  *projections.Tip
	// Transactions mined with Bitcoin blocks below horizon are forgotten. oldHorizon is its value before this batch.
	oldHorizon, horizon int64
	horizonSeq          int64 // the event that last raised horizon

	rows      map[txid]*row
	claimants map[claim][]*row
	mined     map[claimKey][]use // in the order of blocks
	waiting   ages

	counts   map[counterKey]*count
	changes  []*row
	used     []usedClaim // by blocks of this batch
	blocks   []appliedBlock
	reverted *int64 // the lowest reverted height; nil without reverts
	seq      int64  // the event of the current step
}

// counterKey identifies a counter.
type counterKey struct {
	status  string
	payload int16
}

// count is the change of a counter, and the last event that changed it.
type count struct{ delta, seq int64 }

// appliedBlock is a block that the batch has applied, and the event with its content.
type appliedBlock struct {
	projections.Tip
	seq int64
}

// usedClaim is a nonce that a block has used.
type usedClaim struct {
	key       claimKey
	txIndex   int32
	sponsored bool
	use
}

func (b *batch) sql(query string) string { return b.spec.SQL(query) }

// foldStep folds a step.
func (b *batch) foldStep(ctx context.Context, step *projections.Step, touched *projections.Touched) error {
	b.seq = step.SourceSeq
	switch step.Kind {
	case projections.Apply:
		if b.tip != nil && step.Block.ParentIndexBlockHash != b.tip.IndexBlockHash {
			return fmt.Errorf("its parent is not the tip of this projection, %s", b.tip.IndexBlockHash)
		}
		touched.AddBlock(step.Height, step.IndexBlockHash, step.Block.BlockHash)
		b.apply(step)
		return nil
	case projections.Revert:
		if b.tip == nil || step.IndexBlockHash != b.tip.IndexBlockHash {
			return fmt.Errorf("it is not the tip of this projection")
		}
		touched.AddBlock(step.Height, step.IndexBlockHash, b.tip.BlockHash)
		return b.revert(ctx, step)
	}
	switch record := step.Record.(type) {
	case *projections.Announcement:
		for i := range record.Transactions {
			b.announce(step, record.ReceivedAt.Unix(), &record.Transactions[i])
		}
	case *nodeevent.DropMempoolTx:
		b.drop(step, record)
	}
	return nil
}

// announce folds the announcement of a transaction, which was received at a time.
func (b *batch) announce(step *projections.Step, at int64, a *projections.Announced) {
	r := b.rows[a.ID]
	if r != nil && b.forgotten(r) {
		b.remove(r)
		r = nil
	}
	switch {
	case r == nil:
		r = newRow(a)
		b.put(r)
		b.relate(r)
	case r.mined != nil || r.dropped == nil && r.expired == nil:
		return // mined or pending already
	}
	r.seq, r.pointer = step.BlockSeq, int32(a.Index)
	r.receiptTime, r.receiptHeight = at, step.Height
	r.dropped, r.expired = nil, nil
	b.change(r)
}

// drop folds a node's message that transactions leave its mempool.
func (b *batch) drop(step *projections.Step, record *nodeevent.DropMempoolTx) {
	reason := reasonOf(record)
	for _, id := range record.TxIDs {
		if r := b.rows[id]; r != nil && r.mined == nil {
			r.dropped = &dropping{reason: reason, by: record.NewTxID, seq: step.BlockSeq}
			b.change(r)
		}
	}
}

// put adds a row to the indexes of the batch.
func (b *batch) put(r *row) {
	b.rows[r.txid] = r
	for _, c := range r.claims() {
		b.claimants[c] = append(b.claimants[c], r)
	}
	if r.status == pending {
		b.waiting.add(r)
	}
}

// forgotten reports whether a transaction was mined in a block so deep that the block's transactions are forgotten.
func (b *batch) forgotten(r *row) bool { return r.mined != nil && r.mined.burnHeight < b.horizon }

// remove removes a forgotten row from the indexes of the batch, so that the same transaction can have a new row.
func (b *batch) remove(r *row) {
	b.change(r)
	delete(b.rows, r.txid)
	for _, c := range r.claims() {
		b.claimants[c] = slices.DeleteFunc(b.claimants[c], func(other *row) bool { return other == r })
	}
}

// relate sets in a new row the block that mined the transaction, or used one of its nonces.
func (b *batch) relate(r *row) {
	for _, c := range r.claims() {
		for _, u := range b.mined[c.key()] {
			switch {
			case u.burnHeight < b.horizon:
			case u.txid == r.txid:
				r.mined = &u
			case r.taken == nil || compareUses(u, *r.taken) < 0:
				r.taken = &u
			}
		}
	}
}

// change marks a row as changed, and updates its status and the counters.
func (b *batch) change(r *row) {
	if !r.changed {
		r.changed = true
		b.changes = append(b.changes, r)
	}
	b.count(r, -1)
	r.status, r.changedSeq = r.currentStatus(), b.seq
	b.count(r, 1)
	if r.status == pending {
		b.waiting.add(r)
	}
}

// count adds n to the counter of a row's status. Mined transactions are not counted.
func (b *batch) count(r *row, n int64) {
	if r.status == "" || r.status == mined {
		return
	}
	key := counterKey{r.status, r.payload}
	c := b.counts[key]
	if c == nil {
		c = &count{}
		b.counts[key] = c
	}
	c.delta, c.seq = c.delta+n, b.seq
}

// touch marks the shards of the changed rows.
func (b *batch) touch(touched *projections.Touched) {
	if len(b.changes) == 0 {
		return
	}
	touched.Add(shard.Mempool)
	for _, r := range b.changes {
		touched.Add(shard.Transaction(r.txid))
		if r.status == mined && r.storedStatus == "" {
			continue // new in this batch: it was never shown as pending
		}
		touched.Add(shard.Account(r.sender.account))
		if r.sponsor != nil {
			touched.Add(shard.Account(r.sponsor.account))
		}
		for _, name := range []string{r.recipient, r.contract} {
			if name != "" {
				touched.Add(shard.Account(name))
			}
		}
	}
}
