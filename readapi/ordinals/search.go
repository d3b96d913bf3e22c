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

// access is a way to what a filter lets pass: which index is read. Its text is a condition on inscriptions c, with the
// arguments of passes.
type access string

// The ways.
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

// owned is whether an inscription c belongs to one of the addresses that are asked for.
const owned = `($11::text[] IS NULL OR EXISTS (
		SELECT FROM {inscriptions}.owner o WHERE o.sat = c.sat AND o.number = c.number AND o.id = c.id AND o.address = ANY ($11)))`

// passes is whether an inscription c passes all filters. Those that are not given are null, or have no bounds, so that the
// text is always the same.
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

// args are the arguments of passes.
func (f *filter) args(m *measured) []any {
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
	// sortMax is up to how many matches are read and sorted without looking for another way.
	sortMax = 10_000
	// skipShare says how much cheaper it is to pass an inscription in the index than to read and sort one: so many times.
	skipShare = 8
)

// readFiltered reads a page of what no single list has. With several filters, the one that lets the fewest pass leads to
// candidates, and those that pass the others are counted and sorted; with one, the count is known.
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
		return q.readOne(ctx, m, least)
	}
	return q.sort(ctx, m, least.access)
}

// readOne reads a page of the many inscriptions that one filter lets pass.
func (q *search) readOne(ctx context.Context, m *measured, one measure) (rows []inscriptionRow, total int64, err error) {
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

// satsEnd is beyond all sats.
const satsEnd = 1 << 51

// readHeights reads those of a range of heights, as a part of all.
func (q *search) readHeights(ctx context.Context, m *measured, n int64) ([]inscriptionRow, error) {
	outside, bound := `height < $1`, m.height.from
	if q.sorting.descending {
		outside, bound = `height > $1`, m.height.to
	}
	b := q.snapshot.Batch()
	before := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], coalesce(sum(reveals), 0)::bigint FROM {inscriptions}.block WHERE `+outside, bound)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	g := page.Segment{OrderedList: page.OrderedList{RankedList: *genesisList("all", "true"), Descending: q.sorting.descending}, N: n}
	g.Before, _ = before.First()
	return q.readSegments(ctx, g)
}

// found is which inscriptions a page has, and how many there are on all pages.
type found struct {
	total int64
	ids   []string
}

func foundColumnsOf(f *found) []any { return []any{&f.total, &f.ids} }

// sort counts and sorts what passes all filters among the candidates of one of them. What keeps the others out of the
// look for candidates is OFFSET.
func (q *search) sort(ctx context.Context, m *measured, by access) ([]inscriptionRow, int64, error) {
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
	return q.readFound(ctx, `
SELECT ARRAY[]::bigint[], m.total, m.ids
FROM (
	WITH c AS MATERIALIZED (
		SELECT c.id, c.number, c.sat, c.height, c.tx_index, c.rarity FROM (`+candidates+`) c WHERE `+passes+`
	)
	SELECT (SELECT count(*) FROM c) AS total, ARRAY(SELECT c.id FROM c ORDER BY `+q.sorting.sql()+`, c.id OFFSET $19::bigint LIMIT $20::bigint) AS ids
) m`, append(q.filter.args(m), q.offset, int64(q.limit))...)
}

// sortSats counts and sorts what is on a range of sats. An index of owners has all that it takes, in the order of sats.
func (q *search) sortSats(ctx context.Context) ([]inscriptionRow, int64, error) {
	return q.readFound(ctx, `
SELECT ARRAY[]::bigint[], m.total, m.ids
FROM (
	WITH c AS MATERIALIZED (
		SELECT id, number, sat, height, tx_index FROM {inscriptions}.owner WHERE sat >= $1 AND sat <= $2
	)
	SELECT (SELECT count(*) FROM c) AS total, ARRAY(SELECT c.id FROM c ORDER BY `+q.sorting.sql()+`, c.id OFFSET $3::bigint LIMIT $4::bigint) AS ids
) m`, q.filter.sat.from, q.filter.sat.to, q.offset, int64(q.limit))
}

// walks says whether fewer inscriptions are passed on the way to the page than one filter lets pass, if these are spread
// evenly. Numbers are not: they grow with the height, so that those beyond a range come before it. Indexes of orders have
// the number, so that these are passed without a look at them.
func (q *search) walks(m *measured, one measure) bool {
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

// walk goes through all inscriptions in the order of the page until it has found the page. CASE keeps Postgres from looking
// for matches in another order, and LIMIT, where the page is that near, from sorting all of them. It is a power of two, so that there are
// few such queries, and no more than twice what the page needs is looked for.
func (q *search) walk(ctx context.Context, m *measured) ([]inscriptionRow, error) {
	near := ""
	if end := q.offset + int64(q.limit); end <= page.BoundedMax {
		near = ` LIMIT ` + strconv.Itoa(1<<bits.Len64(uint64(end-1)))
	}
	rows, _, err := q.readFound(ctx, `
SELECT ARRAY[]::bigint[], 0::bigint, ARRAY(
	SELECT c.id FROM (
		SELECT c.id, c.height, c.tx_index, c.number, c.sat FROM {inscriptions}.inscription c
		WHERE c.number >= $7 AND c.number <= $8 AND CASE WHEN `+passes+` THEN true END
		ORDER BY `+q.sorting.sql()+near+`
	) c
	ORDER BY `+q.sorting.sql()+` OFFSET $19::bigint LIMIT $20::bigint
)`, append(q.filter.args(m), q.offset, int64(q.limit))...)
	return rows, err
}

// merges says whether it is cheaper to read the beginnings of the lists of some values than all of them.
func (q *search) merges(n int64, values []string) bool {
	return int64(len(values))*(q.offset+int64(q.limit)) < n
}

// merge reads so much of the list of each value of a column as the page may need.
func (q *search) merge(ctx context.Context, table, column string, values []string) ([]inscriptionRow, error) {
	rows, _, err := q.readFound(ctx, strings.NewReplacer("{table}", table, "{column}", column, "{order}", q.sorting.sql()).Replace(`
SELECT ARRAY[]::bigint[], 0::bigint, ARRAY(
	SELECT c.id FROM unnest($1::text[]) AS v (value)
	CROSS JOIN LATERAL (
		SELECT c.id, c.height, c.tx_index, c.number FROM {inscriptions}.{table} c
		WHERE c.{column} = v.value COLLATE "C" ORDER BY {order} LIMIT $2::bigint + $3::bigint
	) c
	ORDER BY {order} OFFSET $2 LIMIT $3
)`), values, q.offset, int64(q.limit))
	return rows, err
}

// readFound reads the inscriptions that a query finds.
func (q *search) readFound(ctx context.Context, sql string, args ...any) ([]inscriptionRow, int64, error) {
	b := q.snapshot.Batch()
	one := engine.Query(b, foundColumnsOf, sql, args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	page, _ := one.First()
	if len(page.ids) == 0 {
		return nil, page.total, nil
	}
	b = q.snapshot.Batch()
	filled := engine.Query(b, inscriptionColumns, inscriptionSQL(`SELECT a.id COLLATE "C" AS id, a.place FROM unnest($1::text[]) WITH ORDINALITY AS a (id, place)`, "p.place"), page.ids)
	err := b.RunLast(ctx)
	return filled.Rows, page.total, err
}
