package ordinals

import "strata/domain/hash"

// Transaction is a Bitcoin transaction that concerns ordinals. One that can't be read has nothing but its Pointer.
type Transaction struct {
	Pointer string `json:"-"` // JSON pointer, such as /apply/0/transactions/3
	TxID    hash.Hash32
	Index   uint32 // position in the whole block; the coinbase is 0
	// Operations are the reveals, in the order of their envelopes, then the transfers. Nil for none.
	Operations []Operation
	BRC20      *BRC20Operation // nil for none
}

// Operation is a reveal or a transfer: exactly one of the two is set. Neither is if the operation can't be read.
type Operation struct {
	Pointer  string `json:"-"` // JSON pointer, such as /apply/0/transactions/3/metadata/ordinal_operations/1
	Reveal   *Reveal
	Transfer *Transfer
}

func (c *cursor) transaction(t *Transaction, pointer string) {
	read := func() {
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
	if !c.part(read, (*subjectReader).transaction) {
		*t = Transaction{Pointer: pointer}
	}
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
			index = c.position(&t.Index)
		case "ordinal_operations":
			operations = true
			c.part(func() {
				var present bool
				t.Operations, present = elements(c, t.Pointer+"/metadata/ordinal_operations/", c.operation)
				c.NeedValue(present, "an array")
			}, nil)
		case "brc20_operation":
			if !c.part(func() { t.BRC20 = c.brc20Operation(t.Pointer + "/metadata/brc20_operation") }, (*subjectReader).operation) {
				t.BRC20 = nil
			}
		default:
			c.Skip()
		}
	}) {
		return false
	}
	c.needPart(operations, "ordinal_operations", "an array")
	if t.BRC20 != nil { // the others have positions of their own
		c.needPart(index, "index", "a whole number of at most 32 bits, which says when the BRC-20 operation comes")
		if !index {
			t.BRC20 = nil
		}
	}
	return true
}

// position reads the position of a transaction in its block, and reports whether it can be read.
func (c *cursor) position(dst *uint32) (present bool) {
	_, err := c.Part(func() { present = c.uint32(dst) })
	return present && err == nil
}

func (c *cursor) operation(o *Operation, pointer string) {
	const want = "either inscription_revealed or inscription_transferred"
	o.Pointer = pointer
	read := func() {
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
	if !c.part(read, (*subjectReader).operation) {
		o.Reveal, o.Transfer = nil, nil
	}
}
