// Package transaction reads, writes, identifies, signs and verifies Stacks transactions in the wire format of SIP-005
// with the additions up to epoch 4.0 (SIP-015 Clarity versions and alternate coinbase recipients, SIP-021 tenure
// changes, Nakamoto coinbases and order-independent multisig, SIP-034 tenure extensions, staking post-conditions).
//
// # Shape
//
//	version(1) chain_id(4) auth  anchor_mode(1)  post_condition_mode(1) count(4) post_condition*  payload
//	└────────── Envelope ──────┘                 └────────────── PostConditions ────────────────┘
//
// Decode keeps slices of its input instead of copying them (post-conditions, call arguments, contract code), so the
// input must not change while the Transaction is in use. Encode gives back the bytes that were decoded, bit by bit.
//
// # What is refused and what is not
//
// Recorded blocks were accepted by consensus, so reading is lenient where the layout does not depend on it: names are
// not matched against their grammar, signatures are not checked, and codes that a later epoch may add (condition
// codes, tenure change causes, Clarity versions, post-condition modes) are kept as numbers. Payloads and
// post-conditions of unknown layout become an Undecoded payload; the envelope in front of them is readable all the
// same. Truncated or malformed parts of known layout are errors, always of type *DecodeError. Verify is the strict
// side: it applies the rules of consensus for signatures.
//
// Memory use of Decode is bounded by a small multiple of the input, whatever lengths the input claims.
package transaction
