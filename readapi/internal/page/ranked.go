package page

import (
	"context"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
)

// RankedList is a list of a projection that keeps its length in the table list, and the first key and the length of
// each of its parts in the table part (see package projections/internal/ranked). To read a page at any depth, a query
// sums the parts from the nearer end of the list and then reads at most one part.
type RankedList struct {
	Projection string
	// Name is the name of the list in these tables.
	Name string
	// Rows selects the entries: the SQL that follows FROM, with a WHERE clause. Args are its arguments, from $1 on.
	Rows string
	Args []any
	// Key names the columns that order the list: those of its key in the table part that are not always 0.
	Key []string
	// Tie names the column that orders entries with equal keys; empty when keys are unique. It is descending, whatever the
	// direction of the list, unless TieAscends is set.
	Tie        string
	TieAscends bool
	// Columns selects the columns of a page besides the key.
	Columns string
	// Sectioned says that the list has sections if it is long. A version of the tables that has none is read all the same.
	Sectioned bool
}

// OrderedList is a ranked list with the direction in which it is shown.
type OrderedList struct {
	RankedList
	Descending bool
}

// NearMax is the largest offset at which a page is read by skipping rows from the start of the list. It is the length
// of a part: up to there, searching for the part would cost more.
const NearMax = 1024

// sectionPrefix precedes the name of a list in the rows of the table part that are its sections; see package
// projections/internal/ranked.
const sectionPrefix = "sections:"

// keyNames are the names of the key columns in the table part, and in the query of a page.
var keyNames = [3]string{"a", "b", "c"}

// Order returns the terms of an ORDER BY clause for a page whose key and tie are in the given columns. With backwards
// it reverses the direction of the list.
func (l *OrderedList) Order(columns []string, tie string, backwards bool) string {
	direction := " ASC"
	if l.Descending != backwards {
		direction = " DESC"
	}
	terms := make([]string, 0, len(columns)+1)
	for _, column := range columns {
		terms = append(terms, column+direction)
	}
	if l.Tie != "" {
		if direction = " DESC"; backwards != l.TieAscends {
			direction = " ASC"
		}
		terms = append(terms, tie+direction)
	}
	return strings.Join(terms, ", ")
}

// read returns the query for the rows of a page, in the list's direction or backwards. A non-empty condition further
// restricts the rows; it begins with AND. With bounded, only the first BoundedMax rows are read, which must contain the
// page.
func (l *OrderedList) read(condition string, backwards, bounded bool, offset, limit string) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, column := range l.Key {
		b.WriteString(column + " AS " + keyNames[i] + ", ")
	}
	if l.Tie != "" {
		b.WriteString(l.Tie + " AS tie, ")
	}
	b.WriteString(l.Columns + " FROM " + l.Rows + condition + " ORDER BY " + l.Order(l.Key, l.Tie, backwards))
	page := " OFFSET " + offset + " LIMIT " + limit
	if !bounded {
		return b.String() + page
	}
	return "SELECT * FROM (" + b.String() + " LIMIT " + strconv.Itoa(BoundedMax) + ") AS bounded ORDER BY " +
		l.Order(keyNames[:len(l.Key)], "tie", backwards) + page
}

// BoundedMax exceeds the rows of a part and a page together. It is written into the query as a number, so that Postgres
// plans to read few rows; with an argument, a generic plan would not know that.
const BoundedMax = 2048

// pageOrder returns the terms of an ORDER BY clause for a page with the alias p, in the direction of the list.
func (l *OrderedList) pageOrder() string {
	columns := make([]string, len(l.Key))
	for i := range columns {
		columns[i] = "p." + keyNames[i]
	}
	return l.Order(columns, "p.tie", false)
}

// fromPlace returns the condition that the key is not below that of the place. It is written so that an index can serve
// it.
func (l *RankedList) fromPlace() string {
	begins := make([]string, len(l.Key))
	for i := range begins {
		begins[i] = "(SELECT " + keyNames[i] + " FROM place)"
	}
	if len(l.Key) == 1 {
		return " AND " + l.Key[0] + " >= " + begins[0]
	}
	return " AND (" + strings.Join(l.Key, ", ") + ") >= (" + strings.Join(begins, ", ") + ")"
}

// Argument returns the SQL for the nth argument of a query, cast to bigint.
func Argument(n int) string { return "$" + strconv.Itoa(n) + "::bigint" }

// FillFunc wraps the subquery that selects a page, and the terms of its ORDER BY clause, into a complete query. The
// first column of the query is the source events, and the page has the alias p.
type FillFunc func(page, order string) string

// ReadList reads a page of a list and the length of the list.
func ReadList[T any](ctx context.Context, s *engine.Snapshot, l OrderedList, offset int64, limit int, columns func(*T) []any, fill FillFunc) (rows []T, total int64, err error) {
	b := s.Batch()
	lengths := QueryLengths(b, l.Projection, l.Name)
	if rows, err = ReadWindows(ctx, b, []Window{{l, offset, limit}}, columns, fill); err != nil {
		return nil, 0, err
	}
	return rows, lengths()[0], nil
}

// Segment is a run of N entries of a list. Before counts the entries of the list that precede it in the list's
// direction.
type Segment struct {
	OrderedList
	Before, N int64
}

// ReadSegments reads a page of several segments that are shown one after the other.
func ReadSegments[T any](ctx context.Context, s *engine.Snapshot, segments []Segment, offset int64, limit int, columns func(*T) []any, fill FillFunc) (rows []T, err error) {
	var windows []Window
	for _, segment := range segments {
		if n := min(segment.N-offset, int64(limit)); n > 0 {
			windows = append(windows, Window{segment.OrderedList, segment.Before + offset, int(n)})
			limit -= int(n)
		}
		offset = max(offset-segment.N, 0)
	}
	if len(windows) == 0 {
		return nil, nil
	}
	b := s.Batch()
	return ReadWindows(ctx, b, windows, columns, fill)
}

// Window is the range of a list's rows that a page shows.
type Window struct {
	OrderedList
	Offset int64
	Limit  int
}

// bounded reports whether BoundedMax rows suffice to find the window. They may not
// when keys have ties: entries with the same key form one part, however many they are.
func (w *Window) bounded() bool { return w.Offset <= NearMax || w.Tie == "" }

// ReadWindows adds the queries for the windows to a batch, runs the batch, and returns the rows of all windows in
// order. Only a window deep inside a part of equal keys takes another
// round trip.
func ReadWindows[T any](ctx context.Context, b *engine.Batch, windows []Window, columns func(*T) []any, fill FillFunc) (rows []T, err error) {
	pages := make([]*engine.Result[T], len(windows))
	for i := range windows {
		w := &windows[i]
		pages[i] = queryWindow(b, w, true, columns, fill)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for i, page := range pages {
		if w := &windows[i]; len(page.Rows) < w.Limit && !w.bounded() {
			again := b.Snapshot.Batch()
			page = queryWindow(again, w, false, columns, fill)
			if err := again.Run(ctx); err != nil {
				return nil, err
			}
		}
		rows = append(rows, page.Rows...)
	}
	return rows, nil
}

// queryWindow adds the query for a window to a batch. A window near the start of the list is read from there. For any
// other window, the query finds the part that holds the window's lowest entry, and reads upwards from that part.
func queryWindow[T any](b *engine.Batch, w *Window, bounded bool, columns func(*T) []any, fill FillFunc) *engine.Result[T] {
	n := len(w.Args)
	args := append(w.Args[:n:n], min(w.Offset, RankedOffsetMax), int64(w.Limit))
	offset, limit := Argument(n+1), Argument(n+2)
	if w.Offset <= NearMax {
		return engine.Query(b, columns, fill(w.read("", false, bounded, offset, limit), w.pageOrder()), args...)
	}
	page := w.place("$"+strconv.Itoa(n+3)+"::text", offset, limit) +
		w.read(w.fromPlace(), w.Descending, bounded, `(SELECT skipped FROM place)`, `(SELECT length FROM place)`)
	return engine.Query(b, columns, fill(page, w.pageOrder()), append(args, w.Name)...)
}

// place returns the WITH clause that locates a window, counted upwards: the first key of the part that holds the
// window's lowest entry (a, b, c), the entries of that part before the window (skipped), and the length of the window.
func (l *OrderedList) place(name, offset, limit string) string {
	rank := offset
	if l.Descending {
		rank = "whole.n - " + offset + " - " + limit
	}
	found := "LEFT JOIN LATERAL (" + nearerEnd("{name}", "true", false) + ") found ON true"
	if l.Sectioned {
		found = inSections()
	}
	return strings.NewReplacer(
		"{ranked}", "{"+l.Projection+"}", "{name}", name, "{sections}", "'"+sectionPrefix+"' || "+name, "{offset}", offset, "{limit}", limit, "{rank}", rank,
	).Replace(`
WITH place AS MATERIALIZED (
	SELECT coalesce(found.a, low) AS a, coalesce(found.b, low) AS b, coalesce(found.c, low) AS c,
	       wanted.rank - coalesce(found.before, 0) AS skipped, greatest(least(whole.n - {offset}, {limit}), 0) AS length
	FROM (SELECT coalesce((SELECT n FROM {ranked}.list WHERE name = {name}), 0) AS n, '-9223372036854775808'::bigint AS low) whole
	CROSS JOIN LATERAL (SELECT greatest({rank}, 0) AS rank) wanted
	` + found + `
)
`)
}

// inSections returns the joins that find the part with the wanted entry by the section that it is in, or among all parts
// if the list has no sections.
func inSections() string {
	const end = "'9223372036854775807'::bigint"
	return strings.ReplaceAll(`
	LEFT JOIN LATERAL (`+nearerEnd("{sections}", "true", true)+`) section ON true
	LEFT JOIN LATERAL (
		(SELECT r.a, r.b, r.c, section.before + r.through - r.n AS before FROM (
			SELECT a, b, c, n, `+sumThrough(forwards)+` FROM {ranked}.part WHERE list = {name} AND (a, b, c) >= (section.a, section.b, section.c)
			AND (a, b, c) <= (coalesce(section.next_a, {end}), coalesce(section.next_b, {end}), coalesce(section.next_c, {end}))
		 ) r WHERE section.before + r.through > wanted.rank ORDER BY r.a, r.b, r.c LIMIT 1)
		UNION ALL`+nearerEnd("{name}", "section.before IS NULL", false)+`
	) found ON true`, "{end}", end)
}

// forwards and backwards are the orders in which parts are summed.
const forwards, backwards = "a, b, c", "a DESC, b DESC, c DESC"

// sumThrough returns the column with the sum of n up to a row. It is of int: for bigint, Postgres would add numerics, which
// takes twice as long.
func sumThrough(order string) string {
	return "(sum(n::int) OVER (ORDER BY " + order + " ROWS UNBOUNDED PRECEDING))::bigint AS through"
}

// nextKey returns the columns with the key of the row that function finds.
func nextKey(function, order string) string {
	return strings.NewReplacer("{f}", function, "{order}", order).Replace(
		", {f}(a) OVER (ORDER BY {order}) AS next_a, {f}(b) OVER (ORDER BY {order}) AS next_b, {f}(c) OVER (ORDER BY {order}) AS next_c")
}

// nearerEnd returns the query for the row of a list in the table part that has the wanted entry, if a condition holds: where
// it begins, the number of entries before it, and for a section where the next one begins, null for none. It sums rows from
// the nearer end of the list.
func nearerEnd(list, condition string, ofSections bool) string {
	columns, lead, lag := "", "", ""
	if ofSections {
		columns, lead, lag = ", r.next_a, r.next_b, r.next_c", nextKey("lead", forwards), nextKey("lag", backwards)
	}
	return strings.NewReplacer(
		"{list}", list, "{condition}", condition, "{columns}", columns, "{up}", sumThrough(forwards)+lead, "{down}", sumThrough(backwards)+lag,
	).Replace(`
		(SELECT r.a, r.b, r.c, r.through - r.n AS before{columns}
		 FROM (SELECT a, b, c, n, {up} FROM {ranked}.part WHERE list = {list}) r
		 WHERE {condition} AND wanted.rank < whole.n / 2 AND r.through > wanted.rank
		 ORDER BY r.a, r.b, r.c LIMIT 1)
		UNION ALL
		(SELECT r.a, r.b, r.c, whole.n - r.through AS before{columns}
		 FROM (SELECT a, b, c, {down} FROM {ranked}.part WHERE list = {list}) r
		 WHERE {condition} AND wanted.rank >= whole.n / 2 AND whole.n - r.through <= wanted.rank
		 ORDER BY r.a DESC, r.b DESC, r.c DESC LIMIT 1)
	`)
}

// QueryLengths adds a query for the lengths of lists of a projection to a batch. The function that it returns gives
// them, in the order of the names, once the batch has run.
func QueryLengths(b *engine.Batch, projection string, names ...string) func() []int64 {
	result := engine.Query(b, func(lengths *[]int64) []any { return []any{lengths} }, `
SELECT {}, ARRAY(
	SELECT coalesce(l.n, 0) FROM unnest($1::text[]) WITH ORDINALITY AS requested (name, place)
	LEFT JOIN {`+projection+`}.list l ON l.name = requested.name COLLATE "C" ORDER BY requested.place)`, names)
	return func() []int64 {
		if lengths, ok := result.First(); ok {
			return lengths
		}
		return make([]int64, len(names))
	}
}

// QueryRank adds a query for how many entries of a list precede a key to a batch. The key of the list must be a single
// column.
func (l *RankedList) QueryRank(b *engine.Batch, key int64) *engine.Result[int64] {
	n := len(l.Args)
	name, bound := Argument(n+1), Argument(n+2)
	within := " AND " + l.Key[0] + " >= coalesce(part.a, '-9223372036854775808') AND " + l.Key[0] + " < " + bound
	return engine.Query(b, func(rank *int64) []any { return []any{rank} }, strings.NewReplacer(
		"{ranked}", "{"+l.Projection+"}", "{name}", strings.TrimSuffix(name, "::bigint")+"::text", "{bound}", bound, "{rows}", l.Rows+within,
	).Replace(`
SELECT {}, coalesce(part.before, 0) + (SELECT count(*) FROM {rows})
FROM (VALUES (1)) AS always
LEFT JOIN LATERAL (
	SELECT p.a, coalesce((SELECT sum(q.n) FROM {ranked}.part q WHERE q.list = {name} AND (q.a, q.b, q.c) < (p.a, p.b, p.c)), 0)::bigint AS before
	FROM {ranked}.part p WHERE p.list = {name} AND p.a < {bound}
	ORDER BY p.a DESC, p.b DESC, p.c DESC LIMIT 1
) part ON true`), append(l.Args[:n:n], l.Name, key)...)
}
