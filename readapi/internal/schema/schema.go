package schema

import (
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Amount is a whole number of base units as a decimal JSON string, because it may exceed what a JSON number can hold
// exactly.
type Amount string

// Schema implements huma.SchemaProvider.
func (Amount) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: Matching(`^-?[0-9]+$`), Examples: []any{"1250000"}}
}

// HashText carries the schema of hash.Hash32 in response bodies.
type HashText string

// Schema implements huma.SchemaProvider.
func (HashText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: Matching(`^0x[0-9a-f]{64}$`)}
}

// TimeText is a time as a JSON string, in UTC and always with milliseconds.
type TimeText string

// Schema implements huma.SchemaProvider.
func (TimeText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Examples: []any{"2024-10-29T14:21:02.000Z"}}
}

// UnixTime returns a time in Unix seconds as a TimeText.
func UnixTime(seconds int64) TimeText { return NewTimeText(time.Unix(seconds, 0)) }

// NewTimeText returns t as a TimeText.
func NewTimeText(t time.Time) TimeText { return TimeText(t.UTC().Format("2006-01-02T15:04:05.000Z")) }
