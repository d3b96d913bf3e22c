package readapi

import (
	"context"

	"strata/domain/hash"
)

// waitingRow is a transaction that waits to be mined, or has been dropped, as the tables have it. Its key is that of its
// announcement: the event, and the index in its body.
type waitingRow struct {
	transactionRow
	replacedBy                 *hash.Hash32
	receiptTime, receiptHeight int64
}

// waitingSQL selects what waitingColumns reads, of the transaction w of the mempool.
const waitingSQL = `array_remove(ARRAY[w.source_seq, w.dropped_seq], NULL), w.source_seq, w.pointer, w.txid, w.sender, w.raw_tx,
	w.status, coalesce(w.taken_by, w.dropped_for), w.receipt_time, w.receipt_height `

func waitingColumns(r *waitingRow) []any {
	return []any{&r.seq, &r.index, &r.id, &r.sender, &r.rawTx, &r.status, &r.replacedBy, &r.receiptTime, &r.receiptHeight}
}

// knowsMempool says whether there is a version of the mempool to read.
func knowsMempool(s *snapshot) bool { return s.active("mempool") != nil }

// queueWaiting adds the query for transactions that wait or were dropped to a batch; nil when there is no mempool to read.
func queueWaiting(b *batch, ids []hash.Hash32) *result[waitingRow] {
	if !knowsMempool(b.snapshot) {
		return &result[waitingRow]{}
	}
	return query(b, waitingColumns, `
		SELECT `+waitingSQL+` FROM {mempool}.transaction w WHERE w.txid = ANY ($1) AND w.status <> 'mined'`, ids)
}

// soughtRow is what there is of a transaction: at most one of the two.
type soughtRow struct {
	mined   *transactionRow
	waiting *waitingRow
}

// chosen is the row that says how the transaction is.
func (r soughtRow) chosen() *transactionRow {
	if r.waiting != nil {
		return &r.waiting.transactionRow
	}
	return r.mined
}

// choose decides between what chain has of transactions and what the mempool has: the canonical copy of one that is mined,
// else the one that waits or was dropped, else an orphaned copy.
func choose(mined *result[transactionRow], waiting *result[waitingRow]) map[hash.Hash32]soughtRow {
	all := make(map[hash.Hash32]soughtRow, len(mined.rows)+len(waiting.rows))
	for i := range mined.rows {
		all[mined.rows[i].id] = soughtRow{mined: &mined.rows[i]}
	}
	for i := range waiting.rows {
		r := &waiting.rows[i]
		if m := all[r.id].mined; m == nil || !m.canonical {
			all[r.id] = soughtRow{waiting: r}
		}
	}
	return all
}

// seek reads what there is of transactions, alone in its batch.
func seek(ctx context.Context, s *snapshot, ids ...hash.Hash32) (map[hash.Hash32]soughtRow, error) {
	b := s.batch()
	mined := &result[transactionRow]{}
	if _, ok := s.tip("chain"); ok {
		mined = queueTransactions(b, ids)
	}
	waiting := queueWaiting(b, ids)
	if len(b.queries) == 0 {
		return nil, nil
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return choose(mined, waiting), nil
}
