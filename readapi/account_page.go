package readapi

import (
	"strconv"

	"strata/domain/hash"
)

// asked says which page of a numbered list is asked for.
type asked struct {
	// from and to are heights of the first and the last block of the range; nil for no bound.
	from, to *int64
	// number is that of the row that the offset is counted from; nil when it is not given.
	number *int64
	// place is a position in the chain instead: the first row there or before.
	place  *chainPlace
	offset int64
	limit  int
}

// chainPlace is where a transaction stands in the chain.
type chainPlace struct{ height, sequence, index int64 }

// args are the arguments of queries for the page, of a list that is named by owner.
func (p *asked) args(owner ...any) []any {
	var height, sequence, index *int64
	if p.place != nil {
		height, sequence, index = &p.place.height, &p.place.sequence, &p.place.index
	}
	return append([]any{p.from, p.to, p.number, height, sequence, index, min(p.offset, offsetMost), int64(p.limit)}, owner...)
}

// pageHead is where a page stands in its list: low and high are how many rows stand before the range of blocks that is asked
// for, and how many do up to its end; start is the number of the first row of the page.
type pageHead struct {
	low, high, start int64
	oldestFirst      bool
}

func (h *pageHead) total() int64 { return max(h.high-h.low, 0) }

// older is the number of the first row of the page with the older rows beside this one; 0 for none.
func (h *pageHead) older(limit int) int64 {
	switch n := int64(limit); {
	case h.total() == 0:
	case h.oldestFirst && h.start > h.low+1:
		return max(min(h.start, h.high+1)-n, h.low+1)
	case !h.oldestFirst && h.start-n > h.low:
		return h.start - n
	}
	return 0
}

// newer is the number of the first row of the page with the newer rows beside this one; 0 for none. Near the newest row the
// page before this one overlaps with it.
func (h *pageHead) newer(limit int) int64 {
	switch n := int64(limit); {
	case h.total() == 0:
	case h.oldestFirst && h.start+n <= h.high:
		return h.start + n
	case !h.oldestFirst && h.start < h.high:
		return min(h.high, max(h.start, h.low)+n)
	}
	return 0
}

// empty says that the page has no rows.
func (h *pageHead) empty() bool { return h.start <= h.low || h.start > h.high }

// queueHead adds the query for where the page stands to a batch. It has a row, whatever is asked for.
func queueHead(b *batch, l pagedList, p *asked, owner ...any) *result[pageHead] {
	return query(b, func(h *pageHead) []any { h.oldestFirst = l.ascends(); return []any{&h.low, &h.high, &h.start} },
		`SELECT ARRAY[]::bigint[], page.low, page.high, page.start FROM `+l.pageSQL(), p.args(owner...)...)
}

// listPlace is where a row of a list stands in the chain.
type listPlace struct {
	number          int64
	height          int64
	sequence, index int32
	block           hash.Hash32 // index block hash
}

// queueNeighbours adds the query for the first rows of the pages before and after the page to a batch.
func (l *numbered) queueNeighbours(b *batch, p *asked, owner ...any) *result[listPlace] {
	return query(b, func(n *listPlace) []any { return []any{&n.number, &n.height, &n.sequence, &n.index, &n.block} }, `
		SELECT ARRAY[]::bigint[], beside.number, t.height, coalesce(t.microblock_sequence, 2147483647), t.tx_index, k.index_block_hash
		FROM `+l.pageSQL()+l.sql(`
		CROSS JOIN LATERAL (VALUES
			(CASE WHEN page.start - $8::bigint > page.low THEN page.start - $8::bigint END),
			(CASE WHEN page.start < page.high AND page.low < page.high THEN least(page.high, greatest(page.start, page.low) + $8::bigint) END)
		) beside (number)
		CROSS JOIN LATERAL (SELECT {tx} AS place FROM {table} r WHERE {rows} AND {number} = beside.number LIMIT 1) r
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction t WHERE t.n = r.place LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.block k WHERE k.height = t.height LIMIT 1) k`), p.args(owner...)...)
}

// NumberCursor is the number of the row that a page begins with.
type NumberCursor struct {
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"Where the page begins, as cursors of other pages name it: pages that are walked by cursors neither skip nor repeat rows while blocks are added."`
}

func (c NumberCursor) number() *int64 {
	n, err := strconv.ParseInt(c.Cursor, 10, 64)
	if err != nil {
		return nil // it is not given: the pattern has been checked
	}
	return &n
}

// NumberCursors lead to the pages around one, newest first. They have the names and directions of version 2 of the API.
type NumberCursors struct {
	NextCursor *string `json:"next_cursor" doc:"The page of newer rows; null on the newest page."`
	PrevCursor *string `json:"prev_cursor" doc:"The page of older rows; null on the oldest page."`
	Cursor     *string `json:"cursor" doc:"This page; null when it is empty."`
}

func (h *pageHead) cursors(limit int) (c NumberCursors) {
	text := func(n int64) *string {
		if n == 0 {
			return nil
		}
		t := strconv.FormatInt(n, 10)
		return &t
	}
	c.NextCursor, c.PrevCursor = text(h.newer(limit)), text(h.older(limit))
	if !h.empty() {
		c.Cursor = text(h.start)
	}
	return c
}

// numberedPage is a page of a numbered list, newest first, as version 1 of the API has it, with cursors.
type numberedPage[T any] struct {
	Limit   int   `json:"limit"`
	Offset  int64 `json:"offset"`
	Total   int64 `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []T   `json:"results" nullable:"false"`
	NumberCursors
}

func newNumberedPage[T any](p *asked, head pageHead) *numberedPage[T] {
	return &numberedPage[T]{Limit: p.limit, Offset: p.offset, Total: head.total(), Results: []T{}, NumberCursors: head.cursors(p.limit)}
}
