package names

import (
	"encoding/binary"
	"strings"

	"strata/projections/internal/ranked"
)

// Names of lists. One that ends with a colon is the prefix of a namespace.
const (
	listNames   = "names"
	listNamesOf = "names:"
)

// listSource returns the query for the keys of a list.
func listSource(list string) (query string, args []any) {
	if namespace, ok := strings.CutPrefix(list, listNamesOf); ok {
		return `SELECT a, b, c FROM {schema}.name WHERE listed AND namespace = $1`, []any{namespace}
	}
	return `SELECT a, b, c FROM {schema}.name WHERE listed`, nil
}

// keyOf returns the first 24 bytes of a name as three numbers in the same order. Names are ASCII, so no number is below
// zero. Longer names may share a key; the lists sort these by the whole name.
func keyOf(name string) ranked.Key {
	var bytes [24]byte
	copy(bytes[:], name)
	var key ranked.Key
	for i := range key {
		key[i] = int64(binary.BigEndian.Uint64(bytes[8*i:]))
	}
	return key
}
