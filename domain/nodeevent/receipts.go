package nodeevent

import (
	"cmp"
	"slices"

	"strata/domain/hash"
)

// Receipts is what a block and a microblocks payload have in common.
type Receipts struct {
	Transactions []Transaction // in the order of the body, which is not the order of execution
	Events       []Event       // sorted by EventIndex
}

// EffectiveEvents returns, for each transaction by its position in Transactions, the events that count: committed, and
// of a transaction that succeeded. The position in the inner slice is the number of the event within its transaction,
// which is the same whichever node release wrote the payload (EventIndex is not).
func (r *Receipts) EffectiveEvents() [][]*Event {
	counts := make([]int, len(r.Transactions))
	total := 0
	for i := range r.Events {
		if e := &r.Events[i]; r.effective(e) {
			counts[e.Tx]++
			total++
		}
	}
	all := make([]*Event, total)
	out := make([][]*Event, len(r.Transactions))
	for i, n := range counts {
		out[i], all = all[:0:n], all[n:]
	}
	for i := range r.Events {
		if e := &r.Events[i]; r.effective(e) {
			out[e.Tx] = append(out[e.Tx], e)
		}
	}
	return out
}

func (r *Receipts) effective(e *Event) bool {
	return e.Committed && r.Transactions[e.Tx].Succeeded()
}

// ExecutionOrder returns the transactions in the order in which they were executed: those of microblocks by sequence
// and index, then the anchored ones, although a body lists them the other way round.
func (r *Receipts) ExecutionOrder() []*Transaction {
	const anchored = 1 << 16 // above any sequence
	order := make([]*Transaction, len(r.Transactions))
	for i := range r.Transactions {
		order[i] = &r.Transactions[i]
	}
	sequence := func(t *Transaction) int {
		if t.Microblock == nil {
			return anchored
		}
		return int(t.Microblock.Sequence)
	}
	slices.SortStableFunc(order, func(a, b *Transaction) int {
		return cmp.Or(cmp.Compare(sequence(a), sequence(b)), cmp.Compare(a.TxIndex, b.TxIndex))
	})
	return order
}

// link finds the transaction of each event. Should a transaction id occur twice in a payload, which no rule forbids for
// entries that nobody signed, the events belong to the first.
func (c *cursor) link(r *Receipts) {
	if c.err != nil {
		return
	}
	byID := make(map[hash.Hash32]int, len(r.Transactions))
	for i := range r.Transactions {
		t := &r.Transactions[i]
		if _, twice := byID[t.TxID]; !twice {
			byID[t.TxID] = i
		}
	}
	for i := range r.Events {
		e := &r.Events[i]
		if i > 0 && e.TxID == r.Events[i-1].TxID {
			e.Tx = r.Events[i-1].Tx
			continue
		}
		tx, ok := byID[e.TxID]
		if !ok {
			c.fail(&FieldError{Path: e.Pointer() + "/txid", Want: "a transaction of the payload", Got: e.TxID.String()})
			return
		}
		e.Tx = tx
	}
}
