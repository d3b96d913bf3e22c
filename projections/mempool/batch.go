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

// batch is one Fold: the steps of one transaction, and everything that they can change.
type batch struct {
	spec projections.Spec
	tx   pgx.Tx
	tip  *projections.Tip
	// What was mined with Bitcoin blocks below horizon is forgotten; below began it was so before.
	began, horizon int64
	horizonSeq     int64 // the event that brought it there

	rows      map[txid]*row
	claimants map[claim][]*row
	mined     map[claim][]use // in the order of blocks
	waiting   ages

	counts   map[counted]*count
	changes  []*row
	used     []usedClaim // by blocks of this batch
	blocks   []applied
	reverted *int64 // the lowest height that was reverted; nil when none was
	seq      int64  // of the event that is taken
}

// counted is what is counted together.
type counted struct {
	status  string
	payload int16
}

// count is how much a counter changes, and the event that did it last.
type count struct{ delta, seq int64 }

// applied is a block that the batch has put on top, and the event with it.
type applied struct {
	projections.Tip
	seq int64
}

// usedClaim is a nonce that a block has used.
type usedClaim struct {
	claim
	use
}

func (b *batch) sql(query string) string { return b.spec.SQL(query) }

// take folds a step.
func (b *batch) take(ctx context.Context, step *projections.Step, touched *projections.Touched) error {
	b.seq = step.SourceSeq
	switch step.Kind {
	case projections.Apply:
		if b.tip != nil && step.Block.ParentIndexBlockHash != b.tip.IndexBlockHash {
			return fmt.Errorf("it does not stand on the newest block here, %s", b.tip.IndexBlockHash)
		}
		touched.Add(shard.Height(step.Height), shard.Block(step.IndexBlockHash), shard.Block(step.Block.BlockHash))
		b.apply(step)
		return nil
	case projections.Revert:
		if b.tip == nil || step.IndexBlockHash != b.tip.IndexBlockHash {
			return fmt.Errorf("it is not the newest block here")
		}
		touched.Add(shard.Height(step.Height), shard.Block(step.IndexBlockHash), shard.Block(b.tip.BlockHash))
		return b.revert(ctx, step)
	}
	switch record := step.Record.(type) {
	case *projections.Announcement:
		for i := range record.Transactions {
			b.announce(step, record, i)
		}
	case *nodeevent.DropMempoolTx:
		b.drop(step, record)
	}
	return nil
}

// announce takes a transaction that a node has taken into its mempool.
func (b *batch) announce(step *projections.Step, record *projections.Announcement, i int) {
	a := &record.Transactions[i]
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
		return // it is known already
	}
	r.seq, r.pointer = step.BlockSeq, int32(i)
	r.receiptTime, r.receiptHeight = record.ReceivedAt.Unix(), step.Height
	r.dropped, r.expired = nil, nil
	b.change(r)
}

// drop takes what a node says of transactions that leave its mempool.
func (b *batch) drop(step *projections.Step, record *nodeevent.DropMempoolTx) {
	status, ok := statuses[record.Reason]
	if !ok {
		return
	}
	for _, id := range record.TxIDs {
		if r := b.rows[id]; r != nil && r.mined == nil {
			r.dropped = &dropping{status: status, by: record.NewTxID, seq: step.BlockSeq}
			b.change(r)
		}
	}
}

// put adds a row to what the batch knows.
func (b *batch) put(r *row) {
	b.rows[r.txid] = r
	for _, c := range r.claims() {
		b.claimants[c] = append(b.claimants[c], r)
	}
	if r.status == pending {
		b.waiting.add(r)
	}
}

// forgotten says whether the block that has a transaction is so deep that nothing is known of it any more.
func (b *batch) forgotten(r *row) bool { return r.mined != nil && r.mined.burnHeight < b.horizon }

// remove makes place for another row of the same transaction.
func (b *batch) remove(r *row) {
	b.change(r)
	delete(b.rows, r.txid)
	for _, c := range r.claims() {
		b.claimants[c] = slices.DeleteFunc(b.claimants[c], func(other *row) bool { return other == r })
	}
}

// relate says of a new row which block has it or a nonce of it.
func (b *batch) relate(r *row) {
	for _, c := range r.claims() {
		for _, u := range b.mined[c] {
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

// change notes that what is said of a row has changed.
func (b *batch) change(r *row) {
	if !r.changed {
		r.changed = true
		b.changes = append(b.changes, r)
	}
	b.count(r, -1)
	r.status, r.changedSeq = r.settle(), b.seq
	b.count(r, 1)
	if r.status == pending {
		b.waiting.add(r)
	}
}

// count adds a row to what there is of its status, or takes it away. Nobody counts what is mined.
func (b *batch) count(r *row, n int64) {
	if r.status == "" || r.status == mined {
		return
	}
	key := counted{r.status, r.payload}
	c := b.counts[key]
	if c == nil {
		c = &count{}
		b.counts[key] = c
	}
	c.delta, c.seq = c.delta+n, b.seq
}

// touch names what readers must read again.
func (b *batch) touch(touched *projections.Touched) {
	if len(b.changes) == 0 {
		return
	}
	touched.Add(shard.Mempool)
	for _, r := range b.changes {
		touched.Add(shard.Transaction(r.txid))
		if r.status == mined && r.storedStatus == "" {
			continue // nobody has seen it
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
