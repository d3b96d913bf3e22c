// Package clarity reads, writes and shows Clarity values in the consensus serialization of SIP-005, and the
// principals and names that occur in them.
//
// A Value is nothing but its bytes, checked once: what it shows (repr text, type text, JSON, children) is read from
// them when asked for. So decoding allocates nothing however large a value claims to be, a nested value is a slice of
// its parent, and the hex that an API returns is always the original, never a re-encoding.
//
// Decoding is as lenient as the decoders in front of existing APIs, so that whatever a node has emitted can be shown;
// Strict asks for what a node itself would accept.
package clarity
