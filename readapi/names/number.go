package names

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// bigInteger is a whole number of any size, encoded as a JSON number. The lifetime of a namespace may have 128 bits.
type bigInteger string

// Schema implements huma.SchemaProvider.
func (bigInteger) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }

// MarshalJSON implements json.Marshaler.
func (n bigInteger) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// pageNumber is the number of a page, from 0; empty if the request has none, which is not always the same as 0.
type pageNumber string

// Schema implements huma.SchemaProvider.
func (pageNumber) Schema(huma.Registry) *huma.Schema {
	least := 0.0
	return &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Description: "Number of a page of 100 names, from 0, which is the default."}
}

// offset returns how many names are on earlier pages.
func (p pageNumber) offset() int64 {
	const most = 1 << 40 // more pages than any list has
	n, _ := strconv.ParseInt(string(p), 10, 64)
	return min(n, most) * pageSize
}

// pageSize is the number of names of a page.
const pageSize = 100
