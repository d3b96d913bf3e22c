package nodeevent

import (
	"cmp"
	"fmt"
	"slices"

	"strata/domain/hash"
)

// Receipts are the transactions and events of a block or microblocks payload.
type Receipts struct {
	Transactions []Transaction // in the order of the body; see ExecutionOrder
	Events       []Event       // sorted by EventIndex
}

// EffectiveEvents returns the events that count, those that are committed and belong to a successful transaction. The
// outer slice has an entry for each transaction, in the order of Transactions. The position in the inner slice is the
// number of the event within its transaction. Unlike EventIndex, this number does not depend on the node release.
func (r *Receipts) EffectiveEvents() [][]*Event {
	counts := make([]int, len(r.Transactions))
	total := 0
	for i := range r.Events {
		if e := &r.Events[i]; r.isEffective(e) {
			counts[e.Tx]++
			total++
		}
	}
	unused := make([]*Event, total) // one allocation for all transactions
	events := make([][]*Event, len(r.Transactions))
	for i, n := range counts {
		events[i], unused = unused[:0:n], unused[n:]
	}
	for i := range r.Events {
		if e := &r.Events[i]; r.isEffective(e) {
			events[e.Tx] = append(events[e.Tx], e)
		}
	}
	return events
}

// CountEffectiveEvents returns the number of events that EffectiveEvents returns.
func (r *Receipts) CountEffectiveEvents() int {
	total := 0
	for i := range r.Events {
		if r.isEffective(&r.Events[i]) {
			total++
		}
	}
	return total
}

func (r *Receipts) isEffective(e *Event) bool {
	return e.Committed && r.Transactions[e.Tx].Succeeded()
}

// ExecutionOrder returns the transactions in the order of their execution: the transactions of microblocks by sequence
// and index, then the anchored transactions. A body lists the anchored transactions first.
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

// Repetition returns what a payload has twice although no chain can: a transaction that somebody signed, or an event index of a
// transaction. It returns nil for nothing. What nobody signed may come twice.
func (r *Receipts) Repetition() *FieldError {
	isSigned := make(map[hash.Hash32]bool, len(r.Transactions))
	for i := range r.Transactions {
		t := &r.Transactions[i]
		signed := len(t.RawTx) > 1 && !t.IsBoot() // an operation that came from Bitcoin has one byte
		other, twice := isSigned[t.TxID]
		if twice && (signed || other) {
			return &FieldError{Path: t.Pointer() + "/txid", Want: "a transaction that the payload does not have yet", Got: t.TxID.String()}
		}
		isSigned[t.TxID] = signed
	}
	var transactions map[int]bool // of the events with the same index
	for i := 1; i < len(r.Events); i++ {
		previous, e := &r.Events[i-1], &r.Events[i]
		if e.EventIndex != previous.EventIndex {
			clear(transactions)
			continue
		}
		if transactions == nil {
			transactions = map[int]bool{}
		}
		transactions[previous.Tx] = true
		if transactions[e.Tx] {
			return &FieldError{
				Path: e.Pointer() + "/event_index", Want: "an index that no other event of the transaction has", Got: fmt.Sprint(e.EventIndex),
			}
		}
	}
	return nil
}

// linkEvents sets the Tx of each event. If a transaction id occurs twice in a payload, which no rule forbids for
// entries that nobody signed, its events belong to the first of these transactions.
func (c *cursor) linkEvents(r *Receipts) {
	if c.Failed() {
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
			c.Fail(&FieldError{Path: e.Pointer() + "/txid", Want: "a transaction of the payload", Got: e.TxID.String()})
			return
		}
		e.Tx = tx
	}
}
