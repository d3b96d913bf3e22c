package param

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/schema"
)

// optionalNumber is a whole number in a request, from 0 on. The empty text is "not given".
type OptionalNumber string

// Schema implements huma.SchemaProvider.
func (OptionalNumber) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Minimum: schema.Ptr(0.0)}
}

// number is what the parameter says; nil when it is not given. The schema has been checked.
func (p OptionalNumber) Number() *int64 {
	n, err := strconv.ParseInt(string(p), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// timeMost is a time after all others, which can be added to.
const timeMost = 1 << 40

// time is the parameter as a time in Unix seconds; nil when it is not given.
func (p OptionalNumber) Time() *int64 {
	n := p.Number()
	if n != nil {
		*n = min(*n, timeMost)
	}
	return n
}
