package param

import (
	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

// BlockReference names a block in a query: its height, block hash or index block hash. It is empty when it is not given.
type BlockReference string

// blockReferencePattern matches a height from 1, or a hash in either case, with or without 0x. Whoever reads the parameter
// checks it, in the words of the reference.
const blockReferencePattern = `^([1-9][0-9]{0,17}|(0x)?[a-fA-F0-9]{64})$`

// Schema implements huma.SchemaProvider.
func (BlockReference) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Described(blockReferencePattern), Examples: []any{"7"}}
}
