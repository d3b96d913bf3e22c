// Package nodeevent decodes the JSON bodies that a Stacks node posts to an event observer: /new_block,
// /new_burn_block, /new_microblocks, /new_mempool_tx, /drop_mempool_tx, /attachments/new, /stackerdb_chunks and
// /proposal_response, in the shapes of all node releases from 2.0 to 4.0. It is pure: bytes in, structs out.
//
// # Leniency
//
// Many node releases wrote the bodies, so a body may lack a field (an older node) or have an unknown one (a newer
// node), and members come in any order. The package accepts hex with or without 0x, and whole numbers as JSON numbers
// or as decimal strings. A member that is null counts as missing. A field is required only if the payload is useless
// without it: the identity of a block or transaction, the status of a transaction, and the amounts and parties of an
// event. A required member that is missing, and any known member of the wrong type, is a *FieldError with the JSON
// pointer (RFC 6901) of the member. Unknown event types, statuses, drop reasons and paths are not errors; they are kept
// as text.
//
// An optional field whose zero value could also be a real value is a pointer, or a slice or map that is nil when the
// member is missing or null. Other optional fields are zero when missing; their comments say so.
//
// # Numbers
//
// Amounts are *big.Int and never pass through a float. Archives of the reference implementation hold numbers that
// passed through JavaScript: numbers above 2^53 are rounded, so 2^128-1 and 2^64-1 have become slightly larger than
// their types allow. Fields in which a node sends such numbers (the amounts of Bitcoin operations, replay_tx_hash)
// therefore accept up to 256 bits.
//
// # Text
//
// Strings may hold NUL and control characters. Bytes that are not UTF-8 become U+FFFD.
//
// # Size and depth
//
// A body is read in one pass without building a tree. The value member of contract and NFT events, which repeats
// raw_value in a verbose form, is skipped without decoding. Nothing in a decoded payload refers to the body, so the
// caller may reuse the body's memory. Nesting beyond 10,000 levels is an error, not a stack overflow.
package nodeevent
