package ordinals

import (
	"crypto/sha256"
	"encoding/hex"
)

// BoundedMost is the length in bytes of the longest text that [Bounded] leaves alone.
const BoundedMost = 500

// Bounded returns an index key for a text from the feed: an address or a MIME type. An index cannot hold a text of any
// length, so a text of more than BoundedMost bytes becomes "sha256:" and its digest in hex. No valid address is that
// long.
func Bounded(text string) string {
	if len(text) <= BoundedMost {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}
