// Package clarity decodes, encodes and renders Clarity values in the consensus serialization of SIP-005, and the
// principals and names in them.
//
// A Value holds only its serialized bytes, checked once. Repr text, type text, JSON and nested values are derived from
// the bytes on demand. So decoding allocates nothing, however large a value claims to be; a nested value is a slice of
// its parent; and the hex that an API returns is always the original, never a re-encoding.
//
// Decoding is as lenient as the decoders of existing APIs, so that every value a node has emitted can be shown. With
// Strict it accepts only what a node accepts.
package clarity
