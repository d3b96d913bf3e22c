package synthchain

import "strata/domain/hash"

// status is the result of a transaction.
type status string

const (
	success              status = "success"
	abortByResponse      status = "abort_by_response"
	abortByPostCondition status = "abort_by_post_condition"
	problematicSkipped   status = "problematic_skipped"
)

// receipt is one entry of transactions[] with its events.
type receipt struct {
	txid    hash.Hash32
	raw     []byte
	outcome outcome
	cost    cost
	micro   *microblock // nil for anchored transactions
	events  []event
}

// outcome is the outcome of an execution.
type outcome struct {
	status    status
	result    []byte // serialised Clarity value
	contract  string // the contract's interface as JSON; empty for null
	vmError   string // empty for null
	skipped   uint8  // category of a problematic transaction
	burnchain string // burnchain_op as JSON; empty for null
}

// append appends the entry of transactions[] to dst.
func (r *receipt) append(dst []byte, g Generation, index int) []byte {
	dst = append(dst, '{')
	if g >= V21 {
		dst = append(dst, `"burnchain_op":`...)
		dst = appendObject(dst, r.outcome.burnchain)
		dst = append(dst, ',')
	}
	if g >= V3109 {
		dst = append(dst, `"contract_interface":`...)
	} else {
		dst = append(dst, `"contract_abi":`...)
	}
	dst = appendObject(dst, r.outcome.contract)
	dst = r.cost.append(appendKey(dst, "execution_cost"))
	if m := r.micro; m != nil {
		dst = appendHex(appendKey(dst, "microblock_hash"), m.hash[:])
		dst = appendHex(appendKey(dst, "microblock_parent_hash"), m.header.PrevBlock[:])
		dst = appendNumber(appendKey(dst, "microblock_sequence"), uint64(m.header.Sequence))
	} else {
		dst = append(dst, `,"microblock_hash":null,"microblock_parent_hash":null,"microblock_sequence":null`...)
	}
	if r.outcome.status == problematicSkipped {
		dst = appendNumber(appendKey(dst, "problematic_skipped"), uint64(r.outcome.skipped))
	}
	dst = appendHex(appendKey(dst, "raw_result"), r.outcome.result)
	dst = appendHex(appendKey(dst, "raw_tx"), r.raw)
	dst = appendText(appendKey(dst, "status"), string(r.outcome.status))
	dst = appendNumber(appendKey(dst, "tx_index"), uint64(index))
	dst = appendHex(appendKey(dst, "txid"), r.txid[:])
	if g >= V3109 {
		dst = appendKey(dst, "vm_error")
		if r.outcome.vmError == "" {
			dst = append(dst, "null"...)
		} else {
			dst = appendText(dst, r.outcome.vmError)
		}
	}
	return append(dst, '}')
}

// appendObject writes an encoded object, or null if it is empty.
func appendObject(dst []byte, object string) []byte {
	if object == "" {
		return append(dst, "null"...)
	}
	return append(dst, object...)
}
