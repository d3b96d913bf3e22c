package ordinals

import (
	"crypto/sha256"
	"encoding/hex"
)

// BoundedMost is the length in bytes of the longest text that [Bounded] leaves as it is.
const BoundedMost = 500

// Bounded is a text from the feed, an address or a MIME type, as a key of an index, which can't hold any: the text itself,
// or sha256: and its digest in hex when it has more than BoundedMost bytes. No address that is one is that long.
func Bounded(text string) string {
	if len(text) <= BoundedMost {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}
