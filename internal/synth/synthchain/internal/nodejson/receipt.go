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
	dst = append(dst, '{')
	if g >= node.V21 {
		dst = append(dst, `"burnchain_op":`...)
		dst = appendObject(dst, r.Outcome.BurnchainOp)
		dst = append(dst, ',')
	}
	if g >= node.V3109 {
		dst = append(dst, `"contract_interface":`...)
	} else {
		dst = append(dst, `"contract_abi":`...)
	}
	dst = appendObject(dst, r.Outcome.Contract)
	dst = r.Cost.append(appendKey(dst, "execution_cost"))
	if m := r.Microblock; m != nil {
		dst = appendHex(appendKey(dst, "microblock_hash"), m.Hash[:])
		dst = appendHex(appendKey(dst, "microblock_parent_hash"), m.Header.PrevBlock[:])
		dst = appendNumber(appendKey(dst, "microblock_sequence"), uint64(m.Header.Sequence))
	} else {
		dst = append(dst, `,"microblock_hash":null,"microblock_parent_hash":null,"microblock_sequence":null`...)
	}
	if r.Outcome.Status == ProblematicSkipped {
		dst = appendNumber(appendKey(dst, "problematic_skipped"), uint64(r.Outcome.Skipped))
	}
	dst = appendHex(appendKey(dst, "raw_result"), r.Outcome.Result)
	dst = appendHex(appendKey(dst, "raw_tx"), r.Raw)
	dst = appendText(appendKey(dst, "status"), string(r.Outcome.Status))
	dst = appendNumber(appendKey(dst, "tx_index"), uint64(index))
	dst = appendHex(appendKey(dst, "txid"), r.Txid[:])
	if g >= node.V3109 {
		dst = appendKey(dst, "vm_error")
		if r.Outcome.VMError == "" {
			dst = append(dst, "null"...)
		} else {
			dst = appendText(dst, r.Outcome.VMError)
		}
	}
	return append(dst, '}')
}
