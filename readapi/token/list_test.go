package token_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/document"
	"strata/domain/token"
	"strata/rig/apitest"
)

// listed is what tests look at of a row of the list.
type listed struct {
	Contract string  `json:"contract_principal"`
	Name     *string `json:"name"`
	Symbol   *string `json:"symbol"`
}

type listedPage struct {
	Limit, Offset, Total int
	Results              []listed
}

func list(s *apitest.Site, query string) (page listedPage) {
	s.T.Helper()
	s.Decode("/metadata/v1/ft"+query, &page)
	return page
}

// memes adds the tokens of the reference's tests of the list.
func memes(s *apitest.Site) {
	for _, m := range []struct {
		contract, name, symbol, supply string
		decimals                       int
	}{
		{"SP22PCWZ9EJMHV4PHVS0C8H3B3E4Q079ZHY6CXDS1.meme-token", "Meme token", "MEME", "200000", 5},
		{"SP1H1733V5MZ3SZ9XRW9FKYGEZT0JDGEB8Y634C7R.miamicoin-token-v2", "miamicoin", "MIA", "5586789829000000", 6},
		{"SPVA5J91J3A1JYMR5ZSZ7M6SN7RXYWM5WZX2HBM9.stsw-token-v4a", "STACKSWAP", "STSW", "1000000000000000", 6},
	} {
		at := "http://test.com/" + m.symbol
		s.Contract(token.FT, m.contract, nil)
		s.Read(token.FT, m.contract, "1", apitest.Columns{"name": m.name, "symbol": m.symbol, "decimals": m.decimals, "total_supply": m.supply, "uri": at})
		s.Document(token.FT, at, &document.Document{Name: apitest.Text(m.name), Description: apitest.Text("about " + m.symbol), Image: apitest.Text(at + ".png")}, nil)
		s.Image(token.FT, at+".png", true, nil)
		s.Refer(token.FT, m.contract, "1", "document", "", at)
		s.Refer(token.FT, m.contract, "1", "image", "", at+".png")
	}
	stretches(s, 2)
}

// Rows A21 to A29: the list.
func TestMetadataList(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	memes(s)
	item := func(contract, name, symbol, supply string, decimals int) string {
		at := "http://test.com/" + symbol
		return fmt.Sprintf(`{"tx_id":"0x123456","sender_address":"%s","asset_identifier":"%s::ft-token","contract_principal":"%[2]s","name":"%s","symbol":"%s","decimals":%d,"total_supply":"%s",`+
			`"token_uri":"%s","description":"about %[4]s","image_uri":"%[8]s","image_canonical_uri":"%[7]s.png","image_thumbnail_uri":"%[8]s/thumb"}`,
			strings.Split(contract, ".")[0], contract, name, symbol, decimals, supply, at, imageLink(at+".png"))
	}
	s.Expect("/metadata/ft", 200, `{"limit":20,"offset":0,"total":3,"results":[`+
		item("SP22PCWZ9EJMHV4PHVS0C8H3B3E4Q079ZHY6CXDS1.meme-token", "Meme token", "MEME", "200000", 5)+`,`+
		item("SP1H1733V5MZ3SZ9XRW9FKYGEZT0JDGEB8Y634C7R.miamicoin-token-v2", "miamicoin", "MIA", "5586789829000000", 6)+`,`+
		item("SPVA5J91J3A1JYMR5ZSZ7M6SN7RXYWM5WZX2HBM9.stsw-token-v4a", "STACKSWAP", "STSW", "1000000000000000", 6)+`]}`) // A21
	expect := func(row, query string, total int, symbols ...string) {
		t.Helper()
		page := list(s, query)
		var got []string
		for _, r := range page.Results {
			got = append(got, *r.Symbol)
		}
		if page.Total != total || !slices.Equal(got, symbols) {
			t.Errorf("%s: %s: got %v of %d, want %v of %d", row, query, got, page.Total, symbols, total)
		}
	}
	expect("A22", "?name=miami", 1, "MIA")
	expect("A22", "?name=Miami", 1, "MIA")
	expect("A23", "?name=nothing", 0)
	expect("A26", "?symbol=MIA", 1, "MIA")
	expect("A26", "?symbol=mia", 1, "MIA")
	expect("A26", "?symbol=nothing", 0)
	expect("A26", "?symbol=MI", 0)
	expect("A27", "?address=SP1H1733V5MZ3SZ9XRW9FKYGEZT0JDGEB8Y634C7R", 1, "MIA")
	expect("A27", "?address=SP1H1733V5MZ3SZ9XRW9FKYGEZT0JDGEB8Y634C7R.miami", 1, "MIA")
	expect("A27", "?address=SP1K1A1PMGW2ZJCNF46NWZWHG8TS1D23EGH1KNK60", 0)
	expect("A28", "?order_by=name&order=asc", 3, "MEME", "MIA", "STSW")
	expect("A28", "?order_by=name&order=desc", 3, "STSW", "MIA", "MEME")
	expect("A29", "?order_by=symbol&order=asc", 3, "MEME", "MIA", "STSW")
	expect("A29", "?order_by=symbol&order=desc", 3, "STSW", "MIA", "MEME")
	expect("empty filters", "?name=&symbol=", 3, "MEME", "MIA", "STSW")
	expect("two filters", "?name=m&symbol=meme", 1, "MEME")
	expect("a filter backwards", "?name=m&order=desc", 2, "MIA", "MEME")
	expect("D12, past the end", "?offset=99", 3)
	expect("D12, past the end of a filter", "?name=m&offset=99", 2)
	expect("D12, far past the end", "?order=desc&offset=9223372036854775807", 3)
	expect("D12, a wildcard", "?name=%25", 0)
	expect("D12, a wildcard for one", "?name=_", 0)
	expect("D12, an escape", `?name=\`, 0)

	const scam = "SP1K1A1PMGW2ZJCNF46NWZWHG8TS1D23EGH1KNK60.scam"
	s.Contract(token.FT, scam, nil)
	s.Read(token.FT, scam, "1", apitest.Columns{"name": "Scam token", "symbol": "rstSTX"})
	stretches(s, 3)
	expect("A24", "?name=scam", 1, "rstSTX")
	expect("A25", "", 4, "MEME", "MIA", "rstSTX", "STSW")
	expect("A25", "?valid_metadata_only=true", 3, "MEME", "MIA", "STSW")
	expect("A25", "?valid_metadata_only=false", 4, "MEME", "MIA", "rstSTX", "STSW")

	// D12: a token is one row, however many locales it has.
	for _, locale := range []string{"es", "fr"} {
		at := "http://test.com/meme-" + locale
		s.Document(token.FT, at, &document.Document{Name: apitest.Text(locale)}, nil)
		s.Refer(token.FT, "SP22PCWZ9EJMHV4PHVS0C8H3B3E4Q079ZHY6CXDS1.meme-token", "1", "document", locale, at)
	}
	expect("D12, locales", "", 4, "MEME", "MIA", "rstSTX", "STSW")
	expect("D12, locales, filtered", "?valid_metadata_only=true", 3, "MEME", "MIA", "STSW")
}

// Whatever tokens there are called, each page of each list is that of a plain slice.
func TestMetadataListPages(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	names := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "A", "b", "ä", "Ä", "a%", "a_b", `\`, "0", "1", "日本", "ab", "É"}), rapid.StringMatching(`[a-cA-C_%]{1,3}`))
	rapid.Check(t, func(rt *rapid.T) {
		s.Exec(`DELETE FROM ft_v1.token`)
		s.Exec(`DELETE FROM ft_v1.contract`)
		var all []listed
		for i := range rapid.IntRange(0, 25).Draw(rt, "tokens") {
			one := listed{Contract: fmt.Sprintf("%s.c%d", []string{apitest.Account(1), apitest.Account(2)}[i%2], i*7%25)}
			given := apitest.Columns{}
			if name := names.Draw(rt, "name"); name != "" {
				one.Name, given["name"] = &name, name
			}
			if symbol := names.Draw(rt, "symbol"); symbol != "" {
				one.Symbol, given["symbol"] = &symbol, symbol
			}
			s.Contract(token.FT, one.Contract, nil)
			s.Read(token.FT, one.Contract, "1", given)
			all = append(all, one)
		}
		stretches(s, rapid.IntRange(1, 9).Draw(rt, "stretch"))
		if rapid.Bool().Draw(rt, "empty stretches") { // whose tokens are all gone
			s.Exec(`UPDATE ft_v1.stretch SET first_contract = '!' WHERE first_key = ''`)
			s.Exec(`INSERT INTO ft_v1.stretch (list, n, first_key, first_contract)
				VALUES ('name', 0, '', ''), ('symbol', 0, '', ''), ('name', 0, '2', ''), ('symbol', 0, '2', '')`)
		}
		for range 8 {
			query := url.Values{}
			matching := slices.Clone(all)
			orderBy := rapid.SampledFrom([]string{"", "name", "symbol"}).Draw(rt, "order_by")
			key := func(l listed) string { return keyOfPointer(l.Name) }
			if orderBy == "symbol" {
				key = func(l listed) string { return keyOfPointer(l.Symbol) }
			}
			slices.SortFunc(matching, func(a, b listed) int {
				if c := strings.Compare(key(a), key(b)); c != 0 {
					return c
				}
				return strings.Compare(a.Contract, b.Contract)
			})
			order := rapid.SampledFrom([]string{"", "asc", "desc"}).Draw(rt, "order")
			if order == "desc" {
				slices.Reverse(matching)
			}
			if rapid.Bool().Draw(rt, "filtered") {
				name := names.Draw(rt, "part of a name")
				query.Set("name", name)
				matching = slices.DeleteFunc(matching, func(l listed) bool {
					return name != "" && (l.Name == nil || !strings.Contains(strings.ToLower(*l.Name), strings.ToLower(name)))
				})
			}
			limit, offset := rapid.IntRange(1, 12).Draw(rt, "limit"), rapid.IntRange(0, 30).Draw(rt, "offset")
			for name, value := range map[string]string{"order_by": orderBy, "order": order} {
				if value != "" {
					query.Set(name, value)
				}
			}
			query.Set("limit", fmt.Sprint(limit))
			query.Set("offset", fmt.Sprint(offset))
			page := list(s, "?"+query.Encode())
			want := matching[min(offset, len(matching)):min(offset+limit, len(matching))]
			if page.Total != len(matching) || page.Limit != limit || page.Offset != offset || !slices.EqualFunc(page.Results, want, func(a, b listed) bool {
				return a.Contract == b.Contract && keyOfPointer(a.Name) == keyOfPointer(b.Name)
			}) {
				rt.Fatalf("%s: got %+v, want %+v of %d", query.Encode(), page, want, len(matching))
			}
		}
	})
}

func keyOfPointer(text *string) string {
	if text == nil {
		return "1"
	}
	return "0" + strings.ToLower(*text)
}
