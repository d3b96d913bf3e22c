package brc20

import (
	"context"
	"math"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

// mergedLists are lists of operations, none of which is in two of them, read as one: the newest first. An index has each
// stretch of a list in order: the operations of one kind, and those that an address received.
//
// A page that is not far from the newest end is read from all stretches and sorted. For another one the parts of all lists
// are put in one order and added up, which gives a key near the page: between the two are at most as many operations as
// one part of each list has.
type mergedLists struct {
	names     []string // of the lists
	stretches []stretch
	// indexes that have the stretches; each stretch is in one of them.
	indexes []stretchIndex
}

// stretch is what an index has together: what is of a ticker or an address, and of a kind.
type stretch struct {
	list int // which one it is a part of
	of   string
	kind int16
}

// received is the kind of a stretch of what an address received.
const received = 0

// stretchIndex is an index of operations. A stretch is a range of the rows of all its columns: unlike equations, that leaves
// Postgres no other index to read it in order from, such as one that has all operations, of which few may match.
type stretchIndex struct {
	columns, values string // before height and tx_index; values are those of a stretch l (of, kind)
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

// mergeOf are the lists of operations of some kinds; none means all. Either tickers or the address is given, or kinds alone.
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

// add adds the list of a ticker or an address, or those of its kinds.
func (m *mergedLists) add(what, of string, kinds []int16) {
	if len(kinds) == 0 {
		m.addList(what+":"+of, of, 1, 2, 3, 4)
	}
	for _, kind := range kinds {
		m.addList(what+"_kind:"+strconv.Itoa(int(kind))+":"+of, of, kind)
	}
}

// addList adds a list of operations of some kinds. An address has received what is sent.
func (m *mergedLists) addList(name, of string, kinds ...int16) {
	for _, kind := range kinds {
		m.stretches = append(m.stretches, stretch{len(m.names), of, kind})
		if kind == 4 && len(m.indexes) > 1 {
			m.stretches = append(m.stretches, stretch{len(m.names), of, received})
		}
	}
	m.names = append(m.names, name)
}

// columns of the stretches.
func (m *mergedLists) columns() (of []string, kinds []int16) {
	for _, s := range m.stretches {
		of, kinds = append(of, s.of), append(kinds, s.kind)
	}
	return of, kinds
}

// The keys that are not below, and not above, any other.
const (
	below   int64 = math.MinInt64
	belowMe       = `'-9223372036854775808'::bigint, '-9223372036854775808'::bigint`
	aboveMe       = `'9223372036854775807'::bigint, '9223372036854775807'::bigint`
)

// rows selects the operations of a stretch from a key up to, but not including, another.
func (x stretchIndex) rows(from, to string) string {
	columns := "(" + x.columns + ", height, tx_index)"
	return `SELECT height, tx_index FROM {brc20}.operation WHERE ` + columns + ` >= (` + x.values + `, ` + from + `) AND ` +
		columns + ` < (` + x.values + `, ` + to + `)` + x.condition
}

// inOrder selects the first ones of them.
func (x stretchIndex) inOrder(from, to, direction, limit string) string {
	return x.rows(from, to) + ` ORDER BY ` + strings.ReplaceAll(x.columns, ",", direction+",") + direction + `, height` + direction + `, tx_index` + direction +
		` LIMIT ` + limit
}

// ofAll puts together what is selected from each index.
func (m *mergedLists) ofAll(selected func(x stretchIndex) string) string {
	queries := make([]string, len(m.indexes))
	for i, x := range m.indexes {
		queries[i] = "(" + selected(x) + ")"
	}
	return strings.Join(queries, " UNION ALL ")
}

func (m *mergedLists) read(ctx context.Context, s *engine.Snapshot, offset int64, limit int) (rows []activityRow, total int64, err error) {
	if offset > page.NearMax {
		return m.readFar(ctx, s, offset, limit)
	}
	of, kinds := m.columns()
	b := s.Batch()
	lengths := page.QueryLengths(b, brc20, m.names...)
	page := engine.Query(b, activityColumns, activityPage(`
		SELECT c.height, c.tx_index FROM unnest($1::text[], $2::smallint[]) AS l (of, kind)
		CROSS JOIN LATERAL (`+m.ofAll(func(x stretchIndex) string { return x.inOrder(belowMe, aboveMe, " DESC", "$3::bigint + $4::bigint") })+`) c
		ORDER BY c.height DESC, c.tx_index DESC OFFSET $3 LIMIT $4`, newestFirst), of, kinds, offset, int64(limit))
	if err := b.RunLast(ctx); err != nil {
		return nil, 0, err
	}
	for _, n := range lengths() {
		total += n
	}
	return page.Rows, total, nil
}

// mergedPlace is where a page is, counted upwards.
type mergedPlace struct {
	total, rank int64 // of all lists together, and of the page's lowest operation
	a, b        int64 // a key that is not above it
	// Below the key are before operations, and those that the lists have from other keys on.
	before       int64
	fromA, fromB []int64
}

func mergedColumns(p *mergedPlace) []any {
	return []any{&p.total, &p.rank, &p.a, &p.b, &p.before, &p.fromA, &p.fromB}
}

func (m *mergedLists) readFar(ctx context.Context, s *engine.Snapshot, offset int64, limit int) (rows []activityRow, total int64, err error) {
	b := s.Batch()
	found := engine.Query(b, mergedColumns, mergedPlaceSQL, m.names, min(offset, page.RankedOffsetMax), int64(limit), below)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	p, _ := found.First()
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
		CROSS JOIN LATERAL (`+m.ofAll(func(x stretchIndex) string {
		return x.inOrder("$5::bigint, $6::bigint", aboveMe, "", "$7::bigint + $8::bigint")
	})+`) c
		ORDER BY c.height, c.tx_index
		OFFSET $7 - (
			SELECT count(*) FROM unnest($1::text[], $2::smallint[], $3::bigint[], $4::bigint[]) AS l (of, kind, a, b)
			CROSS JOIN LATERAL (`+m.ofAll(func(x stretchIndex) string { return x.rows("l.a, l.b", "$5::bigint, $6::bigint") })+`) passed
		) LIMIT $8`, newestFirst), of, kinds, fromA, fromB, p.a, p.b, p.rank-p.before, length)
	if err := b.RunLast(ctx); err != nil {
		return nil, 0, err
	}
	return page.Rows, p.total, nil
}

// mergedPlaceSQL finds a place near a page. Added up in the order of their keys, the parts up to one that begins at a key
// have at least what is below that key. Lists without parts are one each.
const mergedPlaceSQL = `
SELECT ARRAY[]::bigint[], f.*
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
