package nodeevent

import (
	"bytes"
	"encoding/json"
	"strconv"

	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

// Status says how a transaction ended. An unknown status is kept as the node wrote it.
type Status string

// Statuses of node releases up to 4.0. Whatever its status, every transaction in a block pays its fee and uses its
// nonce.
const (
	StatusSuccess              Status = "success"
	StatusAbortByResponse      Status = "abort_by_response"       // returned err, or failed at run time or in analysis
	StatusAbortByPostCondition Status = "abort_by_post_condition" // RawResult is what it would have returned
	StatusProblematicSkipped   Status = "problematic_skipped"     // not executed
)

// Transaction is an entry of transactions[] in a block or microblocks payload. Not all entries are transactions of the
// block's body: some are boot contract deployments, Bitcoin operations or synthetic entries.
type Transaction struct {
	Index   int         // position in the payload's array
	TxID    hash.Hash32 // required
	TxIndex uint32      // position in the block or microblock; Index when missing
	Status  Status      // required

	RawTx     []byte // consensus bytes; one zero byte for an operation that came from Bitcoin. Nil when missing
	RawResult []byte // consensus bytes of a Clarity value, not always a response. Nil when missing
	// ContractInterface is the JSON of a deployed contract's interface (contract_interface, or contract_abi before
	// release 3.1.0.0.9); nil if there is none. A deployment that failed may have one.
	ContractInterface json.RawMessage
	BurnchainOp       *BurnchainOp // nil for other transactions, and always before release 2.1
	ExecutionCost     Cost         // zero when missing
	// Microblock is nil for anchored transactions.
	Microblock *MicroblockPosition
	// VMError is the node's message about a failure. It is not consensus data, and may hold NUL and line breaks. Nil
	// before release 3.1.0.0.9.
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

// Succeeded reports whether the effects of the transaction count. Only the status decides this, never the result.
func (t *Transaction) Succeeded() bool { return t.Status == StatusSuccess }

// IsBoot reports whether the origin of the transaction is the boot address (SP000000000000000000002Q6VF78, or
// ST000000000000000000002AMW42H) with a single signature. Such transactions are boot contract deployments, the genesis
// transfer and phantom unlocks. Nobody signed them, and their nonces mean nothing.
func (t *Transaction) IsBoot() bool {
	// SIP-005: version 1 byte, chain id 4, authorization type 1, then the origin's spending condition: hash mode 1,
	// public key hash 20.
	const auth, mode, signer, end = 5, 6, 7, 27
	return len(t.RawTx) > end && (t.RawTx[auth] == 4 || t.RawTx[auth] == 5) && t.RawTx[mode] == 0 &&
		bytes.Equal(t.RawTx[signer:end], make([]byte, end-signer))
}

// Pointer returns the JSON pointer of the transaction in its body.
func (t *Transaction) Pointer() string { return "/transactions/" + strconv.Itoa(t.Index) }

func (c *cursor) transactions() []Transaction {
	index := 0
	return jsoncursor.List(&c.Cursor, func(t *Transaction) {
		t.Index = index
		index++
		c.transaction(t)
	})
}

func (c *cursor) transaction(t *Transaction) {
	index := false
	var abi json.RawMessage
	var micro microblockFields
	present := c.Members(
		required("txid", &t.TxID, "32 bytes in hex"),
		optional("tx_index", func() { index = c.Read(&t.TxIndex) }),
		required("status", (*string)(&t.Status), "a string"),
		optional("raw_tx", &t.RawTx),
		optional("raw_result", &t.RawResult),
		optional("contract_interface", &t.ContractInterface),
		optional("contract_abi", &abi),
		optional("burnchain_op", func() { t.BurnchainOp = c.burnchainOp() }),
		optional("execution_cost", func() { c.cost(&t.ExecutionCost) }),
		optional("microblock_sequence", &micro.sequence),
		optional("microblock_hash", &micro.hash),
		optional("microblock_parent_hash", &micro.parent),
		optional("vm_error", func() { t.VMError = jsoncursor.Optional(c.String) }),
		optional("problematic_skipped", &t.ProblematicSkipped),
	)
	c.NeedValue(present, "a transaction")
	if t.ContractInterface == nil {
		t.ContractInterface = abi
	}
	if !index {
		t.TxIndex = uint32(t.Index)
	}
	t.Microblock = c.microblockPosition(micro)
}

// microblockFields are the members that make a MicroblockPosition.
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
	c.Need(f.sequence != nil, "microblock_sequence", "a number"+why)
	c.Need(f.hash != nil, "microblock_hash", "a hash"+why)
	c.Need(f.parent != nil, "microblock_parent_hash", "a hash"+why)
	if c.Failed() {
		return nil
	}
	return &MicroblockPosition{Sequence: *f.sequence, Hash: *f.hash, ParentHash: *f.parent}
}
