package ordinals

import (
	"context"
	"fmt"
	"math/rand/v2"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
	"strata/projections/inscriptions"
)

// Reads measures reads from large tables of inscriptions: satoshis from memory, pages and filters from the
// tables.
func (b *Bench) Reads(ctx context.Context) {
	w := b.world(ctx)
	hot := b.ServeCaching(ctx, w.url)
	satoshis := make([]string, bench.HotCount)
	for i := range satoshis {
		satoshis[i] = fmt.Sprintf("/ordinals/v1/sats/%d", w.sample(i).Sat)
	}
	b.FromMemory(ctx, hot, "≥ 0.6×", []bench.HotRead{{What: "hot satoshi, one of 299", Targets: satoshis}})
	hot.Stop()
	b.FromTables(ctx, w.url, func(server *bench.Server) {
		memory := bench.WatchMemory(server.Pid())
		b.pages(ctx, server)
		b.filters(ctx, server, w)
		b.Row("  memory of the server meanwhile", memory.Summary(), "", "", "flat, < 300 MiB")
	})
}

// pages compares deep pages of long lists with their first pages.
func (b *Bench) pages(ctx context.Context, server *bench.Server) {
	for _, list := range []struct {
		what, order string
		deep        int // offset
	}{
		{fmt.Sprintf("/inscriptions, %d of them", b.Inscriptions), "", b.Inscriptions / 2},
		{"/inscriptions by number", "order_by=number&", b.Inscriptions / 2},
		{"/inscriptions by ordinal", "order_by=ordinal&", b.Inscriptions / 3},
	} {
		what := fmt.Sprintf("%s, offset %d", list.what, list.deep)
		b.Deep(ctx, server, what, "offset 0", "≤ 1.5×", bench.Variants, 0, list.deep, func(offset, i int) string {
			return fmt.Sprintf("/ordinals/v1/inscriptions?%slimit=20&offset=%d", list.order, offset+i)
		})
	}
}

// filters measures each filter alone, compared with a bare SELECT of a page of an address.
func (b *Bench) filters(ctx context.Context, server *bench.Server, w *world) {
	pool := bench.Selecting(ctx, w.url)
	defer pool.Close()
	selecting := bench.SelectContender(func(random *rand.Rand) error {
		return bench.DecodeRows(ctx, pool, selectHeld, w.sample(random.IntN(bench.Variants)).Address)
	})
	random := func(i int) int { return load.Pick(i, b.Inscriptions) }
	number := func(i int) int { return load.Pick(i, w.last) }
	height := func(i int) int { return w.heights[0] + load.Pick(i, w.heights[1]-w.heights[0]) }
	const bitcoinStart, blockTime = 1_231_006_505, 600
	for _, filter := range []struct {
		what   string
		target func(i int) string
	}{
		{"no filter, any depth", func(i int) string { return fmt.Sprintf("offset=%d", random(i)) }},
		{"address", func(i int) string { return "address=" + w.sample(i).Address }},
		{"address, any depth", func(i int) string { return fmt.Sprintf("address=%s&offset=%d", w.sample(i).Address, random(i)/250) }},
		{"genesis_address", func(i int) string { return "genesis_address=" + w.sample(i).Address }},
		{"mime_type, any depth", func(i int) string { return fmt.Sprintf("mime_type=text/plain&offset=%d", random(i)/4) }},
		{"rarity", func(i int) string { return fmt.Sprintf("rarity=uncommon&offset=%d", random(i)/200) }},
		{"rarity=common", func(i int) string { return fmt.Sprintf("rarity=common&offset=%d", random(i)) }},
		{"recursive", func(i int) string { return fmt.Sprintf("recursive=true&offset=%d", random(i)/10) }},
		{"recursive=false", func(i int) string { return fmt.Sprintf("recursive=false&offset=%d", random(i)) }},
		{"cursed", func(i int) string { return fmt.Sprintf("cursed=true&offset=%d", random(i)/50) }},
		{"cursed=false", func(i int) string { return fmt.Sprintf("cursed=false&offset=%d", random(i)) }},
		{"genesis_block", func(i int) string { return fmt.Sprintf("genesis_block=%d", height(i)) }},
		{"from_genesis_block_height", func(i int) string { return fmt.Sprintf("from_genesis_block_height=%d&offset=%d", height(i), i) }},
		{"from_genesis_timestamp", func(i int) string {
			return fmt.Sprintf("from_genesis_timestamp=%d&offset=%d", bitcoinStart+blockTime*height(i), i)
		}},
		{"output", func(i int) string { return "output=" + w.sample(i).TxID + ":0" }},
		{"id", func(i int) string { return "id=" + w.sample(i).ID }},
		{"number", func(i int) string { return fmt.Sprintf("number=%d", number(i)) }},
		{"from_number and to_number, 1,000 apart", func(i int) string { return fmt.Sprintf("from_number=%d&to_number=%d", number(i), number(i)+999) }},
		{"from_number", func(i int) string { return fmt.Sprintf("from_number=%d", number(i)) }},
		{"from_sat_ordinal and to_sat_ordinal, 0.1 % of all", func(i int) string {
			from := load.Pick(i, 999) * 1_000_000_000_000
			return fmt.Sprintf("from_sat_ordinal=%d&to_sat_ordinal=%d", from, from+999_999_999_999)
		}},
		{"from_sat_ordinal", func(i int) string { return fmt.Sprintf("from_sat_ordinal=%d", load.Pick(i, 999)*1_000_000_000_000) }},
	} {
		strata := server.Contender(ctx, load.Numbered(bench.Variants, func(i int) string { return "/ordinals/v1/inscriptions?" + filter.target(i) }))
		b.CompareLatencies([]int{1, 16}, "cold /inscriptions, "+filter.what, "bare SELECT of an address", "p99 < 20 ms", selecting, strata)
	}
}

// selectHeld reads the newest inscriptions of an address with everything that an answer contains, and their number.
var selectHeld = inscriptions.Spec().SQL(`
	SELECT (SELECT n FROM {schema}.list WHERE name = 'address:' || $1),
	       i.id, i.number, i.sat, i.height, i.content_length, i.fee, i.charms, i.rarity, i.recursive, i.content_type, i.genesis_address, l.address,
	       g.block_hash, g.time, b.time, l.txid, l.output_txid, l.vout, l.value, l.sat_offset
	FROM (SELECT id FROM {schema}.owner WHERE address = $1 ORDER BY height DESC, tx_index DESC, number DESC LIMIT 20) o
	JOIN {schema}.inscription i USING (id)
	JOIN {schema}.block g ON g.height = i.height
	JOIN {schema}.satoshi s ON s.sat = i.sat
	JOIN {schema}.location l ON (l.sat, l.height, l.tx_index) = (s.sat, s.height, s.tx_index)
	JOIN {schema}.block b ON b.height = l.height
	ORDER BY i.height DESC, i.tx_index DESC, i.number DESC`)
