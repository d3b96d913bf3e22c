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
	present := c.Members(
		required("result", &p.Result, "a string"),
		required("signer_signature_hash", &p.SignerSignatureHash, "32 bytes in hex"),
		optional("cost", func() { p.Cost = jsoncursor.Optional(c.cost) }),
		optional("size", &p.Size),
		optional("validation_time_ms", &p.ValidationTimeMS),
		optional("replay_tx_hash", func() { p.ReplayTxHash = c.big(u256Bits) }),
		optional("replay_tx_exhausted", &p.ReplayTxExhausted),
		optional("reason", func() { c.String(&p.Reason) }),
		optional("reason_code", &p.ReasonCode),
		optional("failed_txid", &p.FailedTxID),
	)
	c.NeedValue(present, "an object")
	return p
}
