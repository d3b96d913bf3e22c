package param

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// OptionalHeight is the height of a block in a request; empty when it is not given.
type OptionalHeight string

// Schema implements huma.SchemaProvider.
func (OptionalHeight) Schema(huma.Registry) *huma.Schema {
	least := 0.0
	return &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Examples: []any{1350}}
}

// Height returns the height, or otherwise when the parameter is not given.
func (p OptionalHeight) Height(otherwise int64) int64 {
	n, err := strconv.ParseInt(string(p), 10, 64)
	if err != nil {
		return otherwise // not given: any other text was checked against the schema
	}
	return n
}
