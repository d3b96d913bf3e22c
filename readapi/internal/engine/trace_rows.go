package engine

import (
	"strconv"
	"strings"
)

// place is where a page of a look-up begins: after the row with these numbers in the columns newestFirst, or after so many
// rows.
type Place []int64

func (p Place) String() string {
	parts := make([]string, len(p))
	for i, n := range p {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ".")
}

// tracedRow is a row of a look-up as it is read.
type LookupRow struct {
	Place                Place
	Key, Values, Sources string
}
