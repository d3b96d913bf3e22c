package readapi

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
)

// amount is a whole number of base units in decimal, as JSON text: it may exceed what a JSON number can hold.
type amount string

// Schema implements huma.SchemaProvider.
func (amount) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: matching(`^-?[0-9]+$`), Examples: []any{"1250000"}}
}

// hashText documents hash.Hash32 in answers.
type hashText string

// Schema implements huma.SchemaProvider.
func (hashText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: matching(`^0x[0-9a-f]{64}$`)}
}

// timeText is a time as JSON text: UTC, always with milliseconds.
type timeText string

// Schema implements huma.SchemaProvider.
func (timeText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Examples: []any{"2024-10-29T14:21:02.000Z"}}
}

func unixTime(seconds int64) timeText { return newTimeText(time.Unix(seconds, 0)) }

func newTimeText(t time.Time) timeText { return timeText(t.UTC().Format("2006-01-02T15:04:05.000Z")) }

func newSchemas() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[hash.Hash32](), reflect.TypeFor[hashText]())
	r.RegisterTypeAlias(reflect.TypeFor[humaError](), reflect.TypeFor[errorBody]())
	return r
}
