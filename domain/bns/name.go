package bns

import (
	"encoding/hex"
	"strings"

	"strata/domain/names"
)

// Name is a name with its namespace, such as alice and btc.
type Name struct {
	Label, Namespace string
}

// String returns the full name: label, dot, namespace.
func (n Name) String() string { return n.Label + "." + n.Namespace }

// IsZero reports whether n is no name.
func (n Name) IsZero() bool { return n == Name{} }

// ParseName splits a full name at its last dot. It returns false for a text without a label or a namespace.
func ParseName(text string) (Name, bool) {
	i := strings.LastIndexByte(text, '.')
	if i <= 0 || i == len(text)-1 {
		return Name{}, false
	}
	return Name{text[:i], text[i+1:]}, true
}

// Label returns the bytes of a label or a namespace as text. The contracts allow only a-z, 0-9, - and _, but do not
// check airdropped labels: bytes that are not printable ASCII are shown as 0x and hex.
func Label(b []byte) string {
	for _, c := range b {
		if c <= ' ' || c > '~' {
			return "0x" + hex.EncodeToString(b)
		}
	}
	return string(b)
}

// labelBytes is the inverse of Label.
func labelBytes(text string) []byte {
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		if b, err := hex.DecodeString(digits); err == nil && Label(b) == text {
			return b
		}
	}
	return []byte(text)
}

// ValidLabel reports whether the contract accepts a text as a new label: 1 to 48 of the characters a-z, 0-9, - and _, as
// in the first registry.
func ValidLabel(text string) bool { return names.ValidLabel(text) }
