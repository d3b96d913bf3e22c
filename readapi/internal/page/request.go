package page

import (
	"strconv"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
)

// asked says which page of a numbered list is asked for.
type Request struct {
	// from and to are heights of the first and the last block of the range; nil for no bound.
	From, To *int64
	// number is that of the row that the offset is counted from; nil when it is not given.
	Number *int64
	// place is a position in the chain instead: the first row there or before.
	Place  *ChainPlace
	Offset int64
	Limit  int
}

// chainPlace is where a transaction stands in the chain.
type ChainPlace struct{ Height, Sequence, Index int64 }

// args are the arguments of queries for the page, of a list that is named by owner.
func (p *Request) Args(owner ...any) []any {
	var height, sequence, index *int64
	if p.Place != nil {
		height, sequence, index = &p.Place.Height, &p.Place.Sequence, &p.Place.Index
	}
	return append([]any{p.From, p.To, p.Number, height, sequence, index, min(p.Offset, OffsetMax), int64(p.Limit)}, owner...)
}

// pageHead is where a page stands in its list: low and high are how many rows stand before the range of blocks that is asked
// for, and how many do up to its end; start is the number of the first row of the page.
type Head struct {
	Low, High, Start int64
	OldestFirst      bool
}

func (h *Head) Total() int64 { return max(h.High-h.Low, 0) }

// older is the number of the first row of the page with the older rows beside this one; 0 for none.
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

// newer is the number of the first row of the page with the newer rows beside this one; 0 for none. Near the newest row the
// page before this one overlaps with it.
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

// empty says that the page has no rows.
func (h *Head) Empty() bool { return h.Start <= h.Low || h.Start > h.High }

// queueHead adds the query for where the page stands to a batch. It has a row, whatever is asked for.
func QueueHead(b *engine.Batch, l List, p *Request, owner ...any) *engine.Result[Head] {
	return engine.Query(b, func(h *Head) []any { h.OldestFirst = l.ascends(); return []any{&h.Low, &h.High, &h.Start} },
		`SELECT ARRAY[]::bigint[], page.low, page.high, page.start FROM `+l.PageSQL(), p.Args(owner...)...)
}

// listPlace is where a row of a list stands in the chain.
type ListPlace struct {
	Number          int64
	Height          int64
	Sequence, Index int32
	Block           hash.Hash32 // index block hash
}

// queueNeighbours adds the query for the first rows of the pages before and after the page to a batch.
func (l *Numbered) QueueNeighbours(b *engine.Batch, p *Request, owner ...any) *engine.Result[ListPlace] {
	return engine.Query(b, func(n *ListPlace) []any { return []any{&n.Number, &n.Height, &n.Sequence, &n.Index, &n.Block} }, `
		SELECT ARRAY[]::bigint[], beside.number, t.height, coalesce(t.microblock_sequence, 2147483647), t.tx_index, k.index_block_hash
		FROM `+l.PageSQL()+l.Sql(`
		CROSS JOIN LATERAL (VALUES
			(CASE WHEN page.start - $8::bigint > page.low THEN page.start - $8::bigint END),
			(CASE WHEN page.start < page.high AND page.low < page.high THEN least(page.high, greatest(page.start, page.low) + $8::bigint) END)
		) beside (number)
		CROSS JOIN LATERAL (SELECT {tx} AS place FROM {table} r WHERE {rows} AND {number} = beside.number LIMIT 1) r
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction t WHERE t.n = r.place LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.block k WHERE k.height = t.height LIMIT 1) k`), p.Args(owner...)...)
}

// NumberCursor is the number of the row that a page begins with.
type NumberCursor struct {
	Cursor string `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"Where the page begins, as cursors of other pages name it: pages that are walked by cursors neither skip nor repeat rows while blocks are added."`
}

func (c NumberCursor) Number() *int64 {
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

// numberedPage is a page of a numbered list, newest first, as version 1 of the API has it, with cursors.
type NumberedPage[T any] struct {
	Limit   int   `json:"limit"`
	Offset  int64 `json:"offset"`
	Total   int64 `json:"total" doc:"Length of the whole list, whatever the page."`
	Results []T   `json:"results" nullable:"false"`
	NumberCursors
}

func NewNumberedPage[T any](p *Request, head Head) *NumberedPage[T] {
	return &NumberedPage[T]{Limit: p.Limit, Offset: p.Offset, Total: head.Total(), Results: []T{}, NumberCursors: head.cursors(p.Limit)}
}
