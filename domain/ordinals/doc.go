// Package ordinals holds the rules of ordinals, inscriptions and BRC-20 that need nothing but the thing itself: the
// arithmetic of sats, the identifiers, what follows from a reveal or a move, and the decoding of the feed that an
// ordinals indexer (ordhook, a chainhook) posts. It is pure: bytes and numbers in, structs and text out.
//
// # Numbers
//
// Everything is counted in integers. Implementations that halve the subsidy in floating point are wrong for every sat
// from 2097949218750000 on: from the tenth halving on there is half a sat that Bitcoin drops. The only float is in
// [Sat.Percentile], which is one by definition. BRC-20 amounts are whole numbers of 10^-18.
//
// # The feed
//
// [Decode] reads a body in one pass without building a tree; each content is decoded from hex straight into its own
// memory. Nothing in a payload refers to the body, so the caller may reuse it.
//
// Members come in any order, unknown ones are skipped, and null counts as missing. Hex is taken with or without 0x,
// whole numbers as JSON numbers or as strings of digits. Required is what a table or an answer is made of; a required
// member that is missing, and any known member of the wrong type or out of its range, is a *nodeevent.FieldError that
// names it with a JSON pointer (RFC 6901). An operation of an unknown kind is an error too: to pass over one silently
// would leave every later owner or balance wrong.
//
// Heights, values and counts have at most 63 bits, so that each fits a signed 64-bit column.
//
// # Text
//
// Strings may hold NUL and control characters, except where something says that NULs are removed. Bytes that are not
// UTF-8 become U+FFFD.
package ordinals
