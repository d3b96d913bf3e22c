package view

import (
	"context"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
)

// waitingRow is a transaction that waits to be mined, or has been dropped, as the tables have it. Its key is that of its
// announcement: the event, and the index in its body.
type WaitingRow struct {
	TransactionRow
	replacedBy                 *hash.Hash32
	ReceiptTime, receiptHeight int64
}

// waitingSQL selects what waitingColumns reads, of the transaction w of the mempool.
const WaitingSQL = `array_remove(ARRAY[w.source_seq, w.dropped_seq], NULL), w.source_seq, w.pointer, w.txid, w.sender, w.raw_tx,
	w.status, coalesce(w.taken_by, w.dropped_for), w.receipt_time, w.receipt_height `

func WaitingColumns(r *WaitingRow) []any {
	return []any{&r.Seq, &r.Index, &r.ID, &r.sender, &r.RawTx, &r.Status, &r.replacedBy, &r.ReceiptTime, &r.receiptHeight}
}

// knowsMempool says whether there is a version of the mempool to read.
func KnowsMempool(s *engine.Snapshot) bool { return s.Active("mempool") != nil }

// queueWaiting adds the query for transactions that wait or were dropped to a batch; nil when there is no mempool to read.
func queueWaiting(b *engine.Batch, ids []hash.Hash32) *engine.Result[WaitingRow] {
	if !KnowsMempool(b.Snapshot) {
		return &engine.Result[WaitingRow]{}
	}
	return engine.Query(b, WaitingColumns, `
		SELECT `+WaitingSQL+` FROM {mempool}.transaction w WHERE w.txid = ANY ($1) AND w.status <> 'mined'`, ids)
}

// soughtRow is what there is of a transaction: at most one of the two.
type FoundTransaction struct {
	Mined   *TransactionRow
	Waiting *WaitingRow
}

// chosen is the row that says how the transaction is.
func (r FoundTransaction) Chosen() *TransactionRow {
	if r.Waiting != nil {
		return &r.Waiting.TransactionRow
	}
	return r.Mined
}

// choose decides between what chain has of transactions and what the mempool has: the canonical copy of one that is mined,
// else the one that waits or was dropped, else an orphaned copy.
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

// seek reads what there is of transactions, alone in its batch.
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
