package ordinals

import (
	"math"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/schema"
)

// inscriptionOrder is a sort key of inscriptions, as the parameter order_by names it.
type inscriptionOrder string

// The sort keys of inscriptions.
const (
	byGenesis inscriptionOrder = "genesis_block_height"
	byNumber  inscriptionOrder = "number"
	bySat     inscriptionOrder = "ordinal"
	byRarity  inscriptionOrder = "rarity"
)

// inscriptionsInput filters and sorts the list of inscriptions. An inscription is listed if it matches all filters; it
// matches a filter with several values if it matches any of them.
type inscriptionsInput struct {
	GenesisBlock       blockParameter           `query:"genesis_block"`
	FromHeight         ordinal.HeightParameter  `query:"from_genesis_block_height"`
	ToHeight           ordinal.HeightParameter  `query:"to_genesis_block_height"`
	FromTime           ordinal.IntegerParameter `query:"from_genesis_timestamp" doc:"Seconds since 1970; from 100000000000 on, milliseconds. 0 is no bound."`
	ToTime             ordinal.IntegerParameter `query:"to_genesis_timestamp" doc:"Seconds since 1970; from 100000000000 on, milliseconds. 0 is no bound."`
	FromSat            satParameter             `query:"from_sat_ordinal"`
	ToSat              satParameter             `query:"to_sat_ordinal"`
	FromCoinbaseHeight ordinal.HeightParameter  `query:"from_sat_coinbase_height"`
	ToCoinbaseHeight   ordinal.HeightParameter  `query:"to_sat_coinbase_height"`
	FromNumber         ordinal.IntegerParameter `query:"from_number"`
	ToNumber           ordinal.IntegerParameter `query:"to_number"`
	ID                 inscriptionIDs           `query:"id,explode"`
	Number             inscriptionNumbers       `query:"number,explode"`
	Output             outputParameter          `query:"output"`
	Address            bitcoinAddresses         `query:"address,explode"`
	GenesisAddress     bitcoinAddresses         `query:"genesis_address,explode"`
	MimeType           mimeTypes                `query:"mime_type,explode"`
	Rarity             rarities                 `query:"rarity,explode"`
	Recursive          booleanParameter         `query:"recursive"`
	Cursed             booleanParameter         `query:"cursed" doc:"Whether the number is below zero."`
	OrderBy            orderParameter           `query:"order_by"`
	Order              sortDirection            `query:"order"`
	Offset             int64                    `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
	Limit              int                      `query:"limit" minimum:"1" maximum:"60" doc:"Rows of a page. Default 20, or the number of given ids or numbers if that is larger, up to 60."`
}

// filter is an inscriptionsInput in the terms of the tables. A nil list does not filter; an empty list matches nothing.
type filter struct {
	ids, addresses, genesisAddresses, mimeTypes []string
	numbers                                     []int64
	rarities                                    []int16
	recursive, cursed                           *bool
	genesisHash                                 *hash.Hash32
	output                                      *outputParameter
	height, number, sat, time                   bounds
}

// bounds is a range of numbers, both ends included.
type bounds struct {
	from, to int64
}

var unbounded = bounds{math.MinInt64, math.MaxInt64}

func (b *bounds) atLeast(n int64) { b.from = max(b.from, n) }

func (b *bounds) atMost(n int64) { b.to = min(b.to, n) }

func newFilter(in *inscriptionsInput) *filter {
	f := &filter{
		ids: in.ID.values(), addresses: boundedTexts(in.Address), genesisAddresses: boundedTexts(in.GenesisAddress), mimeTypes: boundedTexts(in.MimeType),
		recursive: in.Recursive.value(), cursed: in.Cursed.value(),
		height: unbounded, number: unbounded, sat: unbounded, time: unbounded,
	}
	if in.Number != nil {
		f.numbers = schema.Distinct(in.Number.values())
	}
	if in.Rarity != nil {
		f.rarities = schema.Distinct(in.Rarity.values())
	}
	if in.Output != "" {
		f.output = &in.Output
	}
	id, height := in.GenesisBlock.block()
	if f.genesisHash = id; height != nil {
		f.height.atLeast(*height)
		f.height.atMost(*height)
	}
	if n, ok := in.FromHeight.Value(); ok {
		f.height.atLeast(n)
	}
	if n, ok := in.ToHeight.Value(); ok {
		f.height.atMost(n)
	}
	if n, ok := in.FromTime.Value(); ok && n != 0 {
		f.time.atLeast(seconds(n, 999))
	}
	if n, ok := in.ToTime.Value(); ok && n != 0 {
		f.time.atMost(seconds(n, 0))
	}
	if sat, ok := in.FromSat.sat(); ok {
		f.sat.atLeast(int64(sat))
	}
	if sat, ok := in.ToSat.sat(); ok {
		f.sat.atMost(int64(sat))
	}
	if n, ok := in.FromCoinbaseHeight.Value(); ok {
		f.sat.atLeast(int64(ordinals.FirstSat(uint64(n))))
	}
	if n, ok := in.ToCoinbaseHeight.Value(); ok {
		f.sat.atMost(int64(ordinals.FirstSat(uint64(n)+1)) - 1)
	}
	if f.sat != unbounded {
		f.sat.atLeast(0) // what is below is the places of unbound inscriptions
	}
	if n, ok := in.FromNumber.Value(); ok {
		f.number.atLeast(n)
	}
	if n, ok := in.ToNumber.Value(); ok {
		f.number.atMost(n)
	}
	return f
}

// firstMillisecond is the first time in a request that counts as milliseconds: as seconds it would be 3,000 years
// ahead.
const firstMillisecond = 100_000_000_000

// seconds converts a time of a request to seconds. It adds up milliseconds before it truncates: 999 rounds up, 0 down.
func seconds(n, up int64) int64 {
	if n < firstMillisecond {
		return n
	}
	return n/1000 + (n%1000+up)/1000
}

// boundedTexts returns the distinct texts, bounded as in the tables and in the names of lists.
func boundedTexts(texts []string) []string {
	if texts == nil {
		return nil
	}
	bounded := make([]string, len(texts))
	for i, text := range texts {
		bounded[i] = ordinals.Bounded(text)
	}
	return schema.Distinct(bounded)
}
