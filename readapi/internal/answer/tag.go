package answer

import "encoding/hex"

// Tag identifies the content of an answer across its encodings. The zero Tag means that the answer has no entity tag.
type Tag [16]byte

// tagDigits is the length of a Tag in an entity tag.
const tagDigits = 2 * len(Tag{})

// entityTag is the strong entity tag of a form, with its quotes.
func (t Tag) entityTag(c coding) string {
	b := make([]byte, 0, tagDigits+len(`"-zstd"`))
	b = append(b, '"')
	b = hex.AppendEncode(b, t[:])
	b = append(b, tagSuffixes[c]...)
	return string(append(b, '"'))
}
