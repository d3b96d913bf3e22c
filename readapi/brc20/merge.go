package brc20

import (
	"context"
	"math"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

// mergedLists reads several disjoint lists of operations as one list, the newest first. A list consists of stretches,
// each of which an index stores in order: the operations of one kind, or those that an address received.
//
// A page near the newest end is read from all stretches and sorted. For a deep page, the parts of all lists are sorted
// together and their lengths added up, which gives a key near the page: between that key and the page are at most as
// many operations as one part of each list holds.
type mergedLists struct {
	names     []string // names of the lists
	stretches []stretch
	// indexes that store the stretches; each stretch is in exactly one of them.
	indexes []stretchIndex
}

// stretch is a contiguous range of an index: the operations of one kind, of one ticker or address.
type stretch struct {
	list int    // position of its list in mergedLists.names
	of   string // ticker or address; empty for a list of a kind
	kind int16
}

// received is the kind of a stretch of operations that an address received.
const received = 0

// stretchIndex describes an index of operations. Queries select a stretch with a range of row values over all columns
// of the index. With equations, Postgres might read another index in order, such as the one of all operations, of which
// few may match.
type stretchIndex struct {
	// columns are the columns of the index before height and tx_index; values are their values in a stretch l (of,
	// kind).
	columns, values string
	condition       string
}

var (
	indexOfKinds   = []stretchIndex{{"kind", "l.kind", ""}}
	indexOfTickers = []stretchIndex{{"ticker, kind", "l.of, l.kind", ""}}
	indexOfAddress = []stretchIndex{
		{"address, kind", "l.of, l.kind", " AND l.kind > 0"},
		{"receiver", "l.of", " AND l.kind = 0 AND receiver IS NOT NULL AND receiver <> address"},
	}
)

// mergeOf returns the merged lists of operations of some kinds; no kinds means all. The caller gives tickers, an
// address, or kinds alone.
func mergeOf(tickers []string, kinds []int16, address string) *mergedLists {
	m := &mergedLists{indexes: indexOfKinds}
	switch {
	case address != "":
		m.indexes = indexOfAddress
		m.add("address", address, kinds)
	case len(tickers) > 0:
		m.indexes = indexOfTickers
		for _, ticker := range tickers {
			m.add("ticker", ticker, kinds)
		}
	default:
		for _, kind := range kinds {
			m.addList("kind:"+strconv.Itoa(int(kind)), "", kind)
		}
	}
	return m
}

// add adds the list of a ticker or an address, or one list for each of the kinds.
func (m *mergedLists) add(what, of string, kinds []int16) {
	if len(kinds) == 0 {
		m.addList(what+":"+of, of, 1, 2, 3, 4)
	}
	for _, kind := range kinds {
		m.addList(what+"_kind:"+strconv.Itoa(int(kind))+":"+of, of, kind)
	}
}

// addList adds a list of operations of some kinds. A list of an address with sends also includes what the address
// received.
func (m *mergedLists) addList(name, of string, kinds ...int16) {
	for _, kind := range kinds {
		m.stretches = append(m.stretches, stretch{len(m.names), of, kind})
		if kind == 4 && len(m.indexes) > 1 {
			m.stretches = append(m.stretches, stretch{len(m.names), of, received})
		}
	}
	m.names = append(m.names, name)
}

// columns returns two parallel arrays for unnest: the ticker or address, and the kind of each stretch.
func (m *mergedLists) columns() (of []string, kinds []int16) {
	for _, s := range m.stretches {
		of, kinds = append(of, s.of), append(kinds, s.kind)
	}
	return of, kinds
}

// The lowest and the highest key (height, tx_index). lowest is the number in both halves of the lowest key.
const (
	lowest     int64 = math.MinInt64
	lowestKey        = `'-9223372036854775808'::bigint, '-9223372036854775808'::bigint`
	highestKey       = `'9223372036854775807'::bigint, '9223372036854775807'::bigint`
)

// rows returns the query for the operations of a stretch l from one key (inclusive) to another (exclusive).
func (x stretchIndex) rows(from, to string) string {
	columns := "(" + x.columns + ", height, tx_index)"
	return `SELECT height, tx_index FROM {brc20}.operation WHERE ` + columns + ` >= (` + x.values + `, ` + from + `) AND ` +
		columns + ` < (` + x.values + `, ` + to + `)` + x.condition
}

// firstRows returns the query for the first limit operations of rows in a direction.
func (x stretchIndex) firstRows(from, to, direction, limit string) string {
	return x.rows(from, to) + ` ORDER BY ` + strings.ReplaceAll(x.columns, ",", direction+",") + direction + `, height` + direction + `, tx_index` + direction +
		` LIMIT ` + limit
}

// union returns the union of a query on each index.
func (m *mergedLists) union(query func(x stretchIndex) string) string {
	queries := make([]string, len(m.indexes))
	for i, x := range m.indexes {
		queries[i] = "(" + query(x) + ")"
	}
	return strings.Join(queries, " UNION ALL ")
}

// read reads a page and the total length of the lists.
func (m *mergedLists) read(ctx context.Context, s *engine.Snapshot, offset int64, limit int) (rows []activityRow, total int64, err error) {
	if offset > page.NearMax {
		return m.readDeep(ctx, s, offset, limit)
	}
	of, kinds := m.columns()
	b := s.Batch()
	lengths := page.QueryLengths(b, brc20, m.names...)
	page := engine.Query(b, activityColumns, activityPage(`
		SELECT c.height, c.tx_index FROM unnest($1::text[], $2::smallint[]) AS l (of, kind)
		CROSS JOIN LATERAL (`+m.union(func(x stretchIndex) string {
		return x.firstRows(lowestKey, highestKey, " DESC", "$3::bigint + $4::bigint")
	})+`) c
		ORDER BY c.height DESC, c.tx_index DESC OFFSET $3 LIMIT $4`, newestFirst), of, kinds, offset, int64(limit))
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	for _, n := range lengths() {
		total += n
	}
	return page.Rows, total, nil
}

// mergedPlace locates a page in the merged lists, counted from the oldest operation.
type mergedPlace struct {
	total, rank int64 // length of all lists together, and rank of the oldest operation of the page
	a, b        int64 // a key at or below that operation
	// Below the key (a, b) lie `before` operations, and for each list those from its key (fromA, fromB) on.
	before       int64
	fromA, fromB []int64
}

func mergedColumns(p *mergedPlace) []any {
	return []any{&p.total, &p.rank, &p.a, &p.b, &p.before, &p.fromA, &p.fromB}
}

// readDeep reads a deep page: it looks up a key near the page, then counts and reads on from that key.
func (m *mergedLists) readDeep(ctx context.Context, s *engine.Snapshot, offset int64, limit int) (rows []activityRow, total int64, err error) {
	b := s.Batch()
	places := engine.Query(b, mergedColumns, mergedPlaceSQL, m.names, min(offset, page.RankedOffsetMax), int64(limit), lowest)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	p, _ := places.First()
	length := min(p.total-offset, int64(limit))
	if length <= 0 {
		return nil, p.total, nil
	}
	of, kinds := m.columns()
	fromA, fromB := make([]int64, len(m.stretches)), make([]int64, len(m.stretches))
	for i, stretch := range m.stretches {
		fromA[i], fromB[i] = p.fromA[stretch.list], p.fromB[stretch.list]
	}
	b = s.Batch()
	page := engine.Query(b, activityColumns, activityPage(`
		SELECT c.height, c.tx_index FROM unnest($1::text[], $2::smallint[]) AS l (of, kind)
		CROSS JOIN LATERAL (`+m.union(func(x stretchIndex) string {
		return x.firstRows("$5::bigint, $6::bigint", highestKey, "", "$7::bigint + $8::bigint")
	})+`) c
		ORDER BY c.height, c.tx_index
		OFFSET $7 - (
			SELECT count(*) FROM unnest($1::text[], $2::smallint[], $3::bigint[], $4::bigint[]) AS l (of, kind, a, b)
			CROSS JOIN LATERAL (`+m.union(func(x stretchIndex) string { return x.rows("l.a, l.b", "$5::bigint, $6::bigint") })+`) passed
		) LIMIT $8`, newestFirst), of, kinds, fromA, fromB, p.a, p.b, p.rank-p.before, length)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	return page.Rows, p.total, nil
}

// mergedPlaceSQL selects the mergedPlace of a page. It sorts the parts of all lists by their first keys and adds up
// their lengths: the parts up to the one that begins at a key hold at least all operations below that key. A list
// without parts counts as one part.
const mergedPlaceSQL = `
SELECT {}, f.*
FROM (
	WITH parts AS MATERIALIZED (
		SELECT list, a, b, n FROM {brc20}.part WHERE list = ANY ($1::text[])
		UNION ALL
		SELECT name, $4::bigint, $4::bigint, n FROM {brc20}.list l
		WHERE name = ANY ($1::text[]) AND NOT EXISTS (SELECT FROM {brc20}.part WHERE list = l.name)
	), wanted AS (
		SELECT total, greatest(total - $2 - $3, 0) AS rank FROM (SELECT coalesce(sum(n), 0)::bigint AS total FROM parts) whole
	), bound AS (
		SELECT coalesce(max(a), $4) AS a, coalesce(max(b), $4) AS b, coalesce(max(through), 0) AS through
		FROM (
			SELECT u.* FROM (SELECT a, b, (sum(n) OVER (ORDER BY a, b))::bigint AS through FROM parts) u, wanted
			WHERE u.through <= wanted.rank ORDER BY u.a DESC, u.b DESC LIMIT 1
		) last
	)
	SELECT wanted.total, wanted.rank, bound.a, bound.b, bound.through - froms.n, froms.a AS from_a, froms.b AS from_b
	FROM wanted, bound, LATERAL (
		SELECT coalesce(sum(p.n), 0)::bigint AS n, array_agg(coalesce(p.a, bound.a) ORDER BY l.place) AS a, array_agg(coalesce(p.b, bound.b) ORDER BY l.place) AS b
		FROM unnest($1::text[]) WITH ORDINALITY AS l (name, place)
		LEFT JOIN LATERAL (
			SELECT a, b, n FROM parts WHERE list = l.name AND (a, b) <= (bound.a, bound.b) AND bound.through > 0 ORDER BY a DESC, b DESC LIMIT 1
		) p ON true
	) froms
) f`
