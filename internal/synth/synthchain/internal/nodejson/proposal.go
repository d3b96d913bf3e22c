package nodejson

import "strata/domain/hash"

// Validation says how the check of a proposed block went.
type Validation struct {
	Cost         Cost
	ReplayTxHash uint64
	Size         uint64 // bytes
	Milliseconds uint64
}

// AcceptedProposal encodes the body of /proposal_response for a block that may be signed.
func AcceptedProposal(signerSignatureHash hash.Hash32, v Validation) []byte {
	o := object(v.Cost.append(newObject(nil).key("cost"))).bool("replay_tx_exhausted", false).number("replay_tx_hash", v.ReplayTxHash).
		text("result", "Ok").bareHex("signer_signature_hash", signerSignatureHash[:]).number("size", v.Size)
	return o.number("validation_time_ms", v.Milliseconds).end()
}

// RejectedProposal encodes the body of /proposal_response for a block with a time that is too late.
func RejectedProposal(signerSignatureHash hash.Hash32) []byte {
	o := newObject(nil).object("failed_txid", "").text("reason", "timestamp is too far ahead").text("reason_code", "InvalidTimestamp")
	return o.text("result", "Reject").bareHex("signer_signature_hash", signerSignatureHash[:]).end()
}
