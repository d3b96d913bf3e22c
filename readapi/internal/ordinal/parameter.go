package ordinal

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

// heightPattern is that of heights and other whole numbers.
const heightPattern = `^[0-9]+$`

// heightDigits is the length of the longest height: with more digits it might not be a bigint.
const heightDigits = 18

func IntegerSchema(description string, examples ...any) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: description, Examples: examples}
}

func HeightSchema() *huma.Schema {
	digits := heightDigits
	return &huma.Schema{Type: huma.TypeString, Title: "Block Height", Extensions: schema.Matching(heightPattern), MaxLength: &digits, Examples: []any{"777678"}}
}

// integerParameter is an integer of at most 64 bits; empty when it is not given.
type IntegerParameter string

// Schema implements huma.SchemaProvider.
func (IntegerParameter) Schema(huma.Registry) *huma.Schema { return IntegerSchema("", 1) }

// value is the number; ok is false when it is not given.
func (p IntegerParameter) Value() (n int64, ok bool) {
	n, err := strconv.ParseInt(string(p), 10, 64)
	return n, err == nil
}

// heightParameter is the height of a Bitcoin block; empty when it is not given.
type HeightParameter string

// Schema implements huma.SchemaProvider.
func (HeightParameter) Schema(huma.Registry) *huma.Schema { return HeightSchema() }

// value is the height; ok is false when it is not given.
func (p HeightParameter) Value() (n int64, ok bool) { return IntegerParameter(p).Value() }
