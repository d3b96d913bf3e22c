package staking

import (
	"context"
	"math"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

// keyset is a list whose pages begin at a key.
type keyset struct {
	from       string   // the SQL that follows FROM, with a WHERE clause
	union      []string // instead, for rows of several tables: a SELECT with a WHERE clause for each, of rows p
	sources    string   // SQL expression for the source events of a row
	columns    string   // select list of a row
	key        []string // columns of the key, which is unique
	text       string   // SQL expression for the cursor of a row
	descending bool
}

// listed is a row with its cursor.
type listed[R any] struct {
	cursor string
	row    R
}

// listing is a page whose queries are in a batch.
type listing[R any] struct {
	limit    int
	rows     *engine.Result[listed[R]]
	previous *engine.Result[string]
}

// order returns the terms of an ORDER BY clause.
func (l *keyset) order(descending bool) string {
	direction := ""
	if descending {
		direction = " DESC"
	}
	return strings.Join(l.key, direction+", ") + direction
}

// within returns the condition that the key is at or after a bound in the direction of the list, or before it.
func (l *keyset) within(before bool, bound []string) string {
	operator := ">="
	switch {
	case before && l.descending:
		operator = ">"
	case before:
		operator = "<"
	case l.descending:
		operator = "<="
	}
	return " AND (" + strings.Join(l.key, ", ") + ") " + operator + " (" + strings.Join(bound, ", ") + ")"
}

// rows returns the SQL that follows FROM: the first rows within bounds, in order, of which most are wanted. Of a union,
// each table is read in order and no further than the page: Postgres would read and sort all of it.
func (l *keyset) rows(within, order, most string) string {
	end := within + ` ORDER BY ` + order + ` LIMIT ` + most
	if l.union == nil {
		return l.from + end
	}
	return `((` + strings.Join(l.union, end+`) UNION ALL (`) + end + `)) p ORDER BY ` + order + ` LIMIT ` + most
}

// queue adds the queries for a page to a batch. bound are SQL expressions for the key at which the page begins; nil for
// the first page. args are the arguments of the list and of the bound.
func queue[R any](b *engine.Batch, l *keyset, scan func(*R) []any, limit int, bound []string, args ...any) *listing[R] {
	most := "$" + strconv.Itoa(len(args)+1) + "::bigint"
	args = append(args[:len(args):len(args)], int64(limit))
	within := ""
	p := &listing[R]{limit: limit}
	if bound != nil {
		within = l.within(false, bound)
		p.previous = engine.Query(b, func(text *string) []any { return []any{text} },
			`SELECT {}, `+l.text+` FROM `+l.rows(l.within(true, bound), l.order(!l.descending), most), args...)
	}
	p.rows = engine.QueryPage(b, limit, func(r *listed[R]) []any { return append([]any{&r.cursor}, scan(&r.row)...) },
		`SELECT `+l.sources+`, `+l.text+`, `+l.columns+` FROM `+l.rows(within, l.order(l.descending), most+` + 1`), args...)
	return p
}

// shown returns the rows of the page.
func (p *listing[R]) shown() []listed[R] { return p.rows.Rows[:min(len(p.rows.Rows), p.limit)] }

// pageOf returns the body of a page.
func pageOf[R, T any](p *listing[R], total int64, shape func(*R) T) *page.KeysetPage[T] {
	body := &page.KeysetPage[T]{Total: total, Limit: p.limit, Results: []T{}}
	for i, r := range p.rows.Rows {
		cursor := r.cursor
		switch i {
		case 0:
			body.Cursor.Current = &cursor
		case p.limit:
			body.Cursor.Next = &cursor
			continue
		}
		body.Results = append(body.Results, shape(&p.rows.Rows[i].row))
	}
	if p.previous != nil && len(p.previous.Rows) > 0 {
		body.Cursor.Previous = &p.previous.Rows[len(p.previous.Rows)-1]
	}
	return body
}

// emptyPage returns a page of a list without rows.
func emptyPage[T any](limit int) *page.KeysetPage[T] {
	return &page.KeysetPage[T]{Limit: limit, Results: []T{}}
}

// BondPage holds the page parameters of lists of a bond. Their rows are events.
type BondPage struct {
	Limit  int         `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor eventCursor `query:"cursor" pattern:"^[0-9]+:[0-9]+:[0-9]+(:[0-9]+)?$" doc:"Where the page begins: height, microblock sequence (always 2147483647), index of the transaction in the block and index of the event, separated by colons. Without the last one, the page begins with the last event of the transaction."`
}

// eventCursor is the position of an event in the chain.
type eventCursor string

// eventText is the SQL expression for the eventCursor of an event e.
const eventText = `concat_ws(':', e.height, 2147483647, e.tx_index, e.event_index)`

// bound returns the SQL expression for the number of the event at the cursor or, if there is none, of the last one before
// it, with its arguments, which are numbered from n on. Without a cursor, it returns nil. Numbers that the reference's tables
// can't hold are an error, as they are there.
func (c eventCursor) bound(n int) (bound []string, args []any, err error) {
	if err := page.EventCursor(c).Check(); c == "" || err != nil {
		return nil, nil, err
	}
	parts := strings.Split(string(c), ":")
	height, tx, index := number(parts[0]), number(parts[2]), int64(math.MaxInt32)
	if len(parts) > 3 {
		index = number(parts[3])
	}
	return []string{strings.NewReplacer("{h}", page.Argument(n), "{t}", page.Argument(n+1), "{e}", page.Argument(n+2)).Replace(`coalesce((
		SELECT x.n FROM {staking}.event x WHERE x.height <= {h} AND (x.height < {h} OR (x.tx_index, x.event_index) <= ({t}, {e}))
		ORDER BY x.height DESC, x.n DESC LIMIT 1), 0)`)}, []any{height, tx, index}, nil
}

// number parses a number whose pattern was checked.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return n
}

// queueCount adds a query for one number to a batch.
func queueCount(b *engine.Batch, sql string, args ...any) func() int64 {
	result := engine.Query(b, page.NumberColumn, `SELECT {}, `+sql, args...)
	return func() int64 {
		n, _ := result.First()
		return n
	}
}

// newBatch returns a batch whose first query has a row in any case. A batch whose first query has none is read again,
// because that row says that the tables have not changed since.
func newBatch(s *engine.Snapshot) *engine.Batch {
	b := s.Batch()
	queueCount(b, `1::bigint`)
	return b
}

// find reads one row; false if there is none.
func find[R any](ctx context.Context, s *engine.Snapshot, scan func(*R) []any, sql string, args ...any) (R, bool, error) {
	b := newBatch(s)
	result := engine.Query(b, scan, sql, args...)
	err := b.Run(ctx)
	row, ok := result.First()
	return row, ok, err
}
