package page

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
)

// passedMax is the largest offset that a request may combine with a cursor of a ranked list.
const passedMax = 1000

// KeyRequest is a request for a page of a ranked list. The page begins Offset rows after the row whose key Cursor
// names, or after the start of the list without a cursor.
type KeyRequest struct {
	Limit  int
	Offset int64
	Cursor string
}

// key returns the key that the cursor names; nil without a cursor.
func (k *KeyRequest) key(columns int) ([]any, error) {
	if k.Cursor == "" {
		return nil, nil
	}
	parts := strings.Split(k.Cursor, ":")
	if len(parts) != columns {
		return nil, engine.Invalid(`querystring/cursor must match pattern "^[0-9]{1,18}%s$"`, strings.Repeat(":[0-9]{1,9}", columns-1))
	}
	if k.Offset > passedMax {
		return nil, engine.Invalid("querystring/offset must be <= %d with a cursor", passedMax)
	}
	key := make([]any, columns)
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, engine.Invalid("querystring/cursor must be of whole numbers")
		}
		key[i] = n
	}
	return key, nil
}

// ListKey is the key of a row of a ranked list.
type ListKey struct{ A, B int64 }

// keyOnly returns the query for the key of the first row of a page. The key has one or two columns.
func (l *OrderedList) keyOnly(page string) string {
	columns := "p.a, 0::bigint"
	if len(l.Key) > 1 {
		columns = "p.a, p.b::bigint"
	}
	return `SELECT {}, ` + columns + ` FROM (` + page + `) p`
}

// text returns the key as a cursor.
func (l *OrderedList) text(k ListKey) *string {
	text := strconv.FormatInt(k.A, 10)
	if len(l.Key) > 1 {
		text += ":" + strconv.FormatInt(k.B, 10)
	}
	return &text
}

// KeyedList is a descending ranked list together with how its rows are read and shown. Columns returns the scan
// destinations of a row, Fill completes the query, Key returns the key of a row, and Shape the body that is shown.
type KeyedList[R, T any] struct {
	OrderedList
	Columns func(*R) []any
	Fill    FillFunc
	Key     func(*R) ListKey
	Shape   func(*R) T
	// Total adds a query for the length of the list to a batch. It is set for a list whose length no table keeps; pages
	// of such a list are then found by skipping rows from the newest one.
	Total func(*engine.Batch) *engine.Result[int64]
}

// Read reads the page at any offset or from any key, with the cursors of the pages around it. It takes one round trip.
func (l *KeyedList[R, T]) Read(ctx context.Context, s *engine.Snapshot, request KeyRequest) (*NumberedPage[T], error) {
	key, err := request.key(len(l.OrderedList.Key))
	if err != nil {
		return nil, err
	}
	b := s.Batch()
	length := l.length(b)
	around := neighbours{b: b, list: &l.OrderedList, n: int64(request.Limit), offset: min(request.Offset, RankedOffsetMax)}
	var found *engine.Result[R]
	switch {
	case key != nil || l.Total != nil:
		from := around.ofKey(key)
		found = engine.Query(b, l.Columns, l.Fill(from.page, l.pageOrder()), from.args...)
	default:
		found = queryWindow(b, &Window{l.OrderedList, request.Offset, request.Limit}, true, l.Columns, l.Fill)
		around.ofOffset()
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	page := &NumberedPage[T]{Limit: request.Limit, Offset: request.Offset, Total: length(), Results: []T{}}
	for i := range found.Rows {
		page.Results = append(page.Results, l.Shape(&found.Rows[i]))
	}
	if len(found.Rows) > 0 {
		page.Cursor = l.text(l.Key(&found.Rows[0]))
	}
	page.PrevCursor, page.NextCursor = around.older.cursor(&l.OrderedList), around.newer.cursor(&l.OrderedList)
	return page, nil
}

// length adds a query for the length of the list to a batch. The function that it returns gives the length once the
// batch has run.
func (l *KeyedList[R, T]) length(b *engine.Batch) func() int64 {
	if l.Total == nil {
		lengths := QueryLengths(b, l.Projection, l.Name)
		return func() int64 { return lengths()[0] }
	}
	counted := l.Total(b)
	return func() int64 {
		n, _ := counted.First()
		return n
	}
}

// neighbours queries the first rows of the pages before and after a page of n rows.
type neighbours struct {
	b            *engine.Batch
	list         *OrderedList
	n, offset    int64
	older, newer *foundKey
}

// foundKey is the result of a query for the key of at most one row.
type foundKey engine.Result[ListKey]

func (k *foundKey) cursor(l *OrderedList) *string {
	if k == nil || len(k.Rows) == 0 {
		return nil
	}
	return l.text(k.Rows[0])
}

func keyColumns(k *ListKey) []any { return []any{&k.A, &k.B} }

// ofOffset adds the queries for the neighbours of a page that begins at an offset.
func (a *neighbours) ofOffset() {
	at := func(offset int64) *foundKey {
		return (*foundKey)(queryWindow(a.b, &Window{*a.list, offset, 1}, true, keyColumns, func(page, _ string) string { return a.list.keyOnly(page) }))
	}
	a.older = at(a.offset + a.n)
	if a.offset > 0 {
		a.newer = at(max(a.offset-a.n, 0))
	}
}

// pageQuery is the query for the rows of a page, with its arguments.
type pageQuery struct {
	page string
	args []any
}

// ofKey adds the queries for the neighbours of a page that begins at a key, or an offset after it; without a key, at
// the start of the list. It returns the query for the page itself.
func (a *neighbours) ofKey(key []any) pageQuery {
	own := len(a.list.Args)
	bounds := make([]string, len(key))
	for i := range key {
		bounds[i] = Argument(own + i + 1)
	}
	last := own + len(key)
	rows := func(operator string, backwards bool, offset, limit int64) pageQuery {
		condition := ""
		if len(key) > 0 {
			condition = " AND (" + strings.Join(a.list.Key, ", ") + ") " + operator + " (" + strings.Join(bounds, ", ") + ")"
		}
		return pageQuery{
			a.list.read(condition, backwards, false, Argument(last+1), Argument(last+2)),
			slices.Concat(a.list.Args, key, []any{offset, limit}),
		}
	}
	first := func(q pageQuery, order string) *foundKey {
		return (*foundKey)(engine.Query(a.b, keyColumns, a.list.keyOnly(q.page)+order, q.args...))
	}
	a.older = first(rows("<=", false, a.offset+a.n, 1), "")
	switch {
	case a.offset >= a.n:
		a.newer = first(rows("<=", false, a.offset-a.n, 1), "")
	case len(key) == 0 && a.offset > 0:
		a.newer = first(rows("<=", false, 0, 1), "")
	case len(key) > 0:
		a.newer = first(rows(">", true, 0, a.n-a.offset), " ORDER BY p.a DESC"+a.list.thenB()+" LIMIT 1")
	}
	return rows("<=", false, a.offset, a.n)
}

// thenB returns the term that sorts by the second column of the key; empty when there is none.
func (l *OrderedList) thenB() string {
	if len(l.Key) > 1 {
		return ", p.b DESC"
	}
	return ""
}
