package view

import (
	"context"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
)

// WaitingRow is a transaction that waits in the mempool or was dropped, as the tables hold it. Its key is that of its
// announcement: the number of the event, and the index in the event's body.
type WaitingRow struct {
	TransactionRow
	replacedBy                 *hash.Hash32
	droppedReason              *string // nil unless the status is dropped
	ReceiptTime, receiptHeight int64
}

// WaitingSQL selects the source events and what WaitingColumns reads of the transaction w of the mempool.
const WaitingSQL = `{mempool.transaction w}, w.source_seq, w.pointer, w.txid, w.sender, w.raw_tx,
	w.status, CASE WHEN w.status = 'dropped' THEN w.dropped_status END, coalesce(w.taken_by, w.dropped_for), w.receipt_time, w.receipt_height `

// WaitingColumns returns the scan destinations for WaitingSQL, except the source events.
func WaitingColumns(r *WaitingRow) []any {
	return []any{&r.Seq, &r.Index, &r.ID, &r.sender, &r.RawTx, &r.Status, &r.droppedReason, &r.replacedBy, &r.ReceiptTime, &r.receiptHeight}
}

// KnowsMempool reports whether the projection mempool has an active version to read.
func KnowsMempool(s *engine.Snapshot) bool { return s.Active("mempool") != nil }

// queueWaiting adds the query for transactions that wait or were dropped to a batch. The result is empty when there is
// no mempool to read.
func queueWaiting(b *engine.Batch, ids []hash.Hash32) *engine.Result[WaitingRow] {
	if !KnowsMempool(b.Snapshot) {
		return &engine.Result[WaitingRow]{}
	}
	return engine.Query(b, WaitingColumns, `
		SELECT `+WaitingSQL+` FROM {mempool}.transaction w WHERE w.txid = ANY ($1) AND w.status <> 'mined'`, ids)
}

// FoundTransaction is what the tables hold of a transaction. At most one member is set.
type FoundTransaction struct {
	Mined   *TransactionRow
	Waiting *WaitingRow
}

// Chosen returns the row that is set; nil for none.
func (r FoundTransaction) Chosen() *TransactionRow {
	if r.Waiting != nil {
		return &r.Waiting.TransactionRow
	}
	return r.Mined
}

// choose picks one row for each transaction from those of chain and of the mempool: the canonical copy of a mined
// transaction, else the one that waits or was dropped, else an orphaned copy.
func choose(mined *engine.Result[TransactionRow], waiting *engine.Result[WaitingRow]) map[hash.Hash32]FoundTransaction {
	all := make(map[hash.Hash32]FoundTransaction, len(mined.Rows)+len(waiting.Rows))
	for i := range mined.Rows {
		all[mined.Rows[i].ID] = FoundTransaction{Mined: &mined.Rows[i]}
	}
	for i := range waiting.Rows {
		r := &waiting.Rows[i]
		if m := all[r.ID].Mined; m == nil || !m.Canonical {
			all[r.ID] = FoundTransaction{Waiting: r}
		}
	}
	return all
}

// FindTransactions reads what the tables hold of the transactions with the given ids, in a batch of its own.
func FindTransactions(ctx context.Context, s *engine.Snapshot, ids ...hash.Hash32) (map[hash.Hash32]FoundTransaction, error) {
	b := s.Batch()
	mined := &engine.Result[TransactionRow]{}
	if _, ok := s.Tip("chain"); ok {
		mined = QueueTransactions(b, ids)
	}
	waiting := queueWaiting(b, ids)
	if len(b.Queries) == 0 {
		return nil, nil
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return choose(mined, waiting), nil
}
