package param

import (
	"github.com/danielgtaylor/huma/v2"
)

// direction in which a list is read.
type Direction string

// Schema implements huma.SchemaProvider.
func (Direction) Schema(huma.Registry) *huma.Schema {
	return Constants("asc", "asc", "desc")
}

const Descending = "desc"

// constants is a union of words, so that failures are worded as the reference words them.
func Constants(byDefault string, words ...string) *huma.Schema {
	s := &huma.Schema{Default: byDefault}
	for _, word := range words {
		s.AnyOf = append(s.AnyOf, &huma.Schema{Type: huma.TypeString, Enum: []any{word}})
	}
	return s
}
