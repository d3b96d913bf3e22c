package ordinal

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

// heightPattern matches heights and other whole numbers.
const heightPattern = `^[0-9]+$`

// heightDigits is the largest number of digits in a height: a longer number might not fit a bigint.
const heightDigits = 18

// IntegerSchema returns the schema of a 64-bit integer.
func IntegerSchema(description string, examples ...any) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: description, Examples: examples}
}

// HeightSchema returns the schema of the height of a Bitcoin block.
func HeightSchema() *huma.Schema {
	digits := heightDigits
	return &huma.Schema{Type: huma.TypeString, Title: "Block Height", Extensions: schema.Matching(heightPattern), MaxLength: &digits, Examples: []any{"777678"}}
}

// IntegerParameter is a 64-bit integer in a request; empty when it is not given.
type IntegerParameter string

// Schema implements huma.SchemaProvider.
func (IntegerParameter) Schema(huma.Registry) *huma.Schema { return IntegerSchema("", 1) }

// Value returns the number; ok is false when it is not given.
func (p IntegerParameter) Value() (n int64, ok bool) {
	n, err := strconv.ParseInt(string(p), 10, 64)
	return n, err == nil
}

// HeightParameter is the height of a Bitcoin block in a request; empty when it is not given.
type HeightParameter string

// Schema implements huma.SchemaProvider.
func (HeightParameter) Schema(huma.Registry) *huma.Schema { return HeightSchema() }

// Value returns the height; ok is false when it is not given.
func (p HeightParameter) Value() (n int64, ok bool) { return IntegerParameter(p).Value() }
