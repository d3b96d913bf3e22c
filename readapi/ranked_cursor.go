package readapi

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// passedMax is how many rows of a ranked list may be passed over from a cursor.
const passedMax = 1000

// keyedAsk says which page of a ranked list is asked for: that which begins so many rows after the row with the key, or after
// the beginning.
type keyedAsk struct {
	limit  int
	offset int64
	cursor string
}

// key is what the cursor names; nil for none.
func (k *keyedAsk) key(columns int) ([]any, error) {
	if k.cursor == "" {
		return nil, nil
	}
	parts := strings.Split(k.cursor, ":")
	if len(parts) != columns {
		return nil, invalid(`querystring/cursor must match pattern "^[0-9]{1,18}%s$"`, strings.Repeat(":[0-9]{1,9}", columns-1))
	}
	if k.offset > passedMax {
		return nil, invalid("querystring/offset must be <= %d with a cursor", passedMax)
	}
	key := make([]any, columns)
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, invalid("querystring/cursor must be of whole numbers")
		}
		key[i] = n
	}
	return key, nil
}

// listKey is the key of a row as it is read.
type listKey struct{ a, b int64 }

// keyOnly selects the key of the first row of a page of one or two columns.
func (l *ordered) keyOnly(page string) string {
	columns := "p.a, 0::bigint"
	if len(l.key) > 1 {
		columns = "p.a, p.b::bigint"
	}
	return `SELECT ARRAY[]::bigint[], ` + columns + ` FROM (` + page + `) p`
}

// text is the key as a cursor.
func (l *ordered) text(k listKey) *string {
	text := strconv.FormatInt(k.a, 10)
	if len(l.key) > 1 {
		text += ":" + strconv.FormatInt(k.b, 10)
	}
	return &text
}

// keyedList is a ranked list that descends, with what is read of a row: columns, which fill puts into a query, the key, and the shape.
type keyedList[R, T any] struct {
	ordered
	columns func(*R) []any
	fill    fill
	key     func(*R) listKey
	shape   func(*R) T
	// total adds a query for how long the list is, where no table says so; its pages are found from the newest row on.
	total func(*batch) *result[int64]
}

// read reads a page at any offset, or from any key on, with cursors to the pages around it. It takes one round trip.
func (l *keyedList[R, T]) read(ctx context.Context, s *snapshot, ask keyedAsk) (*numberedPage[T], []R, error) {
	key, err := ask.key(len(l.ordered.key))
	if err != nil {
		return nil, nil, err
	}
	b := s.batch()
	length := l.length(b)
	around := neighbours{b: b, list: &l.ordered, n: int64(ask.limit), offset: min(ask.offset, offsetMax)}
	var found *result[R]
	switch {
	case key != nil || l.total != nil:
		from := around.ofKey(key)
		found = query(b, l.columns, l.fill(from.page, l.pageOrder()), from.args...)
	default:
		found = queryWindow(b, &window{l.ordered, ask.offset, ask.limit}, true, l.columns, l.fill)
		around.ofOffset()
	}
	if err := b.runLast(ctx); err != nil {
		return nil, nil, err
	}
	page := &numberedPage[T]{Limit: ask.limit, Offset: ask.offset, Total: length(), Results: []T{}}
	for i := range found.rows {
		page.Results = append(page.Results, l.shape(&found.rows[i]))
	}
	if len(found.rows) > 0 {
		page.Cursor = l.text(l.key(&found.rows[0]))
	}
	page.PrevCursor, page.NextCursor = around.older.cursor(&l.ordered), around.newer.cursor(&l.ordered)
	return page, found.rows, nil
}

// length adds a query for how long the list is. What it returns gives it once the batch has run.
func (l *keyedList[R, T]) length(b *batch) func() int64 {
	if l.total == nil {
		lengths := queryLengths(b, l.projection, l.name)
		return func() int64 { return lengths()[0] }
	}
	counted := l.total(b)
	return func() int64 {
		n, _ := counted.first()
		return n
	}
}

// neighbours are the first rows of the pages before and after a page.
type neighbours struct {
	b            *batch
	list         *ordered
	n, offset    int64
	older, newer *foundKey
}

type foundKey result[listKey]

func (k *foundKey) cursor(l *ordered) *string {
	if k == nil || len(k.rows) == 0 {
		return nil
	}
	return l.text(k.rows[0])
}

func placeColumns(k *listKey) []any { return []any{&k.a, &k.b} }

// ofOffset adds queries for them when the page is at an offset.
func (a *neighbours) ofOffset() {
	at := func(offset int64) *foundKey {
		return (*foundKey)(queryWindow(a.b, &window{*a.list, offset, 1}, true, placeColumns, func(page, _ string) string { return a.list.keyOnly(page) }))
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
	own := len(a.list.args)
	bounds := make([]string, len(key))
	for i := range key {
		bounds[i] = argument(own + i + 1)
	}
	last := own + len(key)
	rows := func(operator string, backwards bool, offset, limit int64) selected {
		condition := ""
		if len(key) > 0 {
			condition = " AND (" + strings.Join(a.list.key, ", ") + ") " + operator + " (" + strings.Join(bounds, ", ") + ")"
		}
		return selected{
			a.list.read(condition, backwards, false, argument(last+1), argument(last+2)),
			slices.Concat(a.list.args, key, []any{offset, limit}),
		}
	}
	first := func(s selected, order string) *foundKey {
		return (*foundKey)(query(a.b, placeColumns, a.list.keyOnly(s.page)+order, s.args...))
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
func (l *ordered) thenB() string {
	if len(l.key) > 1 {
		return ", p.b DESC"
	}
	return ""
}
