package ordinals

import (
	"context"
	"math"
	"strconv"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
)

// measure is the number of inscriptions that one filter lets pass.
type measure struct {
	access access
	n      int64
	// exact is false when n is only an upper bound.
	exact bool
}

// selectivity holds the measure of each filter of a request, and what was looked up to apply the filters.
type selectivity struct {
	filters []measure
	all     int64   // number of all inscriptions
	sats    []int64 // sats in the output of the filter; nil without that filter
	heights []int64 // heights of the blocks with the hash of the filter; nil without that filter
	height  bounds  // range of heights, narrowed by a range of times that equals one
	time    bounds  // range of times; unbounded once it has narrowed height
	// ranks of the ends of a range of numbers: the inscriptions before the range, and those up to its end.
	numberFrom, numberTo int64
}

// count returns the number of filters. Two bounds of one column are one filter.
func (f *filter) count() (n int) {
	for _, given := range []bool{
		f.ids != nil, f.addresses != nil, f.genesisAddresses != nil, f.mimeTypes != nil, f.numbers != nil, f.rarities != nil, f.recursive != nil,
		f.cursed != nil, f.genesisHash != nil, f.output != nil, f.height != unbounded, f.number != unbounded, f.sat != unbounded, f.time != unbounded,
	} {
		n += boolToInt(given)
	}
	return n
}

// listNames returns the names of the lists of the values of a filter.
func listNames(prefix string, values []string) []string {
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = prefix + value
	}
	return names
}

// timeSummary summarises the blocks in a range of times.
type timeSummary struct {
	reveals, blocks int64
	between         int64  // blocks from the lowest to the highest height, whatever their times
	from, to        *int64 // lowest and highest height
}

// outputSats is the sats in an output, and the number of inscriptions on them.
type outputSats struct {
	sats []int64
	n    int64
}

// measure looks up, in one round trip, how many inscriptions each filter lets pass.
func (q *search) measure(ctx context.Context) (*selectivity, error) {
	f, b := q.filter, q.snapshot.Batch()
	m := &selectivity{height: f.height, time: f.time}
	add := func(a access, n int64, exact bool) { m.filters = append(m.filters, measure{a, n, exact}) }
	var evaluations []func() // run once the batch has results
	all := page.QueryLengths(b, ordinal.Inscribed, "all")
	evaluations = append(evaluations, func() { m.all = all()[0] })
	lists := func(a access, names ...string) {
		lengths := page.QueryLengths(b, ordinal.Inscribed, names...)
		evaluations = append(evaluations, func() {
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
			SELECT {}, coalesce(array_agg(sat), ARRAY[]::bigint[]), coalesce(sum(inscriptions), 0)::bigint
			FROM {inscriptions}.satoshi WHERE output_txid = $1 AND vout = $2 AND inscriptions > 0`, tx, vout)
		evaluations = append(evaluations, func() {
			o, _ := found.First()
			m.sats = o.sats
			add(bySats, o.n, true)
		})
	}
	if f.genesisHash != nil {
		found := engine.Query(b, func(o *outputSats) []any { return []any{&o.sats, &o.n} }, `
			SELECT {}, coalesce(array_agg(height), ARRAY[]::bigint[]), coalesce(sum(reveals), 0)::bigint
			FROM {inscriptions}.block WHERE block_hash = $1`, *f.genesisHash)
		evaluations = append(evaluations, func() {
			o, _ := found.First()
			m.heights = o.sats
			add(byHeights, o.n, true)
		})
	}
	if f.height != unbounded {
		found := engine.Query(b, func(n *int64) []any { return []any{n} }, `
			SELECT {}, coalesce(sum(reveals), 0)::bigint FROM {inscriptions}.block WHERE height >= $1 AND height <= $2`, f.height.from, f.height.to)
		evaluations = append(evaluations, func() {
			n, _ := found.First()
			add(byHeight, n, true)
		})
	}
	if f.time != unbounded {
		found := engine.Query(b, func(t *timeSummary) []any { return []any{&t.reveals, &t.blocks, &t.between, &t.from, &t.to} }, `
			SELECT {}, t.reveals, t.blocks,
			       (SELECT count(*) FROM {inscriptions}.block WHERE height >= t.lowest AND height <= t.highest), t.lowest, t.highest
			FROM (
				SELECT coalesce(sum(reveals), 0)::bigint AS reveals, count(*) AS blocks, min(height) AS lowest, max(height) AS highest
				FROM {inscriptions}.block WHERE time >= $1 AND time <= $2
			) t`, f.time.from, f.time.to)
		evaluations = append(evaluations, func() {
			t, _ := found.First()
			m.addTime(&t)
		})
	}
	if f.number != unbounded {
		count := queryRange(b, numberList(), f.number)
		evaluations = append(evaluations, func() {
			m.numberFrom, m.numberTo = count(m.all)
			add(byNumberRange, max(m.numberTo-m.numberFrom, 0), true)
		})
	}
	if f.sat != unbounded {
		count := queryRange(b, satList(), f.sat)
		evaluations = append(evaluations, func() {
			from, to := count(m.all)
			add(bySatRange, max(to-from, 0), true)
		})
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, evaluate := range evaluations {
		evaluate()
	}
	return m, nil
}

// addTime adds the measure of a range of times. When the blocks of that range are all blocks between two heights, it
// becomes a range of heights.
func (m *selectivity) addTime(t *timeSummary) {
	if t.blocks == 0 || t.blocks != t.between {
		m.filters = append(m.filters, measure{byTime, t.reveals, true})
		return
	}
	m.filters = append(m.filters, measure{byHeight, t.reveals, true})
	m.height.atLeast(*t.from)
	m.height.atMost(*t.to)
	m.time = unbounded
}

// queryRange adds to a batch the queries for the ranks of the ends of a range of keys, in a list of all inscriptions.
// The returned function gives the number of inscriptions before the range, and the number up to its end.
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
