package page

import (
	"strata/domain/hash"
)

// CursorPage is a page of a list in version 2 of the API, newest first. Mind the directions: the next cursor leads to
// newer rows.
type CursorPage[T any] struct {
	Limit      int          `json:"limit"`
	Offset     int64        `json:"offset"`
	Total      int64        `json:"total" doc:"Length of the whole list."`
	NextCursor *hash.Hash32 `json:"next_cursor" nullable:"true" doc:"The page of newer rows; null on the newest page."`
	PrevCursor *hash.Hash32 `json:"prev_cursor" nullable:"true" doc:"The page of older rows; null on the oldest page."`
	Cursor     *hash.Hash32 `json:"cursor" nullable:"true" doc:"This page: its first row."`
	Results    []T          `json:"results" nullable:"false"`
}

// KeyPage is a page of an audit list, ordered by the list's key.
type KeyPage[T any] struct {
	Limit   int       `json:"limit"`
	Cursor  KeyCursor `json:"cursor"`
	Results []T       `json:"results" nullable:"false"`
}

// KeyCursor identifies pages by the key of their first row.
type KeyCursor struct {
	Next    *string `json:"next" doc:"The next page; null on the last one."`
	Current *string `json:"current" doc:"This page; null when it is empty."`
}

// NewKeyPage builds a page of the rows of a query that selected one row more than limit. That extra row opens the next
// page.
func NewKeyPage[T any](limit int, rows []T, key func(T) string) *KeyPage[T] {
	page := &KeyPage[T]{Limit: limit, Results: rows[:min(len(rows), limit)]}
	if page.Results == nil {
		page.Results = []T{}
	}
	if len(rows) > 0 {
		current := key(rows[0])
		page.Cursor.Current = &current
	}
	if len(rows) > limit {
		next := key(rows[limit])
		page.Cursor.Next = &next
	}
	return page
}

// LimitOr returns the limit of a request, or otherwise for the limit 0, which means the default.
func LimitOr(limit, otherwise int) int {
	if limit == 0 {
		return otherwise
	}
	return limit
}
