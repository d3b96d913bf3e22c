package engine

import (
	"strconv"
	"strings"
)

// Place is where a page of a look-up begins: after the row with these values in the columns Lookup.NewestFirst, or
// without such columns after this number of rows.
type Place []int64

func (p Place) String() string {
	parts := make([]string, len(p))
	for i, n := range p {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ".")
}

// LookupRow is a row of a look-up. Key, Values and Sources are JSON.
type LookupRow struct {
	Place                Place
	Key, Values, Sources string
}
