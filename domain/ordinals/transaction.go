package ordinals

import (
	"strconv"

	"strata/domain/hash"
)

// Transaction is a Bitcoin transaction that has something to do with ordinals.
type Transaction struct {
	Pointer string // JSON pointer, such as /apply/0/transactions/3
	TxID    hash.Hash32
	Index   uint32 // position in the whole block; the coinbase is 0
	// Operations are the reveals in the order of their envelopes, then the moves. Nil for none.
	Operations []Operation
	BRC20      *BRC20Operation // nil for none
}

// Operation is a reveal or the move of a sat: exactly one of the two is set.
type Operation struct {
	Pointer  string // JSON pointer, such as /apply/0/transactions/3/metadata/ordinal_operations/1
	Reveal   *Reveal
	Transfer *Transfer
}

// transactions reads a list whose elements have pointers that begin with a text.
func (c *cursor) transactions(pointer string) (list []Transaction, present bool) {
	present = c.array(func() {
		list = append(list, Transaction{Pointer: pointer + strconv.Itoa(len(list))})
		c.transaction(&list[len(list)-1])
	})
	return list, present
}

func (c *cursor) transaction(t *Transaction) {
	var id, metadata bool
	present := c.object(func(name []byte) {
		switch string(name) {
		case "transaction_identifier":
			id = c.transactionIdentifier(&t.TxID)
		case "metadata":
			metadata = c.transactionMetadata(t)
		default:
			c.skip()
		}
	})
	c.needValue(present, "a transaction")
	c.need(id, "transaction_identifier", "a hash")
	c.need(metadata, "metadata", "an object")
}

func (c *cursor) transactionIdentifier(dst *hash.Hash32) (present bool) {
	hasHash := false
	if !c.object(func(name []byte) {
		if string(name) == "hash" {
			hasHash = c.hash32(dst)
		} else {
			c.skip()
		}
	}) {
		return false
	}
	c.need(hasHash, "hash", "32 bytes in hex")
	return true
}

func (c *cursor) transactionMetadata(t *Transaction) (present bool) {
	var index, operations bool
	if !c.object(func(name []byte) {
		switch string(name) {
		case "index":
			index = c.uint32(&t.Index)
		case "ordinal_operations":
			t.Operations, operations = c.operations(t.Pointer + "/metadata/ordinal_operations/")
		case "brc20_operation":
			t.BRC20 = c.brc20Operation(t.Pointer + "/metadata/brc20_operation")
		default:
			c.skip()
		}
	}) {
		return false
	}
	c.need(index, "index", "a whole number")
	c.need(operations, "ordinal_operations", "an array")
	return true
}

// operations reads a list whose elements have pointers that begin with a text.
func (c *cursor) operations(pointer string) (list []Operation, present bool) {
	present = c.array(func() {
		list = append(list, Operation{Pointer: pointer + strconv.Itoa(len(list))})
		c.operation(&list[len(list)-1])
	})
	return list, present
}

func (c *cursor) operation(o *Operation) {
	const want = "either inscription_revealed or inscription_transferred"
	present := c.object(func(name []byte) {
		switch string(name) {
		case "inscription_revealed":
			o.Reveal = c.reveal()
		case "inscription_transferred":
			o.Transfer = c.transfer()
		default:
			c.skip()
		}
	})
	c.needValue(present, "an operation")
	c.needOne(want, o.Reveal != nil, o.Transfer != nil)
}
