// Package nodeevent decodes the JSON bodies that a Stacks node posts to an event observer: /new_block,
// /new_burn_block, /new_microblocks, /new_mempool_tx, /drop_mempool_tx, /attachments/new, /stackerdb_chunks and
// /proposal_response, in every shape they had from node release 2.0 to 4.0. It is pure: bytes in, structs out.
//
// # Leniency
//
// Bodies come from archives that many node releases wrote, so a field may be missing (an older node) or unknown (a
// newer one), and members come in any order. Hex is taken with or without 0x, whole numbers as JSON numbers or as
// decimal strings. A member that is null counts as missing. What is required is what nothing can be done without:
// the identity of the thing, the status of a transaction, and the amounts and parties of an event. A required member
// that is missing, and any known member of the wrong type, is a *FieldError that names it with a JSON pointer
// (RFC 6901). Unknown event types, statuses, drop reasons and paths are not errors; they are kept as text.
//
// An optional field whose zero value could be mistaken for a real one is a pointer, or a slice or map that is nil;
// nil means missing or null. Other optional fields are zero when missing, and say so.
//
// # Numbers
//
// Amounts are *big.Int and never pass through a float. Numbers in archives made by the reference implementation have
// gone through JavaScript: those above 2^53 are rounded, and 2^128-1 and 2^64-1 became slightly larger than their
// types hold. Fields where a node sends such numbers (the amounts of Bitcoin operations, replay_tx_hash) therefore
// take up to 256 bits.
//
// # Text
//
// Strings may hold NUL and control characters. Bytes that are not UTF-8 become U+FFFD.
//
// # Size and depth
//
// A body is read in one pass without building a tree. The value member of contract and NFT events, which repeats
// raw_value in a verbose form, is skipped where it stands. Nothing in a decoded payload refers to the body, so the
// caller may reuse its memory. Nesting beyond 10,000 levels is an error, not a stack overflow.
package nodeevent
