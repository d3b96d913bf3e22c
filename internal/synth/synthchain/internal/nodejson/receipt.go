package nodejson

import (
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/node"
)

// Status is the result of a transaction.
type Status string

// The results of transactions.
const (
	Success              Status = "success"
	AbortByResponse      Status = "abort_by_response"
	AbortByPostCondition Status = "abort_by_post_condition"
	ProblematicSkipped   Status = "problematic_skipped"
)

// Receipt is one entry of transactions[] with its events.
type Receipt struct {
	Txid       hash.Hash32
	Raw        []byte
	Outcome    Outcome
	Cost       Cost
	Microblock *Microblock // nil for anchored transactions
	Events     []Event
}

// Outcome is the outcome of an execution.
type Outcome struct {
	Status      Status
	Result      []byte // serialised Clarity value
	Contract    string // the contract's interface as JSON; empty for null
	VMError     string // empty for null
	Skipped     uint8  // category of a problematic transaction
	BurnchainOp string // the operation on Bitcoin as JSON; empty for null
}

// append appends the entry of transactions[] to dst.
func (r *Receipt) append(dst []byte, g node.Generation, index int) []byte {
	o := newObject(dst)
	if g >= node.V21 {
		o = o.object("burnchain_op", r.Outcome.BurnchainOp)
	}
	if g >= node.V3109 {
		o = o.object("contract_interface", r.Outcome.Contract)
	} else {
		o = o.object("contract_abi", r.Outcome.Contract)
	}
	o = r.Cost.append(o.key("execution_cost"))
	if m := r.Microblock; m != nil {
		o = o.hash("microblock_hash", m.Hash).hash("microblock_parent_hash", m.Header.PrevBlock).number("microblock_sequence", uint64(m.Header.Sequence))
	} else {
		o = o.object("microblock_hash", "").object("microblock_parent_hash", "").object("microblock_sequence", "")
	}
	if r.Outcome.Status == ProblematicSkipped {
		o = o.number("problematic_skipped", uint64(r.Outcome.Skipped))
	}
	o = o.hex("raw_result", r.Outcome.Result).hex("raw_tx", r.Raw).text("status", string(r.Outcome.Status)).number("tx_index", uint64(index)).hash("txid", r.Txid)
	switch {
	case g < node.V3109:
	case r.Outcome.VMError == "":
		o = o.object("vm_error", "")
	default:
		o = o.text("vm_error", r.Outcome.VMError)
	}
	return o.end()
}
