package schema

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// Object is a JSON object of any form.
type Object json.RawMessage

// Schema implements huma.SchemaProvider.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) { return json.RawMessage(o).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(text []byte) error { return (*json.RawMessage)(o).UnmarshalJSON(text) }
