package names

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

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
