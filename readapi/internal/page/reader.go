package page

import (
	"strata/domain/hash"
	"strata/readapi/internal/engine"
)

// List is a list whose rows have numbers, so that a page is a range of numbers.
type List interface {
	PageSQL() string       // the bounds of a page
	RowsSQL() string       // the rows of a page
	Order() string         // the ORDER BY clause for these rows
	neighboursSQL() string // the first rows of the pages before and after, for Reader.QueueNeighbours; empty for none
	ascends() bool         // whether the oldest row comes first
	shown() string         // which rows an answer with rows of the list shows, for the first column of engine.Query
}

// Reader reads pages of a list into rows of type R. It writes the list's queries once, when it is made.
type Reader[R any] struct {
	columns                func(*R) []any
	oldestFirst            bool
	head, rows, neighbours string
}

// NewReader returns a reader of a list. columns returns the scan destinations of selected, the select list of a row r of
// the list, which begins with the further rows that it shows. join is SQL that joins further tables to r.
func NewReader[R any](l List, columns func(*R) []any, selected, join string) *Reader[R] {
	return &Reader[R]{
		columns: columns, oldestFirst: l.ascends(), neighbours: l.neighboursSQL(),
		head: `SELECT {}, page.low, page.high, page.start FROM ` + l.PageSQL(),
		rows: `
		SELECT ` + l.shown() + ` || ` + selected + `
		FROM ` + l.RowsSQL() + join + l.Order(),
	}
}

// Queue adds the queries for a page to a batch: for its bounds, a result of exactly one row, and for its rows. owner are
// the arguments that say whose list is read.
func (r *Reader[R]) Queue(b *engine.Batch, p *Request, owner ...any) (*engine.Result[Head], *engine.Result[R]) {
	args := p.Args(owner...)
	head := engine.Query(b, func(h *Head) []any { h.OldestFirst = r.oldestFirst; return []any{&h.Low, &h.High, &h.Start} }, r.head, args...)
	return head, engine.Query(b, r.columns, r.rows, args...)
}

// ListPlace is the position of a row of a list: its number there, and the position of its transaction in the chain.
type ListPlace struct {
	Number          int64
	Height          int64
	Sequence, Index int32
	Block           hash.Hash32 // index block hash
}

// QueueNeighbours adds the query for the first rows of the pages before and after a page to a batch. The list is a
// numbered one.
func (r *Reader[R]) QueueNeighbours(b *engine.Batch, p *Request, owner ...any) *engine.Result[ListPlace] {
	return engine.Query(b, func(n *ListPlace) []any { return []any{&n.Number, &n.Height, &n.Sequence, &n.Index, &n.Block} }, r.neighbours, p.Args(owner...)...)
}
