package nodeevent

import (
	"math/big"

	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

// ProposalResponse is the body of /proposal_response: a node's verdict on a block that a miner proposed.
type ProposalResponse struct {
	Result              string      // required; "Ok" or "Reject"
	SignerSignatureHash hash.Hash32 // required

	// Fields of "Ok".
	Cost              *Cost
	Size              *uint64
	ValidationTimeMS  *uint64
	ReplayTxHash      *big.Int // 64 bits, possibly rounded up
	ReplayTxExhausted *bool

	// Fields of "Reject".
	Reason     string // a message; empty when missing
	ReasonCode string // empty when missing
	FailedTxID *hash.Hash32
}

func (c *cursor) proposalResponse() *ProposalResponse {
	p := &ProposalResponse{}
	var result, id bool
	present := c.Object(func(name []byte) {
		switch string(name) {
		case "result":
			result = c.Name(&p.Result)
		case "signer_signature_hash":
			id = c.Hash32(&p.SignerSignatureHash)
		case "cost":
			p.Cost = jsoncursor.Optional(c.cost)
		case "size":
			p.Size = jsoncursor.Optional(c.uint64)
		case "validation_time_ms":
			p.ValidationTimeMS = jsoncursor.Optional(c.uint64)
		case "replay_tx_hash":
			p.ReplayTxHash = c.big(u256Bits)
		case "replay_tx_exhausted":
			p.ReplayTxExhausted = jsoncursor.Optional(c.Bool)
		case "reason":
			c.String(&p.Reason)
		case "reason_code":
			c.Name(&p.ReasonCode)
		case "failed_txid":
			p.FailedTxID = jsoncursor.Optional(c.Hash32)
		default:
			c.unknown(name)
		}
	})
	c.NeedValue(present, "an object")
	c.Need(result, "result", "a string")
	c.Need(id, "signer_signature_hash", "32 bytes in hex")
	return p
}
