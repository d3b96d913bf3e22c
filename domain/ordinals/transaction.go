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
		present := c.Members(
			required("transaction_identifier", func() bool { return c.Members(required("hash", &t.TxID, "32 bytes in hex")) }, "a hash"),
			required("metadata", func() bool { return c.transactionMetadata(t) }, "an object"),
		)
		c.NeedValue(present, "a transaction")
	}
	if !c.part(read, (*subjectReader).transaction) {
		*t = Transaction{Pointer: pointer}
	}
}

func (c *cursor) transactionMetadata(t *Transaction) (present bool) {
	var index, operations bool
	if !c.Members(
		optional("index", func() { index = c.position(&t.Index) }),
		optional("ordinal_operations", func() {
			operations = true
			t.Operations = elements(c, t.Pointer+"/metadata/ordinal_operations/", c.operation)
		}),
		optional("brc20_operation", func() {
			if !c.part(func() { t.BRC20 = c.brc20Operation(t.Pointer + "/metadata/brc20_operation") }, (*subjectReader).operation) {
				t.BRC20 = nil
			}
		}),
	) {
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
	_, err := c.Part(func() { present = c.Read(dst) })
	return present && err == nil
}

func (c *cursor) operation(o *Operation, pointer string) {
	const want = "either inscription_revealed or inscription_transferred"
	o.Pointer = pointer
	read := func() {
		present := c.Members(
			optional("inscription_revealed", func() { o.Reveal = c.reveal() }),
			optional("inscription_transferred", func() { o.Transfer = c.transfer() }),
		)
		c.NeedValue(present, "an operation")
		c.NeedOne(want, o.Reveal != nil, o.Transfer != nil)
	}
	if !c.part(read, (*subjectReader).operation) {
		o.Reveal, o.Transfer = nil, nil
	}
}
