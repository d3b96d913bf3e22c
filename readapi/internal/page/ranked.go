package page

import (
	"context"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
)

// rankedList is a list of a projection of which the tables list and part say how long it is and where its parts begin
// (package projections/internal/ranked). So a page at any depth costs adding up the parts from the nearer end to it, and
// reading one part at most.
type RankedList struct {
	Projection string
	// name of the list in the tables.
	Name string
	// rows are its entries: what stands after FROM, with a WHERE; args are the arguments of it, from $1 on.
	Rows string
	Args []any
	// key are the columns that the list is ordered by: those of its key that are not always 0.
	Key []string
	// tie is a column that orders entries with equal keys, always from the greatest on; empty when there are none.
	Tie string
	// columns of a page, beside the key.
	Columns string
}

// ordered is a list with the direction that it is shown in.
type OrderedList struct {
	RankedList
	Descending bool
}

// nearMax is the offset up to which a page is read by counting from the end of the list where it begins. It is the length
// of a part: to look for the part costs more.
const NearMax = 1024

// keyNames are the columns of parts that have the key, and those of a page.
var keyNames = [3]string{"a", "b", "c"}

// order is what a page, whose key and tie are in these columns, is sorted by.
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
		if direction = " DESC"; backwards {
			direction = " ASC"
		}
		terms = append(terms, tie+direction)
	}
	return strings.Join(terms, ", ")
}

// read selects the rows of a page, as it is shown or backwards; condition is a further one, which begins with AND. bounded
// says that the page ends among the first boundedMax rows.
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

// boundedMax is more than a part and a page have. A number in the text tells Postgres that little is to be read, which an
// argument does not in a plan for any arguments.
const BoundedMax = 2048

// pageOrder is the order in which a page is shown, for a query that has it as p.
func (l *OrderedList) pageOrder() string {
	columns := make([]string, len(l.Key))
	for i := range columns {
		columns[i] = "p." + keyNames[i]
	}
	return l.Order(columns, "p.tie", false)
}

// fromPlace is the condition that a key is not below that of the place, which an index can be searched for.
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

// argument names the nth argument of a query, which is a bigint.
func Argument(n int) string { return "$" + strconv.Itoa(n) + "::bigint" }

// fill makes a query of the text that selects a page: its first column is the sources, and it has the page as p.
type FillFunc func(page, order string) string

// readList reads a page of a list, and how long the list is.
func ReadList[T any](ctx context.Context, s *engine.Snapshot, l OrderedList, offset int64, limit int, columns func(*T) []any, fill FillFunc) (rows []T, total int64, err error) {
	b := s.Batch()
	lengths := QueryLengths(b, l.Projection, l.Name)
	if rows, err = ReadWindows(ctx, b, []Window{{l, offset, limit}}, columns, fill); err != nil {
		return nil, 0, err
	}
	return rows, lengths()[0], nil
}

// segment is a part of a list that is n long, where before entries of the list come before it in its direction.
type Segment struct {
	OrderedList
	Before, N int64
}

// readSegments reads a page of segments that follow each other.
func ReadSegments[T any](ctx context.Context, s *engine.Snapshot, segments []Segment, offset int64, limit int, columns func(*T) []any, fill FillFunc) (rows []T, err error) {
	var windows []Window
	for _, g := range segments {
		if n := min(g.N-offset, int64(limit)); n > 0 {
			windows = append(windows, Window{g.OrderedList, g.Before + offset, int(n)})
			limit -= int(n)
		}
		offset = max(offset-g.N, 0)
	}
	if len(windows) == 0 {
		return nil, nil
	}
	b := s.Batch()
	return ReadWindows(ctx, b, windows, columns, fill)
}

// window is what a page has of a list.
type Window struct {
	OrderedList
	Offset int64
	Limit  int
}

// certain says that the window ends among the first boundedMax rows from where reading begins. Many entries with the same
// key are one part, however long.
func (w *Window) certain() bool { return w.Offset <= NearMax || w.Tie == "" }

// readWindows adds queries for windows to a batch, runs it as the last one, and gives the rows of all of them. Only a window
// that turns out to be deep in a part of equal keys takes another round trip.
func ReadWindows[T any](ctx context.Context, b *engine.Batch, windows []Window, columns func(*T) []any, fill FillFunc) (rows []T, err error) {
	pages, run := make([]*engine.Result[T], len(windows)), b.RunLast
	for i := range windows {
		w := &windows[i]
		if pages[i] = queryWindow(b, w, true, columns, fill); !w.certain() {
			run = b.Run
		}
	}
	if err := run(ctx); err != nil {
		return nil, err
	}
	for i, page := range pages {
		if w := &windows[i]; len(page.Rows) < w.Limit && !w.certain() {
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

// queryWindow adds a query for a window: one near the end of the list where it begins is read from there; for others, the
// query looks for the part that has its lowest entry, and reads from there upwards.
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

// place says, as a WITH clause, where a window is, counted upwards: the key that the part with its lowest entry begins with,
// how many entries of the part come before that entry, and how many the window has. Parts are added up from the nearer end of
// the list.
func (l *OrderedList) place(name, offset, limit string) string {
	rank := offset
	if l.Descending {
		rank = "whole.n - " + offset + " - " + limit
	}
	return strings.NewReplacer("{ranked}", "{"+l.Projection+"}", "{name}", name, "{offset}", offset, "{limit}", limit, "{rank}", rank).Replace(`
WITH place AS MATERIALIZED (
	SELECT coalesce(found.a, low) AS a, coalesce(found.b, low) AS b, coalesce(found.c, low) AS c,
	       wanted.rank - coalesce(found.before, 0) AS skipped, greatest(least(whole.n - {offset}, {limit}), 0) AS length
	FROM (SELECT coalesce((SELECT n FROM {ranked}.list WHERE name = {name}), 0) AS n, '-9223372036854775808'::bigint AS low) whole
	CROSS JOIN LATERAL (SELECT greatest({rank}, 0) AS rank) wanted
	LEFT JOIN LATERAL (
		(SELECT u.a, u.b, u.c, u.through - u.n AS before
		 FROM (SELECT a, b, c, n, (sum(n) OVER (ORDER BY a, b, c ROWS UNBOUNDED PRECEDING))::bigint AS through FROM {ranked}.part WHERE list = {name}) u
		 WHERE wanted.rank < whole.n / 2 AND u.through > wanted.rank
		 ORDER BY u.a, u.b, u.c LIMIT 1)
		UNION ALL
		(SELECT d.a, d.b, d.c, whole.n - d.through AS before
		 FROM (SELECT a, b, c, (sum(n) OVER (ORDER BY a DESC, b DESC, c DESC ROWS UNBOUNDED PRECEDING))::bigint AS through FROM {ranked}.part WHERE list = {name}) d
		 WHERE wanted.rank >= whole.n / 2 AND whole.n - d.through <= wanted.rank
		 ORDER BY d.a DESC, d.b DESC, d.c DESC LIMIT 1)
	) found ON true
)
`)
}

// queryLengths adds a query for how long lists of a projection are. What it returns gives it once the batch has run.
func QueryLengths(b *engine.Batch, projection string, names ...string) func() []int64 {
	found := engine.Query(b, func(lengths *[]int64) []any { return []any{lengths} }, `
SELECT ARRAY[]::bigint[], ARRAY(
	SELECT coalesce(l.n, 0) FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, place)
	LEFT JOIN {`+projection+`}.list l ON l.name = asked.name COLLATE "C" ORDER BY asked.place)`, names)
	return func() []int64 {
		if lengths, ok := found.First(); ok {
			return lengths
		}
		return make([]int64, len(names))
	}
}

// queryRank adds a query for how many entries of a list, whose key is one column, come before a key.
func (l *RankedList) QueryRank(b *engine.Batch, key int64) *engine.Result[int64] {
	n := len(l.Args)
	name, bound := Argument(n+1), Argument(n+2)
	within := " AND " + l.Key[0] + " >= coalesce(part.a, '-9223372036854775808') AND " + l.Key[0] + " < " + bound
	return engine.Query(b, func(rank *int64) []any { return []any{rank} }, strings.NewReplacer(
		"{ranked}", "{"+l.Projection+"}", "{name}", strings.TrimSuffix(name, "::bigint")+"::text", "{bound}", bound, "{rows}", l.Rows+within,
	).Replace(`
SELECT ARRAY[]::bigint[], coalesce(part.before, 0) + (SELECT count(*) FROM {rows})
FROM (VALUES (1)) AS always
LEFT JOIN LATERAL (
	SELECT p.a, coalesce((SELECT sum(q.n) FROM {ranked}.part q WHERE q.list = {name} AND (q.a, q.b, q.c) < (p.a, p.b, p.c)), 0)::bigint AS before
	FROM {ranked}.part p WHERE p.list = {name} AND p.a < {bound}
	ORDER BY p.a DESC, p.b DESC, p.c DESC LIMIT 1
) part ON true`), append(l.Args[:n:n], l.Name, key)...)
}
