package ordinal

import (
	"strconv"
	"strings"

	"strata/domain/hash"
)

// inscribed is the projection that most of the family is read from.
const Inscribed = "inscriptions"

// bare is a hash as Bitcoin's programs write it.
func Bare(h hash.Hash32) string { return strings.TrimPrefix(h.String(), "0x") }

func Decimal(n int64) string { return strconv.FormatInt(n, 10) }

func DecimalOrNull(n *int64) *string {
	if n == nil {
		return nil
	}
	text := Decimal(*n)
	return &text
}

// milliseconds are those of a time in seconds, as long as there are so many.
func Milliseconds(seconds int64) int64 { return seconds * 1000 }
