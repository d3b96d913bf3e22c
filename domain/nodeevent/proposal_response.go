package nodeevent

import (
	"math/big"

	"strata/domain/hash"
)

// ProposalResponse is the body of /proposal_response: a node's verdict on a block that a miner proposes.
type ProposalResponse struct {
	Result              string      // required; "Ok" or "Reject"
	SignerSignatureHash hash.Hash32 // required

	// Of "Ok".
	Cost              *Cost
	Size              *uint64
	ValidationTimeMS  *uint64
	ReplayTxHash      *big.Int // 64 bits, perhaps rounded upwards
	ReplayTxExhausted *bool

	// Of "Reject".
	Reason     string // text; empty when missing
	ReasonCode string // empty when missing
	FailedTxID *hash.Hash32
}

// Accepted reports whether the node accepted the proposal.
func (p *ProposalResponse) Accepted() bool { return p.Result == "Ok" }

func (c *cursor) proposalResponse() *ProposalResponse {
	p := &ProposalResponse{}
	var result, id bool
	present := c.object(func(name []byte) {
		switch string(name) {
		case "result":
			result = c.name(&p.Result)
		case "signer_signature_hash":
			id = c.hash32(&p.SignerSignatureHash)
		case "cost":
			p.Cost = c.costPointer()
		case "size":
			p.Size = c.uint64Pointer()
		case "validation_time_ms":
			p.ValidationTimeMS = c.uint64Pointer()
		case "replay_tx_hash":
			p.ReplayTxHash = c.big(u256Bits)
		case "replay_tx_exhausted":
			p.ReplayTxExhausted = c.boolPointer()
		case "reason":
			c.string(&p.Reason)
		case "reason_code":
			c.name(&p.ReasonCode)
		case "failed_txid":
			p.FailedTxID = c.hash32Pointer()
		default:
			c.skip()
		}
	})
	c.needObject(present)
	c.need(result, "result", "a string")
	c.need(id, "signer_signature_hash", "32 bytes in hex")
	return p
}
