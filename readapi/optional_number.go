package readapi

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// optionalNumber is a whole number in a request, from 0 on. The empty text is "not given".
type optionalNumber string

// Schema implements huma.SchemaProvider.
func (optionalNumber) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Minimum: ptr(0.0)}
}

// number is what the parameter says; nil when it is not given. The schema has been checked.
func (p optionalNumber) number() *int64 {
	n, err := strconv.ParseInt(string(p), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// timeMost is a time after all others, which can be added to.
const timeMost = 1 << 40

// time is the parameter as a time in Unix seconds; nil when it is not given.
func (p optionalNumber) time() *int64 {
	n := p.number()
	if n != nil {
		*n = min(*n, timeMost)
	}
	return n
}
