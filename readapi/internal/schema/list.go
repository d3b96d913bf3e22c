package schema

import (
	"github.com/danielgtaylor/huma/v2"
)

// ListOf returns the schema of a parameter that may be repeated. It needs no limit on the number of items, because the
// size of the request bounds it.
func ListOf(description string, item *huma.Schema) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Description: description, Items: item}
}
