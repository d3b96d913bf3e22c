package readapi

import (
	"context"
	"strconv"
	"strings"
)

// rankedList is a list of a projection of which the tables list and part say how long it is and where its parts begin
// (package projections/internal/ranked). So a page at any depth costs adding up the parts from the nearer end to it, and
// reading one part at most.
type rankedList struct {
	projection string
	// name of the list in the tables.
	name string
	// rows are its entries: what stands after FROM, with a WHERE; args are the arguments of it, from $1 on.
	rows string
	args []any
	// key are the columns that the list is ordered by: those of its key that are not always 0.
	key []string
	// tie is a column that orders entries with equal keys, always from the greatest on; empty when there are none.
	tie string
	// columns of a page, beside the key.
	columns string
}

// ordered is a list with the direction that it is shown in.
type ordered struct {
	rankedList
	descending bool
}

// nearMax is the offset up to which a page is read by counting from the end of the list where it begins. It is the length
// of a part: to look for the part costs more.
const nearMax = 1024

// keyNames are the columns of parts that have the key, and those of a page.
var keyNames = [3]string{"a", "b", "c"}

// order is what a page, whose key and tie are in these columns, is sorted by.
func (l *ordered) order(columns []string, tie string, backwards bool) string {
	direction := " ASC"
	if l.descending != backwards {
		direction = " DESC"
	}
	terms := make([]string, 0, len(columns)+1)
	for _, column := range columns {
		terms = append(terms, column+direction)
	}
	if l.tie != "" {
		if direction = " DESC"; backwards {
			direction = " ASC"
		}
		terms = append(terms, tie+direction)
	}
	return strings.Join(terms, ", ")
}

// read selects the rows of a page, as it is shown or backwards; condition is a further one, which begins with AND. bounded
// says that the page ends among the first boundedMax rows.
func (l *ordered) read(condition string, backwards, bounded bool, offset, limit string) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, column := range l.key {
		b.WriteString(column + " AS " + keyNames[i] + ", ")
	}
	if l.tie != "" {
		b.WriteString(l.tie + " AS tie, ")
	}
	b.WriteString(l.columns + " FROM " + l.rows + condition + " ORDER BY " + l.order(l.key, l.tie, backwards))
	page := " OFFSET " + offset + " LIMIT " + limit
	if !bounded {
		return b.String() + page
	}
	return "SELECT * FROM (" + b.String() + " LIMIT " + strconv.Itoa(boundedMax) + ") AS bounded ORDER BY " +
		l.order(keyNames[:len(l.key)], "tie", backwards) + page
}

// boundedMax is more than a part and a page have. A number in the text tells Postgres that little is to be read, which an
// argument does not in a plan for any arguments.
const boundedMax = 2048

// pageOrder is the order in which a page is shown, for a query that has it as p.
func (l *ordered) pageOrder() string {
	columns := make([]string, len(l.key))
	for i := range columns {
		columns[i] = "p." + keyNames[i]
	}
	return l.order(columns, "p.tie", false)
}

// fromPlace is the condition that a key is not below that of the place, which an index can be searched for.
func (l *rankedList) fromPlace() string {
	begins := make([]string, len(l.key))
	for i := range begins {
		begins[i] = "(SELECT " + keyNames[i] + " FROM place)"
	}
	if len(l.key) == 1 {
		return " AND " + l.key[0] + " >= " + begins[0]
	}
	return " AND (" + strings.Join(l.key, ", ") + ") >= (" + strings.Join(begins, ", ") + ")"
}

// argument names the nth argument of a query, which is a bigint.
func argument(n int) string { return "$" + strconv.Itoa(n) + "::bigint" }

// fill makes a query of the text that selects a page: its first column is the sources, and it has the page as p.
type fill func(page, order string) string

// readList reads a page of a list, and how long the list is.
func readList[T any](ctx context.Context, s *snapshot, l ordered, offset int64, limit int, columns func(*T) []any, fill fill) (rows []T, total int64, err error) {
	b := s.batch()
	lengths := queryLengths(b, l.projection, l.name)
	if rows, err = readWindows(ctx, b, []window{{l, offset, limit}}, columns, fill); err != nil {
		return nil, 0, err
	}
	return rows, lengths()[0], nil
}

// segment is a part of a list that is n long, where before entries of the list come before it in its direction.
type segment struct {
	ordered
	before, n int64
}

// readSegments reads a page of segments that follow each other.
func readSegments[T any](ctx context.Context, s *snapshot, segments []segment, offset int64, limit int, columns func(*T) []any, fill fill) (rows []T, err error) {
	var windows []window
	for _, g := range segments {
		if n := min(g.n-offset, int64(limit)); n > 0 {
			windows = append(windows, window{g.ordered, g.before + offset, int(n)})
			limit -= int(n)
		}
		offset = max(offset-g.n, 0)
	}
	if len(windows) == 0 {
		return nil, nil
	}
	b := s.batch()
	return readWindows(ctx, b, windows, columns, fill)
}

// window is what a page has of a list.
type window struct {
	ordered
	offset int64
	limit  int
}

// certain says that the window ends among the first boundedMax rows from where reading begins. Many entries with the same
// key are one part, however long.
func (w *window) certain() bool { return w.offset <= nearMax || w.tie == "" }

// readWindows adds queries for windows to a batch, runs it as the last one, and gives the rows of all of them. Only a window
// that turns out to be deep in a part of equal keys takes another round trip.
func readWindows[T any](ctx context.Context, b *batch, windows []window, columns func(*T) []any, fill fill) (rows []T, err error) {
	pages, run := make([]*result[T], len(windows)), b.runLast
	for i := range windows {
		w := &windows[i]
		if pages[i] = queryWindow(b, w, true, columns, fill); !w.certain() {
			run = b.run
		}
	}
	if err := run(ctx); err != nil {
		return nil, err
	}
	for i, page := range pages {
		if w := &windows[i]; len(page.rows) < w.limit && !w.certain() {
			again := b.snapshot.batch()
			page = queryWindow(again, w, false, columns, fill)
			if err := again.run(ctx); err != nil {
				return nil, err
			}
		}
		rows = append(rows, page.rows...)
	}
	return rows, nil
}

// queryWindow adds a query for a window: one near the end of the list where it begins is read from there; for others, the
// query looks for the part that has its lowest entry, and reads from there upwards.
func queryWindow[T any](b *batch, w *window, bounded bool, columns func(*T) []any, fill fill) *result[T] {
	n := len(w.args)
	args := append(w.args[:n:n], min(w.offset, offsetMax), int64(w.limit))
	offset, limit := argument(n+1), argument(n+2)
	if w.offset <= nearMax {
		return query(b, columns, fill(w.read("", false, bounded, offset, limit), w.pageOrder()), args...)
	}
	page := w.place("$"+strconv.Itoa(n+3)+"::text", offset, limit) +
		w.read(w.fromPlace(), w.descending, bounded, `(SELECT skipped FROM place)`, `(SELECT length FROM place)`)
	return query(b, columns, fill(page, w.pageOrder()), append(args, w.name)...)
}

// place says, as a WITH clause, where a window is, counted upwards: the key that the part with its lowest entry begins with,
// how many entries of the part come before that entry, and how many the window has. Parts are added up from the nearer end of
// the list.
func (l *ordered) place(name, offset, limit string) string {
	rank := offset
	if l.descending {
		rank = "whole.n - " + offset + " - " + limit
	}
	return strings.NewReplacer("{ranked}", "{"+l.projection+"}", "{name}", name, "{offset}", offset, "{limit}", limit, "{rank}", rank).Replace(`
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
func queryLengths(b *batch, projection string, names ...string) func() []int64 {
	found := query(b, func(lengths *[]int64) []any { return []any{lengths} }, `
SELECT ARRAY[]::bigint[], ARRAY(
	SELECT coalesce(l.n, 0) FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, place)
	LEFT JOIN {`+projection+`}.list l ON l.name = asked.name COLLATE "C" ORDER BY asked.place)`, names)
	return func() []int64 {
		if lengths, ok := found.first(); ok {
			return lengths
		}
		return make([]int64, len(names))
	}
}

// queryRank adds a query for how many entries of a list, whose key is one column, come before a key.
func (l *rankedList) queryRank(b *batch, key int64) *result[int64] {
	n := len(l.args)
	name, bound := argument(n+1), argument(n+2)
	within := " AND " + l.key[0] + " >= coalesce(part.a, '-9223372036854775808') AND " + l.key[0] + " < " + bound
	return query(b, func(rank *int64) []any { return []any{rank} }, strings.NewReplacer(
		"{ranked}", "{"+l.projection+"}", "{name}", strings.TrimSuffix(name, "::bigint")+"::text", "{bound}", bound, "{rows}", l.rows+within,
	).Replace(`
SELECT ARRAY[]::bigint[], coalesce(part.before, 0) + (SELECT count(*) FROM {rows})
FROM (VALUES (1)) AS always
LEFT JOIN LATERAL (
	SELECT p.a, coalesce((SELECT sum(q.n) FROM {ranked}.part q WHERE q.list = {name} AND (q.a, q.b, q.c) < (p.a, p.b, p.c)), 0)::bigint AS before
	FROM {ranked}.part p WHERE p.list = {name} AND p.a < {bound}
	ORDER BY p.a DESC, p.b DESC, p.c DESC LIMIT 1
) part ON true`), append(l.args[:n:n], l.name, key)...)
}
