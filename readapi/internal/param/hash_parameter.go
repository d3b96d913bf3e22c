package param

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// HashPattern matches a 32-byte hash in a request: 64 hex digits in either case, with or without 0x.
const HashPattern = `^(0x)?[a-fA-F0-9]{64}$`

// HashParameter is a hash in a request; empty when it is not given.
type HashParameter string

// Schema implements huma.SchemaProvider.
func (HashParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(HashPattern)}
}

// Hash returns the hash. It fails only without a value, since the pattern was checked before.
func (p HashParameter) Hash() (hash.Hash32, error) {
	h, err := hash.Parse32(string(p))
	if err != nil {
		return h, engine.BadRequest("invalid hash %q", string(p))
	}
	return h, nil
}

// HeightOrHash names a block: latest, a height, a block hash or an index block hash. A text of 64 digits is a hash.
type HeightOrHash string

// Schema implements huma.SchemaProvider.
func (HeightOrHash) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "latest, a height, a block hash or an index block hash",
		AnyOf: []*huma.Schema{
			{Type: huma.TypeString, Enum: []any{"latest"}},
			{Type: huma.TypeInteger, Examples: []any{1350}},
			{Type: huma.TypeString, Extensions: schema.Matching(HashPattern)},
		},
	}
}

// Parse returns which of the three the parameter is, and its value.
func (p HeightOrHash) Parse() (latest bool, height *int64, id *hash.Hash32) {
	if p == "latest" {
		return true, nil, nil
	}
	if h, err := hash.Parse32(string(p)); err == nil {
		return false, nil, &h
	}
	if n, err := strconv.ParseInt(string(p), 10, 64); err == nil {
		return false, &n, nil
	}
	return false, nil, nil
}
