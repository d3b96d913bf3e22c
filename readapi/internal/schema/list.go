package schema

import (
	"github.com/danielgtaylor/huma/v2"
)

// listOf is the schema of a parameter that may be repeated. Items are not more than fit a request.
func ListOf(description string, item *huma.Schema) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Description: description, Items: item}
}
