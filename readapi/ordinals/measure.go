package ordinals

import (
	"context"
	"math"
	"strconv"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
)

// measure is how many inscriptions one of the filters lets pass.
type measure struct {
	access access
	n      int64
	// exact is false when there may be fewer.
	exact bool
}

// measured are the filters of a request with what each lets pass.
type measured struct {
	filters []measure
	all     int64 // inscriptions that there are
	// what has been looked up for filters.
	sats    []int64 // of an output; nil for no such filter
	heights []int64 // of the blocks with a hash; nil for no such filter
	height  bounds  // with a time that comes to heights
	time    bounds
	// ranks of the bounds of a range of numbers: how many come before it, and how many before its end.
	numberFrom, numberTo int64
}

// count is how many filters there are. Two bounds of one thing are one.
func (f *filter) count() (n int) {
	for _, given := range []bool{
		f.ids != nil, f.addresses != nil, f.genesisAddresses != nil, f.mimeTypes != nil, f.numbers != nil, f.rarities != nil, f.recursive != nil,
		f.cursed != nil, f.genesisHash != nil, f.output != nil, f.height != unbounded, f.number != unbounded, f.sat != unbounded, f.time != unbounded,
	} {
		n += boolToInt(given)
	}
	return n
}

// listNames are the lists that have what some values of a filter let pass.
func listNames(prefix string, values []string) []string {
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = prefix + value
	}
	return names
}

// timed is what the blocks of a range of times come to.
type timed struct {
	reveals, blocks, between int64 // between: blocks from the lowest to the highest
	from, to                 *int64
}

// outputSats are the sats in an output, and how many inscriptions are on them.
type outputSats struct {
	sats []int64
	n    int64
}

// measure looks up what each filter lets pass, in one round trip.
func (q *search) measure(ctx context.Context) (*measured, error) {
	f, b := q.filter, q.snapshot.Batch()
	m := &measured{height: f.height, time: f.time}
	add := func(a access, n int64, exact bool) { m.filters = append(m.filters, measure{a, n, exact}) }
	var later []func()
	all := page.QueryLengths(b, ordinal.Inscribed, "all")
	later = append(later, func() { m.all = all()[0] })
	lists := func(a access, names ...string) {
		lengths := page.QueryLengths(b, ordinal.Inscribed, names...)
		later = append(later, func() {
			sum := int64(0)
			for _, n := range lengths() {
				sum += n
			}
			add(a, sum, true)
		})
	}
	if f.ids != nil {
		add(byIDs, int64(len(f.ids)), false)
	}
	if f.numbers != nil {
		add(byNumbers, int64(len(f.numbers)), false)
	}
	if f.addresses != nil {
		lists(byAddresses, listNames("address:", f.addresses)...)
	}
	if f.genesisAddresses != nil {
		lists(byGenesisAddresses, listNames("genesis_address:", f.genesisAddresses)...)
	}
	if f.mimeTypes != nil {
		lists(byMimeTypes, listNames("mime:", f.mimeTypes)...)
	}
	if f.rarities != nil {
		names := make([]string, len(f.rarities))
		for i, r := range f.rarities {
			names[i] = "rarity:" + strconv.Itoa(int(r))
		}
		if contains(f.rarities, 0) {
			lists(byAll, names...)
		} else {
			lists(byRarities, names...)
		}
	}
	switch {
	case f.recursive != nil && *f.recursive:
		lists(byRecursive, "recursive")
	case f.recursive != nil:
		lists(byAll, "not_recursive")
	}
	switch {
	case f.cursed != nil && *f.cursed:
		lists(byCursed, "cursed")
	case f.cursed != nil:
		lists(byAll, "not_cursed")
	}
	if f.output != nil {
		tx, vout, _ := f.output.output()
		found := engine.Query(b, func(o *outputSats) []any { return []any{&o.sats, &o.n} }, `
			SELECT ARRAY[]::bigint[], coalesce(array_agg(sat), ARRAY[]::bigint[]), coalesce(sum(inscriptions), 0)::bigint
			FROM {inscriptions}.satoshi WHERE output_txid = $1 AND vout = $2 AND inscriptions > 0`, tx, vout)
		later = append(later, func() {
			o, _ := found.First()
			m.sats = o.sats
			add(bySats, o.n, true)
		})
	}
	if f.genesisHash != nil {
		found := engine.Query(b, func(o *outputSats) []any { return []any{&o.sats, &o.n} }, `
			SELECT ARRAY[]::bigint[], coalesce(array_agg(height), ARRAY[]::bigint[]), coalesce(sum(reveals), 0)::bigint
			FROM {inscriptions}.block WHERE block_hash = $1`, *f.genesisHash)
		later = append(later, func() {
			o, _ := found.First()
			m.heights = o.sats
			add(byHeights, o.n, true)
		})
	}
	if f.height != unbounded {
		found := engine.Query(b, func(n *int64) []any { return []any{n} }, `
			SELECT ARRAY[]::bigint[], coalesce(sum(reveals), 0)::bigint FROM {inscriptions}.block WHERE height >= $1 AND height <= $2`, f.height.from, f.height.to)
		later = append(later, func() {
			n, _ := found.First()
			add(byHeight, n, true)
		})
	}
	if f.time != unbounded {
		found := engine.Query(b, func(t *timed) []any { return []any{&t.reveals, &t.blocks, &t.between, &t.from, &t.to} }, `
			SELECT ARRAY[]::bigint[], t.reveals, t.blocks,
			       (SELECT count(*) FROM {inscriptions}.block WHERE height >= t.lowest AND height <= t.highest), t.lowest, t.highest
			FROM (
				SELECT coalesce(sum(reveals), 0)::bigint AS reveals, count(*) AS blocks, min(height) AS lowest, max(height) AS highest
				FROM {inscriptions}.block WHERE time >= $1 AND time <= $2
			) t`, f.time.from, f.time.to)
		later = append(later, func() {
			t, _ := found.First()
			m.addTime(&t)
		})
	}
	if f.number != unbounded {
		count := queryRange(b, numberList(), f.number)
		later = append(later, func() {
			m.numberFrom, m.numberTo = count(m.all)
			add(byNumberRange, max(m.numberTo-m.numberFrom, 0), true)
		})
	}
	if f.sat != unbounded {
		count := queryRange(b, satList(), f.sat)
		later = append(later, func() {
			from, to := count(m.all)
			add(bySatRange, max(to-from, 0), true)
		})
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, do := range later {
		do()
	}
	return m, nil
}

// addTime adds a range of times. Where its blocks are all those between two heights, it is one of heights.
func (m *measured) addTime(t *timed) {
	if t.blocks == 0 || t.blocks != t.between {
		m.filters = append(m.filters, measure{byTime, t.reveals, true})
		return
	}
	m.filters = append(m.filters, measure{byHeight, t.reveals, true})
	m.height.atLeast(*t.from)
	m.height.atMost(*t.to)
	m.time = unbounded
}

// queryRange adds queries for the ranks of the ends of a range of keys of a list, which has all inscriptions: how many come
// before it, and how many before what comes after it.
func queryRange(b *engine.Batch, l page.RankedList, keys bounds) func(all int64) (from, to int64) {
	var below, through *engine.Result[int64]
	if keys.from != math.MinInt64 {
		below = l.QueryRank(b, keys.from)
	}
	if keys.to != math.MaxInt64 {
		through = l.QueryRank(b, keys.to+1)
	}
	return func(all int64) (from, to int64) {
		to = all
		if below != nil {
			from, _ = below.First()
		}
		if through != nil {
			to, _ = through.First()
		}
		return from, to
	}
}
