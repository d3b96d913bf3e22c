package page

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
)

// passedMax is how many rows of a ranked list may be passed over from a cursor.
const passedMax = 1000

// keyedAsk says which page of a ranked list is asked for: that which begins so many rows after the row with the key, or after
// the beginning.
type KeyRequest struct {
	Limit  int
	Offset int64
	Cursor string
}

// key is what the cursor names; nil for none.
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

// listKey is the key of a row as it is read.
type ListKey struct{ A, B int64 }

// keyOnly selects the key of the first row of a page of one or two columns.
func (l *OrderedList) keyOnly(page string) string {
	columns := "p.a, 0::bigint"
	if len(l.Key) > 1 {
		columns = "p.a, p.b::bigint"
	}
	return `SELECT ARRAY[]::bigint[], ` + columns + ` FROM (` + page + `) p`
}

// text is the key as a cursor.
func (l *OrderedList) text(k ListKey) *string {
	text := strconv.FormatInt(k.A, 10)
	if len(l.Key) > 1 {
		text += ":" + strconv.FormatInt(k.B, 10)
	}
	return &text
}

// keyedList is a ranked list that descends, with what is read of a row: columns, which fill puts into a query, the key, and the shape.
type KeyedList[R, T any] struct {
	OrderedList
	Columns func(*R) []any
	Fill    FillFunc
	Key     func(*R) ListKey
	Shape   func(*R) T
	// total adds a query for how long the list is, where no table says so; its pages are found from the newest row on.
	Total func(*engine.Batch) *engine.Result[int64]
}

// read reads a page at any offset, or from any key on, with cursors to the pages around it. It takes one round trip.
func (l *KeyedList[R, T]) Read(ctx context.Context, s *engine.Snapshot, ask KeyRequest) (*NumberedPage[T], []R, error) {
	key, err := ask.key(len(l.OrderedList.Key))
	if err != nil {
		return nil, nil, err
	}
	b := s.Batch()
	length := l.length(b)
	around := neighbours{b: b, list: &l.OrderedList, n: int64(ask.Limit), offset: min(ask.Offset, RankedOffsetMax)}
	var found *engine.Result[R]
	switch {
	case key != nil || l.Total != nil:
		from := around.ofKey(key)
		found = engine.Query(b, l.Columns, l.Fill(from.page, l.pageOrder()), from.args...)
	default:
		found = queryWindow(b, &Window{l.OrderedList, ask.Offset, ask.Limit}, true, l.Columns, l.Fill)
		around.ofOffset()
	}
	if err := b.RunLast(ctx); err != nil {
		return nil, nil, err
	}
	page := &NumberedPage[T]{Limit: ask.Limit, Offset: ask.Offset, Total: length(), Results: []T{}}
	for i := range found.Rows {
		page.Results = append(page.Results, l.Shape(&found.Rows[i]))
	}
	if len(found.Rows) > 0 {
		page.Cursor = l.text(l.Key(&found.Rows[0]))
	}
	page.PrevCursor, page.NextCursor = around.older.cursor(&l.OrderedList), around.newer.cursor(&l.OrderedList)
	return page, found.Rows, nil
}

// length adds a query for how long the list is. What it returns gives it once the batch has run.
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

// neighbours are the first rows of the pages before and after a page.
type neighbours struct {
	b            *engine.Batch
	list         *OrderedList
	n, offset    int64
	older, newer *foundKey
}

type foundKey engine.Result[ListKey]

func (k *foundKey) cursor(l *OrderedList) *string {
	if k == nil || len(k.Rows) == 0 {
		return nil
	}
	return l.text(k.Rows[0])
}

func placeColumns(k *ListKey) []any { return []any{&k.A, &k.B} }

// ofOffset adds queries for them when the page is at an offset.
func (a *neighbours) ofOffset() {
	at := func(offset int64) *foundKey {
		return (*foundKey)(queryWindow(a.b, &Window{*a.list, offset, 1}, true, placeColumns, func(page, _ string) string { return a.list.keyOnly(page) }))
	}
	a.older = at(a.offset + a.n)
	if a.offset > 0 {
		a.newer = at(max(a.offset-a.n, 0))
	}
}

// selected is a query of a page with its arguments.
type selected struct {
	page string
	args []any
}

// ofKey adds queries for them when the page begins at, or an offset after, a key; without one, after the beginning. It returns
// what selects the page.
func (a *neighbours) ofKey(key []any) selected {
	own := len(a.list.Args)
	bounds := make([]string, len(key))
	for i := range key {
		bounds[i] = Argument(own + i + 1)
	}
	last := own + len(key)
	rows := func(operator string, backwards bool, offset, limit int64) selected {
		condition := ""
		if len(key) > 0 {
			condition = " AND (" + strings.Join(a.list.Key, ", ") + ") " + operator + " (" + strings.Join(bounds, ", ") + ")"
		}
		return selected{
			a.list.read(condition, backwards, false, Argument(last+1), Argument(last+2)),
			slices.Concat(a.list.Args, key, []any{offset, limit}),
		}
	}
	first := func(s selected, order string) *foundKey {
		return (*foundKey)(engine.Query(a.b, placeColumns, a.list.keyOnly(s.page)+order, s.args...))
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

// thenB sorts by the second column of the key.
func (l *OrderedList) thenB() string {
	if len(l.Key) > 1 {
		return ", p.b DESC"
	}
	return ""
}
