// Package ordinals has the rules of ordinals, inscriptions and BRC-20 that need no state: the arithmetic of sats, the
// identifiers, the consequences of a reveal or a transfer, and the decoding of the feed that an ordinals indexer
// (ordhook, a chainhook) posts. It is pure: bytes and numbers in, structs and text out.
//
// # Numbers
//
// The package counts in integers. Implementations that halve the subsidy in floating point are wrong for every sat from
// 2097949218750000 on: from the tenth halving on, the subsidy has a fraction of a sat, which Bitcoin drops. The only
// float is in [Sat.Percentile], which is one by definition. BRC-20 amounts are whole numbers of 10^-18.
//
// # The feed
//
// [Decode] reads a body in one pass without building a tree, and decodes each content from hex straight into its own
// memory. Nothing in a payload refers to the body, so the caller may reuse the body's memory.
//
// Members come in any order, unknown members are skipped, and null counts as missing. The package accepts hex with or
// without 0x, and whole numbers as JSON numbers or as strings of digits. A member is required if a table or an answer
// needs it. An operation without a required member, with a known member of the wrong type or out of its range, or of an
// unknown kind is a [Fault] of the payload, with the JSON pointer (RFC 6901) of the member: to skip it silently would make
// later owners and balances wrong without a sign. Everything else in the payload is decoded. A transaction or block is a
// fault only if nothing tells where its operations belong. Only a body that is not a JSON object is an error.
//
// Heights, values and counts have at most 63 bits, so that each fits a signed 64-bit column.
//
// # Text
//
// Strings may hold NUL and control characters, unless their comment says that NULs are removed. Bytes that are not
// UTF-8 become U+FFFD.
package ordinals
