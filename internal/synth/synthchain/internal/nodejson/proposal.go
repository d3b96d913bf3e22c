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
	dst := v.Cost.append([]byte(`{"cost":`))
	dst = append(dst, `,"replay_tx_exhausted":false`...)
	dst = appendNumber(appendKey(dst, "replay_tx_hash"), v.ReplayTxHash)
	dst = append(dst, `,"result":"Ok"`...)
	dst = appendBareHex(appendKey(dst, "signer_signature_hash"), signerSignatureHash[:])
	dst = appendNumber(appendKey(dst, "size"), v.Size)
	dst = appendNumber(appendKey(dst, "validation_time_ms"), v.Milliseconds)
	return append(dst, '}')
}

// RejectedProposal encodes the body of /proposal_response for a block with a time that is too late.
func RejectedProposal(signerSignatureHash hash.Hash32) []byte {
	dst := []byte(`{"failed_txid":null,"reason":"timestamp is too far ahead","reason_code":"InvalidTimestamp"`)
	dst = appendText(appendKey(dst, "result"), "Reject")
	dst = appendBareHex(appendKey(dst, "signer_signature_hash"), signerSignatureHash[:])
	return append(dst, '}')
}
