package schema

import "github.com/danielgtaylor/huma/v2"

// Integer is a whole number of any size, encoded as a JSON number.
type Integer string

// Schema implements huma.SchemaProvider.
func (Integer) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }

// MarshalJSON implements json.Marshaler.
func (n Integer) MarshalJSON() ([]byte, error) { return []byte(n), nil }
