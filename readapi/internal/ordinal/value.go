package ordinal

import (
	"strconv"
	"strings"

	"strata/domain/hash"
)

// Inscribed is the projection that most operations of the ordinals API read.
const Inscribed = "inscriptions"

// Bare returns a hash without 0x, as Bitcoin software writes it.
func Bare(h hash.Hash32) string { return strings.TrimPrefix(h.String(), "0x") }

// Decimal returns n in decimal.
func Decimal(n int64) string { return strconv.FormatInt(n, 10) }

// DecimalOrNull returns n in decimal, or nil for nil.
func DecimalOrNull(n *int64) *string {
	if n == nil {
		return nil
	}
	text := Decimal(*n)
	return &text
}

// Milliseconds converts a time in Unix seconds to Unix milliseconds, the unit of the ordinals API.
func Milliseconds(seconds int64) int64 { return seconds * 1000 }
