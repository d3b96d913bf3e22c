// Package transaction decodes, encodes, identifies, signs and verifies Stacks transactions in the wire format of
// SIP-005 with the additions up to epoch 4.0 (SIP-015 Clarity versions and alternate coinbase recipients, SIP-021
// tenure changes, Nakamoto coinbases and order-independent multisig, SIP-034 tenure extensions, staking
// post-conditions).
//
// # Shape
//
//	version(1) chain_id(4) auth  anchor_mode(1)  post_condition_mode(1) count(4) post_condition*  payload
//	└────────── Envelope ──────┘                 └────────────── PostConditions ────────────────┘
//
// A decoded Transaction shares memory with its input (post-conditions, call arguments, contract code), so the input
// must not change while the Transaction is in use. Encode returns exactly the bytes that were decoded.
//
// # What Decode refuses
//
// Consensus has accepted the recorded blocks, so decoding is lenient wherever the layout does not depend on a value: it
// does not match names against their grammar or check signatures, and it keeps codes that a later epoch may add
// (condition codes, tenure change causes, Clarity versions, post-condition modes) as numbers. Payloads and
// post-conditions of unknown layout become an Undecoded payload, and the envelope before them is decoded as usual. A
// truncated or malformed part of known layout is an error, always of type *DecodeError. Verify is strict: it applies
// the consensus rules for signatures.
//
// The memory use of Decode is bounded by a small multiple of the input's size, whatever lengths the input claims.
package transaction
