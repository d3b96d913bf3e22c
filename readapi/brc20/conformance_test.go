package brc20_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"strata/rig/apitest"
)

var selfMint = apitest.Fields{"self_mint": true}

// The rows of the reference's conformance list about BRC-20, by its names.
func TestBRC20Conformance(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		test func(w *apitest.TokenWorld)
	}{
		{"B-1", func(w *apitest.TokenWorld) {
			deploy := w.Deploy("pepe", "21000000", "1000", apitest.Ad1)
			w.Apply(apitest.TokenBlock(779832, 1677811111, deploy))
			total, results := w.Page("/brc-20/tokens?ticker=pepe")
			want := apitest.Fields{
				"id": deploy.ID, "number": 0, "block_height": 779832, "tx_id": deploy.Tx, "address": apitest.Ad1, "ticker": "pepe",
				"max_supply": apitest.Whole("21000000"), "mint_limit": apitest.Whole("1000"), "decimals": 18, "deploy_timestamp": 1677811111000,
				"minted_supply": apitest.Whole("0"), "tx_count": 1, "self_mint": false,
			}
			if total != 1 || apitest.AsJSON(w.T, results) != apitest.AsJSON(w.T, []apitest.Fields{want}) {
				w.T.Errorf("got %d %v, want %v", total, results, want)
			}
		}},
		{"B-2", func(w *apitest.TokenWorld) {
			w.Mine(837090, w.Deploy("$pepe", "21000000", "1000", apitest.Ad1, selfMint))
			_, results := w.Page("/brc-20/tokens?ticker=$pepe")
			w.ExpectMembers("token", results[0], apitest.Fields{"ticker": "$pepe", "self_mint": true, "block_height": 837090, "max_supply": apitest.Whole("21000000")})
		}},
		{"B-3", func(w *apitest.TokenWorld) {
			for i, token := range []struct{ tick, most string }{{"pepe", "21000000"}, {"$pepe", "21000000"}, {"$pepf", "0"}} {
				height, address := 837090+10*i, fmt.Sprint(apitest.Ad1, i)
				self := apitest.Fields{"self_mint": token.tick != "pepe"}
				w.Mine(height, w.Deploy(token.tick, token.most, "250000", address, self))
				w.Mine(height+1, w.Mint(token.tick, "250000", address))
				w.ExpectBalances(address, token.tick+" 250000 0 250000")
				w.Mine(height+2, w.Mint(token.tick, "100000", address))
				w.ExpectBalances(address, token.tick+" 350000 0 350000")
				w.ExpectToken(token.tick, apitest.Fields{"minted_supply": apitest.Whole("350000")}, apitest.Fields{"minted_supply": apitest.Whole("350000"), "max_supply": apitest.Whole(token.most)})
			}
		}},
		{"B-4", func(w *apitest.TokenWorld) {
			w.Mine(779832, w.Deploy("pepe", "250000", "250000", apitest.Ad1))
			w.Mine(779833, w.Mint("pepe", "250000", apitest.Ad1))
			w.Back(779833)
			w.ExpectBalances(apitest.Ad1)
			w.ExpectToken("pepe", nil, apitest.Fields{"minted_supply": apitest.Whole("0"), "holders": 0})
		}},
		{"B-5", func(w *apitest.TokenWorld) {
			w.Minted()
			w.Mine(779834, w.Transfer("pepe", "2000", apitest.Ad1))
			w.ExpectBalances(apitest.Ad1, "pepe 8000 2000 10000")
			w.ExpectBalances(apitest.Ad1+"?block_height=779833", "pepe 10000 0 10000")
		}},
		{"B-6", func(w *apitest.TokenWorld) {
			w.Minted()
			w.Mine(779834, w.Transfer("pepe", "9000", apitest.Ad1), w.Transfer("pepe", "1000", apitest.Ad1))
			w.ExpectBalances(apitest.Ad1, "pepe 0 10000 10000")
		}},
		{"balances of several addresses and heights", func(w *apitest.TokenWorld) { manyBalances(w) }},
		{"B-6 with one index for both transactions", func(w *apitest.TokenWorld) {
			w.Minted()
			block := apitest.TokenBlock(779834, apitest.DefaultTime, w.Transfer("pepe", "9000", apitest.Ad1), w.Transfer("pepe", "1000", apitest.Ad1))
			for _, t := range block["transactions"].([]apitest.Fields) {
				t["metadata"].(apitest.Fields)["index"] = 0
			}
			w.Apply(block)
			w.ExpectBalances(apitest.Ad1, "pepe 0 10000 10000")
		}},
		{"B-7", func(w *apitest.TokenWorld) {
			w.Minted()
			transfer := w.Transfer("pepe", "9000", apitest.Ad1)
			w.Mine(779834, transfer)
			w.Mine(779835, w.Send(transfer, apitest.AdB))
			w.ExpectBalances(apitest.Ad1, "pepe 1000 0 1000")
			w.ExpectBalances(apitest.AdB, "pepe 9000 0 9000")
			w.ExpectBalances(apitest.Ad1+"?block_height=779833", "pepe 10000 0 10000")
			w.ExpectBalances(apitest.AdB + "?block_height=779833")
		}},
		{"B-8", func(w *apitest.TokenWorld) {
			w.Mine(837090, w.Deploy("$pepe", "0", "21000000", apitest.Ad1, selfMint))
			w.Mine(837091, w.Mint("$pepe", "10000", apitest.Ad1))
			transfer := w.Transfer("$pepe", "9000", apitest.Ad1)
			w.Mine(837092, transfer)
			w.Mine(837093, w.Send(transfer, apitest.AdB))
			w.ExpectBalances(apitest.Ad1, "$pepe 1000 0 1000")
			w.ExpectBalances(apitest.AdB, "$pepe 9000 0 9000")
		}},
		{"B-9", func(w *apitest.TokenWorld) {
			w.Minted()
			first, second := w.Transfer("pepe", "20", apitest.Ad1), w.Transfer("pepe", "20", apitest.AdX)
			w.Mine(789340, first)
			w.Mine(789344, w.Send(first, apitest.AdX))
			w.ExpectBalances(apitest.AdX, "pepe 20 0 20")
			w.Mine(789479, second)
			w.ExpectBalances(apitest.AdX, "pepe 0 20 20")
			w.Mine(791469, w.Send(second, apitest.AdX))
			w.ExpectBalances(apitest.AdX, "pepe 20 0 20")
		}},
		{"B-10", (*apitest.TokenWorld).StepByStep},
		{"BA-1", func(w *apitest.TokenWorld) {
			w.Mine(779832, w.Deploy("pepe", "21000000", "21000000", apitest.Ad1))
			w.ExpectToken("pepe", apitest.Fields{"tx_count": 1, "deploy_timestamp": 1677803510000},
				apitest.Fields{"max_supply": apitest.Whole("21000000"), "minted_supply": apitest.Whole("0"), "holders": 0})
			w.ExpectToken("PePe", apitest.Fields{"ticker": "pepe"}, nil)
			w.ExpectNotFound("/brc-20/tokens/pepo")
		}},
		{"BA-2", func(w *apitest.TokenWorld) {
			w.Mine(779832, w.Deploy("pepe", "1", "1", apitest.Ad1), w.Deploy("peer", "1", "1", apitest.Ad1), w.Deploy("abcd", "1", "1", apitest.Ad1), w.Deploy("dcba", "1", "1", apitest.Ad1))
			w.ExpectPage("/brc-20/tokens?ticker=PE&ticker=AB", 3, "ticker", "abcd", "peer", "pepe")
			w.ExpectPage("/brc-20/tokens?ticker=PE&ticker=pep", 2, "ticker", "peer", "pepe")
			w.ExpectPage("/brc-20/tokens?ticker=PE&ticker=AB&offset=1&limit=1", 3, "ticker", "peer")
		}},
		{"BA-3", func(w *apitest.TokenWorld) {
			w.Mine(780000, w.Deploy("pepe", "21000000", "100", apitest.Ad1))
			mints := []int{}
			for i := range 10 {
				height := 780001 + i
				mints = append(mints, height)
				w.Mine(height, w.Mint("pepe", "100", apitest.Ad1))
			}
			w.Mine(780020, w.Deploy("abcd", "21000000", "5000", apitest.Ad2))
			transfer := w.Transfer("abcd", "1000", apitest.Ad2)
			w.Mine(780021, w.Mint("abcd", "5000", apitest.Ad2))
			w.Mine(780022, transfer)
			w.Mine(780023, w.Send(transfer, apitest.Ad1))
			w.ExpectPage("/brc-20/tokens", 2, "tx_count", 4, 11)
			w.ExpectPage("/brc-20/tokens?order_by=tx_count", 2, "ticker", "pepe", "abcd")
			slices.Reverse(mints)
			w.Back(mints...) // BA-3b
			w.ExpectPage("/brc-20/tokens?order_by=tx_count", 2, "tx_count", 4, 1)
			w.Back(780023, 780022)
			w.ExpectPage("/brc-20/tokens?order_by=tx_count", 2, "tx_count", 2, 1)
		}},
		{"BA-4", (*apitest.TokenWorld).ActivityOfTicker},
		{"BA-5", (*apitest.TokenWorld).ActivityOfAddresses},
		{"BA-6", func(w *apitest.TokenWorld) {
			w.Mine(779832, w.Deploy("pepe", "21000000", "1000", apitest.Ad1))
			w.ExpectPage("/brc-20/activity", 1, "ticker", "pepe")
			w.Mine(779833, w.Deploy("peer", "21000000", "1000", apitest.Ad1))
			w.ExpectPage("/brc-20/activity", 2, "ticker", "peer", "pepe")
			w.ExpectPage("/brc-20/activity?ticker=peer&block_height=779832", 0, "ticker")
			w.ExpectPage("/brc-20/activity?block_height=779832", 1, "ticker", "pepe")
		}},
		{"BA-7", func(w *apitest.TokenWorld) {
			w.Minted()
			w.Mine(779834, w.Mint("pepe", "2000", apitest.AdQ))
			w.ExpectPage("/brc-20/tokens/pepe/holders", 2, "address", apitest.Ad1, apitest.AdQ)
			w.ExpectPage("/brc-20/tokens/PEPE/holders", 2, "overall_balance", apitest.Whole("10000"), apitest.Whole("2000"))
		}},
		{"BA-8", func(w *apitest.TokenWorld) {
			w.ExpectNotFound("/brc-20/tokens/pepe/holders")
			w.Mine(779832, w.Deploy("pepe", "21000000", "1000", apitest.Ad1))
			w.ExpectPage("/brc-20/tokens/pepe/holders", 0, "address")
		}},
		{"BA-9", func(w *apitest.TokenWorld) {
			w.Mine(780000, w.Deploy("pepe", "21000000", "10000", apitest.Ad2), w.Deploy("test", "21000000", "10000", apitest.Ad2))
			w.Mine(780050, w.Mint("pepe", "10000", apitest.Ad1))
			w.Mine(780060, w.Mint("pepe", "10000", apitest.Ad1))
			w.Mine(780070, w.Mint("pepe", "10000", apitest.Ad2))
			w.Mine(780200, w.Mint("test", "10000", apitest.Ad1))
			w.ExpectBalances(apitest.Ad1, "pepe 20000 0 20000", "test 10000 0 10000")
			w.ExpectBalances(apitest.Ad1+"?block_height=780200", "pepe 20000 0 20000", "test 10000 0 10000")
			w.ExpectBalances(apitest.Ad1+"?block_height=780200&ticker=te", "test 10000 0 10000")
			w.ExpectBalances(apitest.Ad1+"?block_height=780050", "pepe 10000 0 10000")
		}},
		{"BA-10", (*apitest.TokenWorld).Transferable},
		{"E-9 and pain 13", (*apitest.TokenWorld).PastTheEnd},
		{"E-10", func(w *apitest.TokenWorld) {
			w.Minted()
			transfer := w.Transfer("pepe", "9000", apitest.Ad1)
			w.Mine(779834, transfer)
			send := w.Send(transfer, apitest.AdB)
			send.Operation["transfer_send"].(apitest.Fields)["amt"] = "-9000"
			w.Mine(779835, send)
			w.ExpectBalances(apitest.Ad1, "pepe 1000 0 1000")
			w.ExpectBalances(apitest.AdB, "pepe 9000 0 9000")
			w.ExpectPage("/brc-20/activity?operation=transfer_send", 1, "transfer_send",
				map[string]any{"amount": apitest.Whole("9000"), "from_address": apitest.Ad1, "to_address": apitest.AdB})
		}},
		{"E-14 and pain 15", func(w *apitest.TokenWorld) {
			w.Mine(779832, w.Deploy("pepe", "100", "10", apitest.Ad1), w.Deploy("a%_d", "100", "10", apitest.Ad1), w.Deploy("abcd", "100", "10", apitest.Ad1))
			w.Mine(779833, w.Mint("pepe", "10", apitest.Ad1), w.Mint("abcd", "9", apitest.Ad1), w.Mint("a%_d", "8", apitest.Ad1), w.Mint("pepe", "10", apitest.Ad2))
			for _, wild := range []string{"%25", "_", "a%25cd", "%25_", `\`} {
				w.ExpectPage("/brc-20/tokens?ticker="+wild, 0, "ticker")
				w.ExpectBalances(apitest.Ad1 + "?ticker=" + wild)
				w.ExpectPage("/brc-20/activity?ticker="+wild, 0, "ticker")
			}
			w.ExpectPage("/brc-20/tokens?ticker=a%25", 1, "ticker", "a%_d")
			w.ExpectBalances(apitest.Ad1+"?ticker=pepe&ticker=A", "pepe 10 0 10", "abcd 9 0 9", "a%_d 8 0 8")
			w.ExpectBalances(apitest.Ad2+"?ticker=pepe&ticker=abcd", "pepe 10 0 10")
			w.ExpectBalances(apitest.Ad2+"?ticker=pepe&ticker=abcd&block_height=779833", "pepe 10 0 10")
		}},
		{"pain 16", func(w *apitest.TokenWorld) {
			w.Mine(779832, w.Deploy("PePe", "100", "10", apitest.Ad1))
			w.Mine(779833, w.Mint("pepe", "10", apitest.Ad1))
			w.ExpectPage("/brc-20/activity?ticker=PEPE", 2, "operation", "mint", "deploy")
			w.ExpectPage("/brc-20/activity?ticker=pepe&operation=mint", 1, "ticker", "PePe")
			w.ExpectToken("pepe", apitest.Fields{"ticker": "PePe", "tx_count": 2}, nil)
			w.ExpectBalances(apitest.Ad1, "PePe 10 0 10")
		}},
		{"pain 17", func(w *apitest.TokenWorld) {
			w.Minted()
			w.ExpectBalances(apitest.Ad1+"?block_height=999999999", "pepe 10000 0 10000")
			w.ExpectBalances(apitest.Ad1 + "?block_height=0")
			for _, height := range []string{"9223372036854775808", "abc", "-1", "1.5", ""} {
				if got := w.Get("/ordinals/v1/brc-20/balances/" + apitest.Ad1 + "?block_height=" + height); got.Status != 400 {
					w.T.Errorf("block_height=%s: got %d %s", height, got.Status, got.Body)
				}
			}
		}},
		{"pain 18", func(w *apitest.TokenWorld) {
			w.Minted()
			burnt, returned := w.Transfer("pepe", "1000", apitest.Ad1), w.Transfer("pepe", "500", apitest.Ad1)
			w.Mine(779834, burnt, returned)
			burn := w.Send(burnt, apitest.AdB)
			burn.Operation["transfer_send"].(apitest.Fields)["receiver_address"] = ""
			w.Mine(779835, burn)
			w.ExpectBalances(apitest.Ad1, "pepe 8500 500 9000")
			w.ExpectPage("/brc-20/activity?operation=transfer_send", 1, "address", "")
			w.ExpectPage("/brc-20/activity?address="+apitest.AdB, 0, "address")
			w.Mine(779836, w.Send(returned, apitest.Ad1)) // spent in fees, so that it comes back
			w.ExpectBalances(apitest.Ad1, "pepe 9000 0 9000")
			w.ExpectPage("/brc-20/activity?operation=transfer_send&address="+apitest.Ad1, 2, "address", apitest.Ad1, "")
			w.ExpectToken("pepe", nil, apitest.Fields{"holders": 1})
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.test(apitest.NewTokenWorld(t))
		})
	}
}

// manyBalances checks the balances of several addresses at several heights, against those of each alone.
func manyBalances(w *apitest.TokenWorld) {
	w.Minted()
	pepe := w.Transfer("pepe", "9000", apitest.Ad1)
	w.Mine(779834, pepe)
	w.Mine(779835, w.Send(pepe, apitest.AdB))
	w.Mine(779836, w.Deploy("ordi", "1000", "1000", apitest.Ad1))
	w.Mine(779837, w.Mint("ordi", "500", apitest.Ad1))
	say := func(query string) (total int, all []string) {
		total, results := w.Page("/brc-20/balances" + query)
		for _, r := range results {
			height := "now"
			if h, ok := r["block_height"]; ok && h != nil {
				height = fmt.Sprint(h)
			}
			all = append(all, fmt.Sprint(r["address"], " ", height, " ", r["ticker"], " ", r["available_balance"], " ", r["transferrable_balance"], " ", r["overall_balance"]))
		}
		return total, all
	}
	of := func(address, height, filter string) (all []string) {
		query := "/" + address + "?" + filter
		if height != "now" {
			query += "block_height=" + height
		}
		_, results := w.Page("/brc-20/balances" + query)
		for _, r := range results {
			all = append(all, fmt.Sprint(address, " ", height, " ", r["ticker"], " ", r["available_balance"], " ", r["transferrable_balance"], " ", r["overall_balance"]))
		}
		return all
	}
	two := "?address=" + apitest.AdB + "&address=nobody&address=" + apitest.Ad1
	for _, tc := range []struct {
		query, filter string
		heights       []string
	}{
		{"", "", []string{"now"}},
		{"&ticker=or", "ticker=or&", []string{"now"}},
		{"&block_height=779837&block_height=779833&block_height=1&block_height=779835", "", []string{"779837", "779833", "1", "779835"}},
		{"&block_height=779834&ticker=pepe&ticker=x", "ticker=pepe&", []string{"779834"}},
	} {
		var want []string
		for _, address := range []string{apitest.AdB, "nobody", apitest.Ad1} {
			for _, height := range tc.heights {
				want = append(want, of(address, height, tc.filter)...)
			}
		}
		total, got := say(two + tc.query)
		if total != len(want) || !slices.Equal(got, want) || len(want) == 0 {
			w.T.Errorf("%s: got %d\n%v\nwant\n%v", tc.query, total, got, want)
		}
		if total, got := say(two + tc.query + "&address=" + apitest.AdB + "&offset=1&limit=1"); total != len(want) || len(want) > 1 && !slices.Equal(got, want[1:2]) {
			w.T.Errorf("%s, the second: got %d %v, want %v", tc.query, total, got, want)
		}
	}
	for _, query := range []string{
		"", "?ticker=pepe", "?address=a&block_height=x",
		"?address=a" + strings.Repeat("&address=a", 50), "?address=a" + strings.Repeat("&block_height=1", 21),
		"?address=a&address=b&address=c&address=d&address=e&address=f&block_height=1&block_height=2&block_height=3&block_height=4&block_height=5&block_height=6&block_height=7&block_height=8&block_height=9&block_height=10&block_height=11&block_height=12&block_height=13&block_height=14&block_height=15&block_height=16&block_height=17",
	} {
		w.ExpectTexts("/ordinals/v1/brc-20/balances"+query, 400)
	}
	for _, traced := range []string{two, two + "&block_height=779835&block_height=779837"} {
		w.ExpectTexts("/audit/v1/trace?path="+url.QueryEscape("/ordinals/v1/brc-20/balances"+traced), 200)
	}
}
