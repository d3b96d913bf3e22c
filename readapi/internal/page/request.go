package page

import (
	"strconv"
)

// Request is a request for a page of a numbered list.
type Request struct {
	// From and To are the heights of the first and the last block of the range; nil for no bound.
	From, To *int64
	// Number is the number of the row that the offset is counted from; nil when the request names none.
	Number *int64
	// Place is a position in the chain that the page begins at instead: with the last row at or before it.
	Place  *ChainPlace
	Offset int64
	Limit  int
}

// ChainPlace is the position of a transaction in the chain.
type ChainPlace struct{ Height, Sequence, Index int64 }

// Args returns the arguments of the queries for the page. The owner arguments, which say whose list is read, follow
// from $9 on.
func (p *Request) Args(owner ...any) []any {
	var height, sequence, index *int64
	if p.Place != nil {
		height, sequence, index = &p.Place.Height, &p.Place.Sequence, &p.Place.Index
	}
	return append([]any{p.From, p.To, p.Number, height, sequence, index, min(p.Offset, OffsetMax), int64(p.Limit)}, owner...)
}

// Head holds the bounds of a page within its list: Low is the number of rows before the requested range of blocks, High
// the number of rows up to the end of that range, and Start the number of the first row of the page.
type Head struct {
	Low, High, Start int64
	OldestFirst      bool
}

// Total returns how many rows of the list are in the requested range of blocks.
func (h *Head) Total() int64 { return max(h.High-h.Low, 0) }

// older returns the number of the first row of the adjacent page with older rows; 0 when there is no such page.
func (h *Head) older(limit int) int64 {
	switch n := int64(limit); {
	case h.Total() == 0:
	case h.OldestFirst && h.Start > h.Low+1:
		return max(min(h.Start, h.High+1)-n, h.Low+1)
	case !h.OldestFirst && h.Start-n > h.Low:
		return h.Start - n
	}
	return 0
}

// newer returns the number of the first row of the adjacent page with newer rows; 0 when there is no such page. Near
// the newest row that page overlaps this one.
func (h *Head) newer(limit int) int64 {
	switch n := int64(limit); {
	case h.Total() == 0:
	case h.OldestFirst && h.Start+n <= h.High:
		return h.Start + n
	case !h.OldestFirst && h.Start < h.High:
		return min(h.High, max(h.Start, h.Low)+n)
	}
	return 0
}

// Empty reports whether the page has no rows.
func (h *Head) Empty() bool { return h.Start <= h.Low || h.Start > h.High }

// NumberCursor is a cursor: the number of the first row of a page.
type NumberCursor struct {
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"The first row of the page, as given by a cursor of another page. Paging by cursors neither skips nor repeats rows while blocks are added."`
}

// Number returns the number of the row; nil when the cursor is not given.
func (c NumberCursor) Number() *int64 {
	n, err := strconv.ParseInt(c.Cursor, 10, 64)
	if err != nil {
		return nil // not given: any other text was checked against the pattern
	}
	return &n
}

// NumberCursors are the cursors of a page and of its neighbours. Their names and directions are those of version 2 of
// the API: next means newer.
type NumberCursors struct {
	NextCursor *string `json:"next_cursor" doc:"The page of newer rows; null on the newest page."`
	PrevCursor *string `json:"prev_cursor" doc:"The page of older rows; null on the oldest page."`
	Cursor     *string `json:"cursor" doc:"This page; null when it is empty."`
}

func (h *Head) cursors(limit int) (c NumberCursors) {
	text := func(n int64) *string {
		if n == 0 {
			return nil
		}
		t := strconv.FormatInt(n, 10)
		return &t
	}
	c.NextCursor, c.PrevCursor = text(h.newer(limit)), text(h.older(limit))
	if !h.Empty() {
		c.Cursor = text(h.Start)
	}
	return c
}

// NumberedPage is a page of a numbered list in version 1 of the API, with cursors.
type NumberedPage[T any] struct {
	Limit   int   `json:"limit"`
	Offset  int64 `json:"offset"`
	Total   int64 `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []T   `json:"results" nullable:"false"`
	NumberCursors
}

// NewNumberedPage returns the page for a request, without rows.
func NewNumberedPage[T any](p *Request, head Head) *NumberedPage[T] {
	return &NumberedPage[T]{Limit: p.Limit, Offset: p.Offset, Total: head.Total(), Results: []T{}, NumberCursors: head.cursors(p.Limit)}
}
