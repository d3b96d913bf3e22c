package ordinals

import "strata/domain/hash"

// Transaction is a Bitcoin transaction that concerns ordinals.
type Transaction struct {
	Pointer string // JSON pointer, such as /apply/0/transactions/3
	TxID    hash.Hash32
	Index   uint32 // position in the whole block; the coinbase is 0
	// Operations are the reveals, in the order of their envelopes, then the transfers. Nil for none.
	Operations []Operation
	BRC20      *BRC20Operation // nil for none
}

// Operation is a reveal or a transfer: exactly one of the two is set.
type Operation struct {
	Pointer  string // JSON pointer, such as /apply/0/transactions/3/metadata/ordinal_operations/1
	Reveal   *Reveal
	Transfer *Transfer
}

func (c *cursor) transaction(t *Transaction, pointer string) {
	t.Pointer = pointer
	var id, metadata bool
	present := c.Object(func(name []byte) {
		switch string(name) {
		case "transaction_identifier":
			id = c.transactionIdentifier(&t.TxID)
		case "metadata":
			metadata = c.transactionMetadata(t)
		default:
			c.Skip()
		}
	})
	c.NeedValue(present, "a transaction")
	c.Need(id, "transaction_identifier", "a hash")
	c.Need(metadata, "metadata", "an object")
}

func (c *cursor) transactionIdentifier(dst *hash.Hash32) (present bool) {
	hasHash := false
	if !c.Object(func(name []byte) {
		if string(name) == "hash" {
			hasHash = c.Hash32(dst)
		} else {
			c.Skip()
		}
	}) {
		return false
	}
	c.Need(hasHash, "hash", "32 bytes in hex")
	return true
}

func (c *cursor) transactionMetadata(t *Transaction) (present bool) {
	var index, operations bool
	if !c.Object(func(name []byte) {
		switch string(name) {
		case "index":
			index = c.uint32(&t.Index)
		case "ordinal_operations":
			t.Operations, operations = elements(c, t.Pointer+"/metadata/ordinal_operations/", c.operation)
		case "brc20_operation":
			t.BRC20 = c.brc20Operation(t.Pointer + "/metadata/brc20_operation")
		default:
			c.Skip()
		}
	}) {
		return false
	}
	c.Need(index, "index", "a whole number")
	c.Need(operations, "ordinal_operations", "an array")
	return true
}

func (c *cursor) operation(o *Operation, pointer string) {
	const want = "either inscription_revealed or inscription_transferred"
	o.Pointer = pointer
	present := c.Object(func(name []byte) {
		switch string(name) {
		case "inscription_revealed":
			o.Reveal = c.reveal()
		case "inscription_transferred":
			o.Transfer = c.transfer()
		default:
			c.Skip()
		}
	})
	c.NeedValue(present, "an operation")
	c.NeedOne(want, o.Reveal != nil, o.Transfer != nil)
}
