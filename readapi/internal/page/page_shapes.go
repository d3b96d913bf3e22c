package page

// offsetPage is a page of a list as versions 1 and 2 of the API have it.
type OffsetPage[T any] struct {
	Limit   int   `json:"limit"`
	Offset  int64 `json:"offset"`
	Total   int64 `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []T   `json:"results" nullable:"false"`
}

// keysetPage is a page of a list as version 3 of the API has it. A cursor names the first row of the page that it opens.
type KeysetPage[T any] struct {
	Total   int64        `json:"total" doc:"Length of the whole list."`
	Limit   int          `json:"limit"`
	Cursor  KeysetCursor `json:"cursor"`
	Results []T          `json:"results" nullable:"false"`
}

type KeysetCursor struct {
	Next     *string `json:"next" doc:"The page after this one; null on the last page."`
	Previous *string `json:"previous" doc:"The page before this one; null on the first page."`
	Current  *string `json:"current" doc:"This page; null when it is empty."`
}

// offsetMost is the largest offset that is looked at: no list that it is used for has as many rows.
const OffsetMax = 1 << 31
