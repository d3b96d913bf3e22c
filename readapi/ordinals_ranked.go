package readapi

import (
	"context"
	"math"
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

// from is the condition that a key is not below that of the arguments from n on.
func (l *rankedList) from(n int) string {
	if len(l.key) == 1 {
		return " AND " + l.key[0] + " >= " + argument(n)
	}
	arguments := make([]string, len(l.key))
	for i := range arguments {
		arguments[i] = argument(n + i)
	}
	return " AND (" + strings.Join(l.key, ", ") + ") >= (" + strings.Join(arguments, ", ") + ")"
}

// argument names the nth argument of a query, which is a bigint.
func argument(n int) string { return "$" + strconv.Itoa(n) + "::bigint" }

// fill makes a query of the text that selects a page: its first column is the sources, and it has the page as p.
type fill func(page, order string) string

// readList reads a page of a list, and how long the list is.
func readList[T any](ctx context.Context, s *snapshot, l ordered, offset int64, limit int, columns func(*T) []any, fill fill) (rows []T, total int64, err error) {
	b := s.batch()
	if offset <= nearMax {
		lengths := queryLengths(b, l.projection, l.name)
		page := queryNear(b, &l, offset, limit, columns, fill)
		if err := b.runLast(ctx); err != nil {
			return nil, 0, err
		}
		return page.rows, lengths()[0], nil
	}
	located := l.locate(b, offset, limit)
	if err := b.run(ctx); err != nil {
		return nil, 0, err
	}
	place, _ := located.first()
	if offset >= place.total {
		return nil, place.total, nil
	}
	b = s.batch()
	page := queryFar(b, &l, place, offset, limit, columns, fill)
	if err := b.runLast(ctx); err != nil {
		return nil, 0, err
	}
	return page.rows, place.total, nil
}

// segment is a part of a list that is n long, where before entries of the list come before it in its direction.
type segment struct {
	ordered
	before, n int64
}

// readSegments reads a page of segments that follow each other.
func readSegments[T any](ctx context.Context, s *snapshot, segments []segment, offset int64, limit int, columns func(*T) []any, fill fill) (rows []T, err error) {
	type window struct {
		*segment
		offset  int64 // in the list
		limit   int
		located *result[pagePlace]
	}
	var windows []window
	distant := s.batch()
	for i := range segments {
		g := &segments[i]
		if n := min(g.n-offset, int64(limit)); n > 0 {
			w := window{segment: g, offset: g.before + offset, limit: int(n)}
			if w.offset > nearMax {
				w.located = g.locate(distant, w.offset, w.limit)
			}
			windows = append(windows, w)
			limit -= w.limit
		}
		offset = max(offset-g.n, 0)
	}
	if len(windows) == 0 {
		return nil, nil
	}
	if len(distant.queries) > 0 {
		if err := distant.run(ctx); err != nil {
			return nil, err
		}
	}
	b := s.batch()
	pages := make([]*result[T], len(windows))
	for i := range windows {
		w := &windows[i]
		if w.located == nil {
			pages[i] = queryNear(b, &w.ordered, w.offset, w.limit, columns, fill)
			continue
		}
		found, _ := w.located.first()
		pages[i] = queryFar(b, &w.ordered, found, w.offset, w.limit, columns, fill)
	}
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	for _, page := range pages {
		rows = append(rows, page.rows...)
	}
	return rows, nil
}

// queryNear adds a query for a page that is not far from the end of the list where it begins.
func queryNear[T any](b *batch, l *ordered, offset int64, limit int, columns func(*T) []any, fill fill) *result[T] {
	n := len(l.args)
	return query(b, columns, fill(l.read("", false, true, argument(n+1), argument(n+2)), l.pageOrder()),
		append(l.args[:n:n], offset, int64(limit))...)
}

// queryFar adds a query for a page that begins in a part which was looked for. It is read from the part on upwards.
func queryFar[T any](b *batch, l *ordered, p pagePlace, offset int64, limit int, columns func(*T) []any, fill fill) *result[T] {
	n := len(l.args)
	args := append(l.args[:n:n], p.key(len(l.key))...)
	condition := l.from(n + 1)
	n = len(args)
	skip, length := p.rank-p.before, max(min(p.total-offset, int64(limit)), 0)
	bounded := skip+length <= boundedMax // but for many entries with the same key, which are one part
	return query(b, columns, fill(l.read(condition, l.descending, bounded, argument(n+1), argument(n+2)), l.pageOrder()), append(args, skip, length)...)
}

// pagePlace is where in a list a page begins, counted upwards.
type pagePlace struct {
	total   int64 // of the list
	rank    int64 // of the page's lowest entry
	before  int64 // entries before the part that has it
	a, b, c *int64
}

func placeColumns(p *pagePlace) []any { return []any{&p.total, &p.rank, &p.before, &p.a, &p.b, &p.c} }

// key is where the part begins; below everything for a list without parts.
func (p *pagePlace) key(n int) []any {
	key := make([]any, n)
	for i, v := range []*int64{p.a, p.b, p.c}[:n] {
		if key[i] = int64(math.MinInt64); v != nil {
			key[i] = *v
		}
	}
	return key
}

// locate adds a query for where a page begins: its parts are added up from the nearer end of the list.
func (l *ordered) locate(b *batch, offset int64, limit int) *result[pagePlace] {
	return query(b, placeColumns, strings.ReplaceAll(`
SELECT ARRAY[]::bigint[], whole.n, wanted.rank, coalesce(found.before, 0), found.a, found.b, found.c
FROM (SELECT coalesce((SELECT n FROM {ranked}.list WHERE name = $1), 0) AS n) whole
CROSS JOIN LATERAL (SELECT greatest(CASE WHEN $4 THEN whole.n - $2 - $3 ELSE $2 END, 0) AS rank) wanted
LEFT JOIN LATERAL (
	(SELECT u.a, u.b, u.c, u.through - u.n AS before
	 FROM (SELECT a, b, c, n, (sum(n) OVER (ORDER BY a, b, c ROWS UNBOUNDED PRECEDING))::bigint AS through FROM {ranked}.part WHERE list = $1) u
	 WHERE wanted.rank < whole.n / 2 AND u.through > wanted.rank
	 ORDER BY u.a, u.b, u.c LIMIT 1)
	UNION ALL
	(SELECT d.a, d.b, d.c, whole.n - d.through AS before
	 FROM (SELECT a, b, c, (sum(n) OVER (ORDER BY a DESC, b DESC, c DESC ROWS UNBOUNDED PRECEDING))::bigint AS through FROM {ranked}.part WHERE list = $1) d
	 WHERE wanted.rank >= whole.n / 2 AND whole.n - d.through <= wanted.rank
	 ORDER BY d.a DESC, d.b DESC, d.c DESC LIMIT 1)
) found ON true`, "{ranked}", "{"+l.projection+"}"), l.name, min(offset, offsetMax), int64(limit), l.descending)
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
