package ordinals

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

// access is an access path to the inscriptions that a filter lets pass: it decides which index Postgres reads. Its text
// is a condition on inscriptions c, with the same arguments as the condition passes.
type access string

// The access paths.
const (
	byIDs              access = `c.id = ANY ($1)`
	byNumbers          access = `c.number = ANY ($2)`
	bySats             access = `c.sat = ANY ($3)`
	byHeights          access = `c.height = ANY ($4)`
	byHeight           access = `c.height >= $5 AND c.height <= $6`
	byNumberRange      access = `c.number >= $7 AND c.number <= $8`
	bySatRange         access = `c.sat >= $9 AND c.sat <= $10`
	byAddresses        access = `c.id IN (SELECT id FROM {inscriptions}.owner WHERE address = ANY ($11))`
	byGenesisAddresses access = `c.genesis_address = ANY ($12)`
	byMimeTypes        access = `c.mime_type = ANY ($13)`
	byRarities         access = `c.rarity > 0 AND c.rarity = ANY ($14)`
	byRecursive        access = `c.recursive`
	byCursed           access = `c.number < 0`
	byTime             access = `c.height IN (SELECT height FROM {inscriptions}.block WHERE time >= $17 AND time <= $18)`
	byAll              access = `true`
)

// owned is the condition that an inscription c belongs to one of the requested addresses.
const owned = `($11::text[] IS NULL OR EXISTS (
		SELECT FROM {inscriptions}.owner o WHERE o.sat = c.sat AND o.number = c.number AND o.id = c.id AND o.address = ANY ($11)))`

// passes is the condition that an inscription c passes all filters. The arguments of absent filters are null or
// unbounded, so that the text is always the same.
const passes = `
	($1::text[] IS NULL OR c.id = ANY ($1)) AND
	($2::bigint[] IS NULL OR c.number = ANY ($2)) AND
	($3::bigint[] IS NULL OR c.sat = ANY ($3)) AND
	($4::bigint[] IS NULL OR c.height = ANY ($4)) AND
	c.height >= $5::bigint AND c.height <= $6::bigint AND
	c.number >= $7::bigint AND c.number <= $8::bigint AND
	c.sat >= $9::bigint AND c.sat <= $10::bigint AND
	` + owned + ` AND
	($12::text[] IS NULL OR c.genesis_address = ANY ($12)) AND
	($13::text[] IS NULL OR c.mime_type = ANY ($13)) AND
	($14::smallint[] IS NULL OR c.rarity = ANY ($14)) AND
	($15::boolean IS NULL OR c.recursive = $15) AND
	($16::boolean IS NULL OR (c.number < 0) = $16) AND
	($17::bigint IS NULL OR EXISTS (SELECT FROM {inscriptions}.block b WHERE b.height = c.height AND b.time >= $17 AND b.time <= $18::bigint))`

// args returns the arguments of the condition passes.
func (f *filter) args(m *selectivity) []any {
	var from, to *int64
	if m.time != unbounded {
		from, to = &m.time.from, &m.time.to
	}
	return []any{
		f.ids, f.numbers, m.sats, m.heights, m.height.from, m.height.to, f.number.from, f.number.to, f.sat.from, f.sat.to,
		f.addresses, f.genesisAddresses, f.mimeTypes, f.rarities, f.recursive, f.cursed, from, to,
	}
}

const (
	// sortMax is the maximum number of matches that are always read and sorted; with more, another way may be cheaper.
	sortMax = 10_000
	// skipShare is the ratio of the cost of reading and sorting an inscription to that of skipping one in the index.
	skipShare = 8
)

// readFiltered reads a page that no single list has. With several filters it takes as candidates the inscriptions that
// pass the most selective one, then counts and sorts those that pass the others too. With one filter the count is
// known.
func (q *search) readFiltered(ctx context.Context) ([]inscriptionRow, int64, error) {
	m, err := q.measure(ctx)
	if err != nil {
		return nil, 0, err
	}
	least := slices.MinFunc(m.filters, func(a, b measure) int { return cmp.Compare(a.n, b.n) })
	if least.n == 0 {
		return nil, 0, nil
	}
	if len(m.filters) == 1 && least.exact && least.n > sortMax {
		return q.readSingle(ctx, m, least)
	}
	return q.sort(ctx, m, least.access)
}

// readSingle reads a page of the inscriptions that pass a single filter, which are too many to sort.
func (q *search) readSingle(ctx context.Context, m *selectivity, one measure) (rows []inscriptionRow, total int64, err error) {
	f, s := q.filter, q.sorting
	switch {
	case s.by == byGenesis && one.access == byHeight:
		rows, err = q.readHeights(ctx, m, one.n)
	case s.by == byNumber && one.access == byNumberRange:
		g := page.Segment{OrderedList: page.OrderedList{RankedList: numberList(), Descending: s.descending}, Before: m.numberFrom, N: one.n}
		if s.descending {
			g.Before = m.all - m.numberTo
		}
		rows, err = q.readSegments(ctx, g)
	case s.by == byNumber && f.cursed != nil:
		g := page.Segment{OrderedList: page.OrderedList{RankedList: numberList(), Descending: s.descending}, Before: 0, N: one.n}
		if *f.cursed == s.descending {
			g.Before = m.all - one.n
		}
		rows, err = q.readSegments(ctx, g)
	case s.by == bySat && one.access == bySatRange:
		return q.readSats(ctx, bounds{max(f.sat.from, 0), min(f.sat.to, satsEnd)})
	case s.by == byGenesis && one.access == byAddresses && q.merges(one.n, f.addresses):
		rows, err = q.merge(ctx, "owner", "address", f.addresses)
	case s.by == byGenesis && one.access == byGenesisAddresses && q.merges(one.n, f.genesisAddresses):
		rows, err = q.merge(ctx, "inscription", "genesis_address", f.genesisAddresses)
	case s.by == byGenesis && one.access == byMimeTypes && q.merges(one.n, f.mimeTypes):
		rows, err = q.merge(ctx, "inscription", "mime_type", f.mimeTypes)
	case s.by != byRarity && q.walks(m, one):
		rows, err = q.walk(ctx, m)
	default:
		return q.sort(ctx, m, one.access)
	}
	return rows, one.n, err
}

// satsEnd is greater than every sat.
const satsEnd = 1 << 51

// readHeights reads the inscriptions of a range of heights, as a segment of the list of all.
func (q *search) readHeights(ctx context.Context, m *selectivity, n int64) ([]inscriptionRow, error) {
	outside, bound := `height < $1`, m.height.from
	if q.sorting.descending {
		outside, bound = `height > $1`, m.height.to
	}
	b := q.snapshot.Batch()
	before := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, coalesce(sum(reveals), 0)::bigint FROM {inscriptions}.block WHERE `+outside, bound)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	g := page.Segment{OrderedList: page.OrderedList{RankedList: *genesisList("all", "true"), Descending: q.sorting.descending}, N: n}
	g.Before, _ = before.First()
	return q.readSegments(ctx, g)
}

// matchPage is the ids of the inscriptions of a page, and the number of inscriptions on all pages.
type matchPage struct {
	total int64
	ids   []string
}

func matchPageColumns(p *matchPage) []any { return []any{&p.total, &p.ids} }

// sort counts and sorts the inscriptions that pass all filters, among the candidates of one access path. OFFSET 0 keeps
// Postgres from using the other filters to find candidates.
func (q *search) sort(ctx context.Context, m *selectivity, by access) ([]inscriptionRow, int64, error) {
	if by == bySatRange && len(m.filters) == 1 && q.sorting.by != byRarity {
		return q.sortSats(ctx)
	}
	const columns = `c.id, c.number, c.sat, c.height, c.tx_index, c.genesis_address, c.mime_type, c.rarity, c.recursive`
	candidates, passes := `SELECT `+columns+` FROM {inscriptions}.inscription c WHERE `+string(by)+` OFFSET 0`, passes
	switch by {
	case byAddresses:
		candidates = `SELECT ` + columns + ` FROM (SELECT id FROM {inscriptions}.owner WHERE address = ANY ($11::text[]) OFFSET 0) o
			CROSS JOIN LATERAL (SELECT ` + columns + ` FROM {inscriptions}.inscription c WHERE c.id = o.id LIMIT 1) c`
		passes = strings.Replace(passes, owned, "true", 1)
	case byTime:
		candidates = `SELECT ` + columns + ` FROM (SELECT height FROM {inscriptions}.block WHERE time >= $17 AND time <= $18 OFFSET 0) b
			CROSS JOIN LATERAL (SELECT ` + columns + ` FROM {inscriptions}.inscription c WHERE c.height = b.height OFFSET 0) c`
	}
	return q.readMatches(ctx, `
SELECT {}, m.total, m.ids
FROM (
	WITH c AS MATERIALIZED (
		SELECT c.id, c.number, c.sat, c.height, c.tx_index, c.rarity FROM (`+candidates+`) c WHERE `+passes+`
	)
	SELECT (SELECT count(*) FROM c) AS total, ARRAY(SELECT c.id FROM c ORDER BY `+q.sorting.sql()+`, c.id OFFSET $19::bigint LIMIT $20::bigint) AS ids
) m`, append(q.filter.args(m), q.offset, int64(q.limit))...)
}

// sortSats counts and sorts the inscriptions on a range of sats. It reads only an index of owners, which has all the
// columns in the order of sats.
func (q *search) sortSats(ctx context.Context) ([]inscriptionRow, int64, error) {
	return q.readMatches(ctx, `
SELECT {}, m.total, m.ids
FROM (
	WITH c AS MATERIALIZED (
		SELECT id, number, sat, height, tx_index FROM {inscriptions}.owner WHERE sat >= $1 AND sat <= $2
	)
	SELECT (SELECT count(*) FROM c) AS total, ARRAY(SELECT c.id FROM c ORDER BY `+q.sorting.sql()+`, c.id OFFSET $3::bigint LIMIT $4::bigint) AS ids
) m`, q.filter.sat.from, q.filter.sat.to, q.offset, int64(q.limit))
}

// walks reports whether a walk to the end of the page reads fewer inscriptions than one filter lets pass, assuming that
// these are spread evenly. A range of numbers is not: numbers grow with the height, so that the walk first skips all
// inscriptions beyond the range. It skips them cheaply, since the index of the order includes the number.
func (q *search) walks(m *selectivity, one measure) bool {
	passed := (float64(q.offset) + float64(q.limit)) * float64(m.all) / float64(one.n)
	if one.access == byNumberRange && q.sorting.by == byGenesis {
		beyond := m.numberFrom
		if q.sorting.descending {
			beyond = m.all - m.numberTo
		}
		passed += float64(beyond) / skipShare
	}
	return passed < float64(one.n)
}

// walk reads all inscriptions in the order of the page, up to the end of the page. CASE keeps Postgres from looking for
// matches in another order. For a page near the beginning, LIMIT keeps it from sorting all matches; the limit is a
// power of two, which makes for few distinct queries and reads at most twice as many matches as the page needs.
func (q *search) walk(ctx context.Context, m *selectivity) ([]inscriptionRow, error) {
	near := ""
	if end := q.offset + int64(q.limit); end <= page.BoundedMax {
		near = ` LIMIT ` + strconv.Itoa(1<<bits.Len64(uint64(end-1)))
	}
	rows, _, err := q.readMatches(ctx, `
SELECT {}, 0::bigint, ARRAY(
	SELECT c.id FROM (
		SELECT c.id, c.height, c.tx_index, c.number, c.sat FROM {inscriptions}.inscription c
		WHERE c.number >= $7 AND c.number <= $8 AND CASE WHEN `+passes+` THEN true END
		ORDER BY `+q.sorting.sql()+near+`
	) c
	ORDER BY `+q.sorting.sql()+` OFFSET $19::bigint LIMIT $20::bigint
)`, append(q.filter.args(m), q.offset, int64(q.limit))...)
	return rows, err
}

// merges reports whether it is cheaper to read the lists of some values up to the end of the page than to read them
// whole.
func (q *search) merges(n int64, values []string) bool {
	return int64(len(values))*(q.offset+int64(q.limit)) < n
}

// merge reads the list of each value of a column up to the end of the page, and merges them.
func (q *search) merge(ctx context.Context, table, column string, values []string) ([]inscriptionRow, error) {
	rows, _, err := q.readMatches(ctx, strings.NewReplacer("{table}", table, "{column}", column, "{order}", q.sorting.sql()).Replace(`
SELECT {}, 0::bigint, ARRAY(
	SELECT c.id FROM unnest($1::text[]) AS v (value)
	CROSS JOIN LATERAL (
		SELECT c.id, c.height, c.tx_index, c.number FROM {inscriptions}.{table} c
		WHERE c.{column} = v.value COLLATE "C" ORDER BY {order} LIMIT $2::bigint + $3::bigint
	) c
	ORDER BY {order} OFFSET $2 LIMIT $3
)`), values, q.offset, int64(q.limit))
	return rows, err
}

// readMatches reads the inscriptions of the matchPage that a query selects.
func (q *search) readMatches(ctx context.Context, sql string, args ...any) ([]inscriptionRow, int64, error) {
	b := q.snapshot.Batch()
	one := engine.Query(b, matchPageColumns, sql, args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	page, _ := one.First()
	if len(page.ids) == 0 {
		return nil, page.total, nil
	}
	b = q.snapshot.Batch()
	filled := engine.Query(b, inscriptionColumns, inscriptionSQL(`SELECT a.id COLLATE "C" AS id, a.place FROM unnest($1::text[]) WITH ORDINALITY AS a (id, place)`, "p.place"), page.ids)
	err := b.Run(ctx)
	return filled.Rows, page.total, err
}
