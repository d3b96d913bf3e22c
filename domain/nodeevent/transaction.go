package nodeevent

import (
	"bytes"
	"encoding/json"
	"strconv"

	"strata/domain/hash"
)

// Status is how a transaction ended. A status that is not listed here is kept as the node wrote it.
type Status string

// Statuses of node releases up to 4.0. Every transaction in a block was charged its fee and used its nonce, whatever
// its status.
const (
	StatusSuccess              Status = "success"
	StatusAbortByResponse      Status = "abort_by_response"       // returned err, or failed at run time or in analysis
	StatusAbortByPostCondition Status = "abort_by_post_condition" // result is what would have been returned
	StatusProblematicSkipped   Status = "problematic_skipped"     // not executed
)

// Transaction is an entry of transactions[] in a block or microblocks payload. That list is not the block's body: it
// has boot contract deployments, Bitcoin operations and synthetic entries too.
type Transaction struct {
	Index   int         // position in the payload's array
	TxID    hash.Hash32 // required
	TxIndex uint32      // in a block: the position; in microblocks: restarts at 0 in each. The position if missing
	Status  Status      // required

	RawTx     []byte // consensus bytes; one zero byte for an operation that came from Bitcoin. Nil when missing
	RawResult []byte // consensus bytes of a Clarity value, not always a response. Nil when missing
	// ContractInterface is the JSON of a deployed contract's interface (contract_interface, or contract_abi before
	// release 3.1.0.0.9), nil if there is none. It can be set for a deployment that failed.
	ContractInterface json.RawMessage
	BurnchainOp       *BurnchainOp // nil for other transactions, and always before release 2.1
	ExecutionCost     Cost         // zero when missing
	// Microblock is nil for anchored transactions.
	Microblock *MicroblockPosition
	// VMError is the node's text about a failure: not consensus data, may hold NUL and line breaks. Nil before release
	// 3.1.0.0.9.
	VMError *string
	// ProblematicSkipped is the node's category of a skipped transaction.
	ProblematicSkipped *uint8
}

// MicroblockPosition says which microblock a transaction was in.
type MicroblockPosition struct {
	Sequence   uint16
	Hash       hash.Hash32
	ParentHash hash.Hash32
}

// Succeeded reports whether the effects of the transaction count. Only the status says so, never the result.
func (t *Transaction) Succeeded() bool { return t.Status == StatusSuccess }

// IsBurnchainOp reports whether the transaction came from Bitcoin and so has no Stacks bytes, no fee and no nonce.
func (t *Transaction) IsBurnchainOp() bool { return len(t.RawTx) == 1 && t.RawTx[0] == 0 }

// IsBoot reports whether the bytes name the boot address (SP000000000000000000002Q6VF78, or
// ST000000000000000000002AMW42H) as a single-signature origin: boot contract deployments, the genesis transfer and
// phantom unlock transactions, none of which anybody signed. Their nonces mean nothing.
func (t *Transaction) IsBoot() bool {
	// SIP-005: version 1 byte, chain id 4, authorization type 1, then the origin's spending condition: hash mode 1,
	// public key hash 20.
	const auth, mode, signer, end = 5, 6, 7, 27
	return len(t.RawTx) > end && (t.RawTx[auth] == 4 || t.RawTx[auth] == 5) && t.RawTx[mode] == 0 &&
		bytes.Equal(t.RawTx[signer:end], make([]byte, end-signer))
}

// Pointer is the JSON pointer of the transaction in its body.
func (t *Transaction) Pointer() string { return "/transactions/" + strconv.Itoa(t.Index) }

func (c *cursor) transactions() []Transaction {
	list := []Transaction{}
	c.array(func() {
		list = append(list, Transaction{Index: len(list)})
		c.transaction(&list[len(list)-1])
	})
	return list
}

func (c *cursor) transaction(t *Transaction) {
	var id, status, index bool
	var micro microblockFields
	present := c.object(func(name []byte) {
		switch string(name) {
		case "txid":
			id = c.hash32(&t.TxID)
		case "tx_index":
			index = c.uint32(&t.TxIndex)
		case "status":
			var s string
			status = c.name(&s)
			t.Status = Status(s)
		case "raw_tx":
			t.RawTx = c.bytes()
		case "raw_result":
			t.RawResult = c.bytes()
		case "contract_interface", "contract_abi":
			if abi := c.raw(); abi != nil {
				t.ContractInterface = abi
			}
		case "burnchain_op":
			t.BurnchainOp = c.burnchainOp()
		case "execution_cost":
			c.cost(&t.ExecutionCost)
		case "microblock_sequence":
			micro.sequence = c.uint16Pointer()
		case "microblock_hash":
			micro.hash = c.hash32Pointer()
		case "microblock_parent_hash":
			micro.parent = c.hash32Pointer()
		case "vm_error":
			t.VMError = c.stringPointer()
		case "problematic_skipped":
			t.ProblematicSkipped = c.uint8Pointer()
		default:
			c.skip()
		}
	})
	if c.err == nil && !present {
		c.wrong("a transaction", []byte("null"), nil)
	}
	c.need(id, "txid", "32 bytes in hex")
	c.need(status, "status", "a string")
	if !index {
		t.TxIndex = uint32(t.Index)
	}
	t.Microblock = c.microblockPosition(micro)
}

type microblockFields struct {
	sequence     *uint16
	hash, parent *hash.Hash32
}

// microblockPosition accepts all three fields or none.
func (c *cursor) microblockPosition(f microblockFields) *MicroblockPosition {
	if f.sequence == nil && f.hash == nil && f.parent == nil {
		return nil
	}
	const why = ", because other microblock fields are set"
	c.need(f.sequence != nil, "microblock_sequence", "a number"+why)
	c.need(f.hash != nil, "microblock_hash", "a hash"+why)
	c.need(f.parent != nil, "microblock_parent_hash", "a hash"+why)
	if c.err != nil {
		return nil
	}
	return &MicroblockPosition{Sequence: *f.sequence, Hash: *f.hash, ParentHash: *f.parent}
}
