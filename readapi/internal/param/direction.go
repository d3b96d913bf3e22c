package param

import (
	"github.com/danielgtaylor/huma/v2"
)

// Direction is the query parameter for the order of a list, ascending or descending.
type Direction string

// Schema implements huma.SchemaProvider.
func (Direction) Schema(huma.Registry) *huma.Schema {
	return Constants("asc", "asc", "desc")
}

// Descending is the Direction of a list that begins with the greatest row.
const Descending = "desc"

// Constants returns the schema of a parameter that must be one of the words. It is a union of constants rather than an
// enum, so that validation errors read as those of the reference.
func Constants(byDefault string, words ...string) *huma.Schema {
	s := &huma.Schema{Default: byDefault}
	for _, word := range words {
		s.AnyOf = append(s.AnyOf, &huma.Schema{Type: huma.TypeString, Enum: []any{word}})
	}
	return s
}
