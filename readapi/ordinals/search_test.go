package ordinals_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"testing"

	domain "strata/domain/ordinals"
	"strata/rig/apitest"
)

// crowd are more inscriptions than are sorted on request: long lists, with parts, of every kind.
func crowd(random *rand.Rand) (blocks []apitest.Fields) {
	const heights, perBlock = 26, 1000
	mimeTypesOf := []string{"text/plain", "text/plain;charset=utf-8", "text/plain", "image/png", "image/svg+xml"}
	n, cursed := 0, 0
	for h := range heights {
		var transactions []apitest.FeedTransaction
		for i := range perBlock {
			tx := fmt.Sprintf("%064x", 1<<40+n)
			number := n - cursed
			if random.IntN(50) == 0 {
				cursed++
				number = -cursed
			}
			var ordinal int
			switch random.IntN(20) {
			case 0, 1:
				ordinal = 0 // unbound
			case 2, 3:
				ordinal = apitest.Sat // more than a part of one list
			case 4:
				ordinal = 5_000_000_000 * (1 + random.IntN(100_000)) // uncommon
			case 5:
				ordinal = 5_000_000_000 * 2016 * (1 + random.IntN(50)) // rare
			default:
				ordinal = 1_000_000_000_000 + random.IntN(20_000)
			}
			address := apitest.Ad1
			if random.IntN(2) == 0 {
				address = fmt.Sprintf("bc1q%d", random.IntN(12))
			}
			content := apitest.HelloHex
			if random.IntN(20) == 0 {
				content = hexOf("/content/" + idA)
			}
			transactions = append(transactions, apitest.InTx(tx, apitest.RevealOf(tx, number, ordinal, apitest.Fields{
				"tx_index": i/2 + 1, "content_type": mimeTypesOf[random.IntN(len(mimeTypesOf))], "inscriber_address": address, "content_bytes": content,
			})))
			n++
		}
		// Neighbours are not always in the order of their times.
		blocks = append(blocks, apitest.FeedBlock(780_000+3*h, fmt.Sprintf("%064x", 1<<30+h), 1_680_000_000+600*h+(h%4)*700, transactions...))
	}
	return blocks
}

// orders compare inscriptions; up is 1 for asc and -1 for desc.
var orders = map[string]func(a, b *apitest.Known, up int) int{
	"genesis_block_height": func(a, b *apitest.Known, up int) int {
		return up * cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.TxIndex, b.TxIndex), cmp.Compare(a.Number, b.Number))
	},
	"number": func(a, b *apitest.Known, up int) int { return up * cmp.Compare(a.Number, b.Number) },
	"ordinal": func(a, b *apitest.Known, up int) int {
		return cmp.Or(up*cmp.Compare(a.Sat, b.Sat), cmp.Compare(b.Number, a.Number))
	},
	"rarity": func(a, b *apitest.Known, up int) int {
		return cmp.Or(up*cmp.Compare(a.Rarity, b.Rarity), cmp.Compare(b.Number, a.Number))
	},
}

// wish is a filter and what it lets pass.
type wish struct {
	query  string
	passes func(k *apitest.Known) bool
}

func someWish(random *rand.Rand, all []apitest.Known) wish {
	k := &all[random.IntN(len(all))]
	one := func(name, value string, passes func(k *apitest.Known) bool) wish {
		return wish{"&" + name + "=" + url.QueryEscape(value), passes}
	}
	between := func(from, to string, of func(k *apitest.Known) int64) wish {
		low, high := of(k), of(&all[random.IntN(len(all))])
		if low > high {
			low, high = high, low
		}
		switch random.IntN(3) {
		case 0:
			return one(from, strconv.FormatInt(low, 10), func(k *apitest.Known) bool { return of(k) >= low })
		case 1:
			return one(to, strconv.FormatInt(high, 10), func(k *apitest.Known) bool { return of(k) <= high })
		}
		return wish{fmt.Sprintf("&%s=%d&%s=%d", from, low, to, high), func(k *apitest.Known) bool { return of(k) >= low && of(k) <= high }}
	}
	several := func(name string, of func(k *apitest.Known) string) wish {
		values, query := []string{}, ""
		for range 1 + random.IntN(3) {
			value := of(&all[random.IntN(len(all))])
			values, query = append(values, value), query+"&"+name+"="+url.QueryEscape(value)
		}
		return wish{query, func(k *apitest.Known) bool { return slices.Contains(values, of(k)) }}
	}
	switch random.IntN(14) {
	case 0:
		return several("address", func(k *apitest.Known) string { return k.Address })
	case 1:
		return several("genesis_address", func(k *apitest.Known) string { return k.GenesisAddress })
	case 2:
		return several("mime_type", func(k *apitest.Known) string { return k.MimeType })
	case 3:
		return several("rarity", func(k *apitest.Known) string { return k.Rarity.String() })
	case 4:
		want := random.IntN(2) == 0
		return one("recursive", strconv.FormatBool(want), func(k *apitest.Known) bool { return k.Recursive == want })
	case 5:
		want := random.IntN(2) == 0
		return one("cursed", strconv.FormatBool(want), func(k *apitest.Known) bool { return (k.Number < 0) == want })
	case 6:
		return between("from_number", "to_number", func(k *apitest.Known) int64 { return k.Number })
	case 7:
		return between("from_sat_ordinal", "to_sat_ordinal", func(k *apitest.Known) int64 { return k.Sat })
	case 8:
		return between("from_sat_coinbase_height", "to_sat_coinbase_height", func(k *apitest.Known) int64 { return int64(domain.Sat(k.Sat).CoinbaseHeight()) })
	case 9:
		return between("from_genesis_block_height", "to_genesis_block_height", func(k *apitest.Known) int64 { return k.Height })
	case 10:
		return between("from_genesis_timestamp", "to_genesis_timestamp", func(k *apitest.Known) int64 { return k.Time })
	case 11:
		return one("genesis_block", strconv.FormatInt(k.Height, 10), func(o *apitest.Known) bool { return o.Height == k.Height })
	case 12:
		return several("id", func(k *apitest.Known) string { return k.ID })
	default:
		return several("number", func(k *apitest.Known) string { return strconv.FormatInt(k.Number, 10) })
	}
}

// Every filter in every order, alone and with others, at every depth: pages are those of a list that is filtered and
// sorted as a whole, whichever way they are read. So they are where lists, parts of lists and all the other ways apply.
func TestInscriptionsSearch(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	s := apitest.NewOrdinalsSite(t)
	for blocks := range slices.Chunk(crowd(random), 4) {
		s.Apply(blocks...)
	}
	s.Exec(`ANALYZE`)
	all := s.Learn()
	if len(all) != 26_000 {
		t.Fatalf("got %d inscriptions", len(all))
	}
	names := []string{"genesis_block_height", "number", "ordinal", "rarity"}
	for turn := range 60 {
		var wishes []wish
		switch random.IntN(6) {
		case 0: // none
		case 1:
			wishes = append(wishes, someWish(random, all), someWish(random, all))
		default:
			wishes = append(wishes, someWish(random, all))
		}
		order, up, direction := names[random.IntN(4)], 1, "asc"
		if random.IntN(2) == 0 {
			up, direction = -1, "desc"
		}
		query := "/inscriptions?order_by=" + order + "&order=" + direction
		matching := []*apitest.Known{}
		if len(wishes) == 2 && wishes[0].query[:5] == wishes[1].query[:5] {
			wishes = wishes[:1] // one filter twice means something else
		}
		for _, w := range wishes {
			query += w.query
		}
		for i := range all {
			if !slices.ContainsFunc(wishes, func(w wish) bool { return !w.passes(&all[i]) }) {
				matching = append(matching, &all[i])
			}
		}
		slices.SortFunc(matching, func(a, b *apitest.Known) int { return orders[order](a, b, up) })
		limit := 1 + random.IntN(60)
		for _, offset := range []int{0, 1000, random.IntN(len(matching) + 1), len(matching) - min(len(matching), limit/2), len(matching)} {
			want := []any{}
			for _, k := range matching[min(offset, len(matching)):min(offset+limit, len(matching))] {
				want = append(want, k.ID)
			}
			s.ExpectPage(fmt.Sprintf("%s&limit=%d&offset=%d", query, limit, offset), len(matching), "id", want...)
		}
		if t.Failed() {
			t.Fatalf("turn %d: %s", turn, query)
		}
	}
	// The lists of sats, deep inside.
	for _, ordinal := range []int64{0, apitest.Sat} {
		on := []*apitest.Known{}
		for i := range all {
			if all[i].Sat == ordinal {
				on = append(on, &all[i])
			}
		}
		slices.SortFunc(on, func(a, b *apitest.Known) int { return cmp.Compare(b.Number, a.Number) })
		for _, offset := range []int{0, 1024, 1025, 1500, len(on) - 3, len(on)} {
			want := []any{}
			for _, k := range on[offset:min(offset+20, len(on))] {
				want = append(want, k.ID)
			}
			s.ExpectPage(fmt.Sprintf("/sats/%d/inscriptions?offset=%d", ordinal, offset), len(on), "id", want...)
		}
	}
}
