package page

// OffsetPage is a page of a list in versions 1 and 2 of the API.
type OffsetPage[T any] struct {
	Limit   int   `json:"limit"`
	Offset  int64 `json:"offset"`
	Total   int64 `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []T   `json:"results" nullable:"false"`
}

// KeysetPage is a page of a list in version 3 of the API.
type KeysetPage[T any] struct {
	Total   int64        `json:"total" doc:"Length of the whole list."`
	Limit   int          `json:"limit"`
	Cursor  KeysetCursor `json:"cursor"`
	Results []T          `json:"results" nullable:"false"`
}

// KeysetCursor identifies pages by their first row.
type KeysetCursor struct {
	Next     *string `json:"next" doc:"The page after this one; null on the last page."`
	Previous *string `json:"previous" doc:"The page before this one; null on the first page."`
	Current  *string `json:"current" doc:"This page; null when it is empty."`
}

// OffsetMax caps the offset into lists that are counted in rows: none of them is as long.
const OffsetMax = 1 << 31
