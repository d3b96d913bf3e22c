package page

import (
	"strata/domain/hash"
)

// cursorPage is a page of a list, newest first, as version 2 of the API has it. Mind the directions: next is newer.
type CursorPage[T any] struct {
	Limit      int          `json:"limit"`
	Offset     int64        `json:"offset"`
	Total      int64        `json:"total" doc:"Length of the whole list."`
	NextCursor *hash.Hash32 `json:"next_cursor" nullable:"true" doc:"The page of newer rows; null on the newest page."`
	PrevCursor *hash.Hash32 `json:"prev_cursor" nullable:"true" doc:"The page of older rows; null on the oldest page."`
	Cursor     *hash.Hash32 `json:"cursor" nullable:"true" doc:"This page: its first row."`
	Results    []T          `json:"results" nullable:"false"`
}

// keyPage is a page of a list of the audit resources, in the order of its key.
type KeyPage[T any] struct {
	Limit   int       `json:"limit"`
	Cursor  KeyCursor `json:"cursor"`
	Results []T       `json:"results" nullable:"false"`
}

// keyCursor names pages by the key of their first row.
type KeyCursor struct {
	Next    *string `json:"next" doc:"The next page; null on the last one."`
	Current *string `json:"current" doc:"This page; null when it is empty."`
}

// newKeyPage makes a page of the rows of a query that asked for one more than limit.
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

// orDefault is the limit of a request, in which 0 means the default.
func LimitOr(limit, otherwise int) int {
	if limit == 0 {
		return otherwise
	}
	return limit
}
