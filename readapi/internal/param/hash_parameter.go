package param

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// hashPattern is a 32-byte hash in a request: with or without 0x, in any case.
const HashPattern = `^(0x)?[a-fA-F0-9]{64}$`

// hashParameter is a hash in a request. The empty text is "not given".
type HashParameter string

// Schema implements huma.SchemaProvider.
func (HashParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(HashPattern)}
}

// hash is what the parameter says; the pattern has been checked.
func (p HashParameter) Hash() (hash.Hash32, error) {
	h, err := hash.Parse32(string(p))
	if err != nil {
		return h, engine.BadRequest("invalid hash %q", string(p))
	}
	return h, nil
}

// heightOrHash names a block: latest, a height, a block hash or an index block hash. 64 digits are a hash.
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

// parse returns the one of the three that the parameter is.
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
