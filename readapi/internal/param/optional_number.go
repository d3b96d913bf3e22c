package param

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

// OptionalNumber is a whole number in a request, 0 or greater; empty when it is not given.
type OptionalNumber string

// Schema implements huma.SchemaProvider.
func (OptionalNumber) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Minimum: schema.Ptr(0.0)}
}

// Number returns the number; nil when it is not given. Any other text was checked against the schema.
func (p OptionalNumber) Number() *int64 {
	n, err := strconv.ParseInt(string(p), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// timeMost caps times. It is later than any block, and small enough that sums with it do not overflow.
const timeMost = 1 << 40

// Time returns the parameter as a time in Unix seconds; nil when it is not given.
func (p OptionalNumber) Time() *int64 {
	n := p.Number()
	if n != nil {
		*n = min(*n, timeMost)
	}
	return n
}
