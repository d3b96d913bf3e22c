package chain

import (
	"cmp"

	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
)

// completeness says how much of a block a copy of it holds. A node filters the events of a block by the keys of each
// observer entry, and leaves out contract interfaces and, when it announces genesis again, all transactions.
type completeness struct {
	events       int // that count: committed, and of successful transactions
	transactions int
	interfaces   int // of deployed contracts
}

func completenessOf(content *projections.Block) completeness {
	c := completeness{events: content.CountEffectiveEvents(), transactions: len(content.Transactions)}
	for i := range content.Transactions {
		if tx := &content.Transactions[i]; tx.Succeeded() && tx.ContractInterface != nil {
			c.interfaces++
		}
	}
	return c
}

// empty reports whether the block was announced without any transaction.
func (c completeness) empty() bool { return c.transactions == 0 }

// compare returns +1 if a copy is more complete than another one of the same block, -1 if it is less complete, and 0 if
// they have as much. Events come first: an old node may leave out a boot contract's deployment, but has all events.
func (c completeness) compare(other completeness) int {
	return cmp.Or(
		cmp.Compare(c.events, other.events),
		cmp.Compare(c.transactions, other.transactions),
		cmp.Compare(c.interfaces, other.interfaces),
	)
}

// lacksEvents reports whether a copy shows by itself that the node left events out: a successful token transfer has no
// stx_transfer_event. effective has the events of each transaction.
func lacksEvents(content *projections.Block, effective [][]*nodeevent.Event) bool {
	for i, decoded := range content.Decoded {
		if decoded == nil || len(effective[i]) > 0 {
			continue
		}
		tx := &content.Transactions[i]
		transfer, ok := decoded.Payload.(*transaction.TokenTransfer)
		if ok && transfer.Amount > 0 && tx.Succeeded() && !tx.IsBoot() {
			return true
		}
	}
	return false
}
