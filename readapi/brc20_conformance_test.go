package readapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	adB = "3QNjwPDRafjBm9XxJpshgk3ksMJh3TFxTU"
	adX = "bc1ph8dp3lqhzpjphqcc3ucgsm7k3w4d74uwfpv8sv893kn3kpkqrdxqqy3cv6"
	adQ = "bc1qp9jgp9qtlhgvwjnxclj6kav6nr2fq09c206pyl"
)

var selfMint = fields{"self_mint": true}

// The rows of the reference's conformance list about BRC-20, by its names.
func TestBRC20Conformance(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		test func(w *tokenWorld)
	}{
		{"B-1", func(w *tokenWorld) {
			deploy := w.deploy("pepe", "21000000", "1000", ad1)
			w.apply(tokenBlock(779832, 1677811111, deploy))
			total, results := w.page("/brc-20/tokens?ticker=pepe")
			want := fields{
				"id": deploy.id, "number": 0, "block_height": 779832, "tx_id": deploy.tx, "address": ad1, "ticker": "pepe",
				"max_supply": whole("21000000"), "mint_limit": whole("1000"), "decimals": 18, "deploy_timestamp": 1677811111000,
				"minted_supply": whole("0"), "tx_count": 1, "self_mint": false,
			}
			if total != 1 || asJSON(w.t, results) != asJSON(w.t, []fields{want}) {
				w.t.Errorf("got %d %v, want %v", total, results, want)
			}
		}},
		{"B-2", func(w *tokenWorld) {
			w.mine(837090, w.deploy("$pepe", "21000000", "1000", ad1, selfMint))
			_, results := w.page("/brc-20/tokens?ticker=$pepe")
			w.expectMembers("token", results[0], fields{"ticker": "$pepe", "self_mint": true, "block_height": 837090, "max_supply": whole("21000000")})
		}},
		{"B-3", func(w *tokenWorld) {
			for i, token := range []struct{ tick, most string }{{"pepe", "21000000"}, {"$pepe", "21000000"}, {"$pepf", "0"}} {
				height, address := 837090+10*i, fmt.Sprint(ad1, i)
				self := fields{"self_mint": token.tick != "pepe"}
				w.mine(height, w.deploy(token.tick, token.most, "250000", address, self))
				w.mine(height+1, w.mint(token.tick, "250000", address))
				w.expectBalances(address, token.tick+" 250000 0 250000")
				w.mine(height+2, w.mint(token.tick, "100000", address))
				w.expectBalances(address, token.tick+" 350000 0 350000")
				w.expectToken(token.tick, fields{"minted_supply": whole("350000")}, fields{"minted_supply": whole("350000"), "max_supply": whole(token.most)})
			}
		}},
		{"B-4", func(w *tokenWorld) {
			w.mine(779832, w.deploy("pepe", "250000", "250000", ad1))
			w.mine(779833, w.mint("pepe", "250000", ad1))
			w.back(779833)
			w.expectBalances(ad1)
			w.expectToken("pepe", nil, fields{"minted_supply": whole("0"), "holders": 0})
		}},
		{"B-5", func(w *tokenWorld) {
			w.minted()
			w.mine(779834, w.transfer("pepe", "2000", ad1))
			w.expectBalances(ad1, "pepe 8000 2000 10000")
			w.expectBalances(ad1+"?block_height=779833", "pepe 10000 0 10000")
		}},
		{"B-6", func(w *tokenWorld) {
			w.minted()
			w.mine(779834, w.transfer("pepe", "9000", ad1), w.transfer("pepe", "1000", ad1))
			w.expectBalances(ad1, "pepe 0 10000 10000")
		}},
		{"B-6 with one index for both transactions", func(w *tokenWorld) {
			w.minted()
			block := tokenBlock(779834, defaultTime, w.transfer("pepe", "9000", ad1), w.transfer("pepe", "1000", ad1))
			for _, t := range block["transactions"].([]fields) {
				t["metadata"].(fields)["index"] = 0
			}
			w.apply(block)
			w.expectBalances(ad1, "pepe 0 10000 10000")
		}},
		{"B-7", func(w *tokenWorld) {
			w.minted()
			transfer := w.transfer("pepe", "9000", ad1)
			w.mine(779834, transfer)
			w.mine(779835, w.send(transfer, adB))
			w.expectBalances(ad1, "pepe 1000 0 1000")
			w.expectBalances(adB, "pepe 9000 0 9000")
			w.expectBalances(ad1+"?block_height=779833", "pepe 10000 0 10000")
			w.expectBalances(adB + "?block_height=779833")
		}},
		{"B-8", func(w *tokenWorld) {
			w.mine(837090, w.deploy("$pepe", "0", "21000000", ad1, selfMint))
			w.mine(837091, w.mint("$pepe", "10000", ad1))
			transfer := w.transfer("$pepe", "9000", ad1)
			w.mine(837092, transfer)
			w.mine(837093, w.send(transfer, adB))
			w.expectBalances(ad1, "$pepe 1000 0 1000")
			w.expectBalances(adB, "$pepe 9000 0 9000")
		}},
		{"B-9", func(w *tokenWorld) {
			w.minted()
			first, second := w.transfer("pepe", "20", ad1), w.transfer("pepe", "20", adX)
			w.mine(789340, first)
			w.mine(789344, w.send(first, adX))
			w.expectBalances(adX, "pepe 20 0 20")
			w.mine(789479, second)
			w.expectBalances(adX, "pepe 0 20 20")
			w.mine(791469, w.send(second, adX))
			w.expectBalances(adX, "pepe 20 0 20")
		}},
		{"B-10", (*tokenWorld).stepByStep},
		{"BA-1", func(w *tokenWorld) {
			w.mine(779832, w.deploy("pepe", "21000000", "21000000", ad1))
			w.expectToken("pepe", fields{"tx_count": 1, "deploy_timestamp": 1677803510000},
				fields{"max_supply": whole("21000000"), "minted_supply": whole("0"), "holders": 0})
			w.expectToken("PePe", fields{"ticker": "pepe"}, nil)
			w.expectNotFound("/brc-20/tokens/pepo")
		}},
		{"BA-2", func(w *tokenWorld) {
			w.mine(779832, w.deploy("pepe", "1", "1", ad1), w.deploy("peer", "1", "1", ad1), w.deploy("abcd", "1", "1", ad1), w.deploy("dcba", "1", "1", ad1))
			w.expectPage("/brc-20/tokens?ticker=PE&ticker=AB", 3, "ticker", "abcd", "peer", "pepe")
			w.expectPage("/brc-20/tokens?ticker=PE&ticker=pep", 2, "ticker", "peer", "pepe")
			w.expectPage("/brc-20/tokens?ticker=PE&ticker=AB&offset=1&limit=1", 3, "ticker", "peer")
		}},
		{"BA-3", func(w *tokenWorld) {
			w.mine(780000, w.deploy("pepe", "21000000", "100", ad1))
			mints := []int{}
			for i := range 10 {
				height := 780001 + i
				mints = append(mints, height)
				w.mine(height, w.mint("pepe", "100", ad1))
			}
			w.mine(780020, w.deploy("abcd", "21000000", "5000", ad2))
			transfer := w.transfer("abcd", "1000", ad2)
			w.mine(780021, w.mint("abcd", "5000", ad2))
			w.mine(780022, transfer)
			w.mine(780023, w.send(transfer, ad1))
			w.expectPage("/brc-20/tokens", 2, "tx_count", 4, 11)
			w.expectPage("/brc-20/tokens?order_by=tx_count", 2, "ticker", "pepe", "abcd")
			slices.Reverse(mints)
			w.back(mints...) // BA-3b
			w.expectPage("/brc-20/tokens?order_by=tx_count", 2, "tx_count", 4, 1)
			w.back(780023, 780022)
			w.expectPage("/brc-20/tokens?order_by=tx_count", 2, "tx_count", 2, 1)
		}},
		{"BA-4", (*tokenWorld).activityOfTicker},
		{"BA-5", (*tokenWorld).activityOfAddresses},
		{"BA-6", func(w *tokenWorld) {
			w.mine(779832, w.deploy("pepe", "21000000", "1000", ad1))
			w.expectPage("/brc-20/activity", 1, "ticker", "pepe")
			w.mine(779833, w.deploy("peer", "21000000", "1000", ad1))
			w.expectPage("/brc-20/activity", 2, "ticker", "peer", "pepe")
			w.expectPage("/brc-20/activity?ticker=peer&block_height=779832", 0, "ticker")
			w.expectPage("/brc-20/activity?block_height=779832", 1, "ticker", "pepe")
		}},
		{"BA-7", func(w *tokenWorld) {
			w.minted()
			w.mine(779834, w.mint("pepe", "2000", adQ))
			w.expectPage("/brc-20/tokens/pepe/holders", 2, "address", ad1, adQ)
			w.expectPage("/brc-20/tokens/PEPE/holders", 2, "overall_balance", whole("10000"), whole("2000"))
		}},
		{"BA-8", func(w *tokenWorld) {
			w.expectNotFound("/brc-20/tokens/pepe/holders")
			w.mine(779832, w.deploy("pepe", "21000000", "1000", ad1))
			w.expectPage("/brc-20/tokens/pepe/holders", 0, "address")
		}},
		{"BA-9", func(w *tokenWorld) {
			w.mine(780000, w.deploy("pepe", "21000000", "10000", ad2), w.deploy("test", "21000000", "10000", ad2))
			w.mine(780050, w.mint("pepe", "10000", ad1))
			w.mine(780060, w.mint("pepe", "10000", ad1))
			w.mine(780070, w.mint("pepe", "10000", ad2))
			w.mine(780200, w.mint("test", "10000", ad1))
			w.expectBalances(ad1, "pepe 20000 0 20000", "test 10000 0 10000")
			w.expectBalances(ad1+"?block_height=780200", "pepe 20000 0 20000", "test 10000 0 10000")
			w.expectBalances(ad1+"?block_height=780200&ticker=te", "test 10000 0 10000")
			w.expectBalances(ad1+"?block_height=780050", "pepe 10000 0 10000")
		}},
		{"BA-10", (*tokenWorld).transferable},
		{"E-9 and pain 13", (*tokenWorld).pastTheEnd},
		{"E-10", func(w *tokenWorld) {
			w.minted()
			transfer := w.transfer("pepe", "9000", ad1)
			w.mine(779834, transfer)
			send := w.send(transfer, adB)
			send.operation["transfer_send"].(fields)["amt"] = "-9000"
			w.mine(779835, send)
			w.expectBalances(ad1, "pepe 1000 0 1000")
			w.expectBalances(adB, "pepe 9000 0 9000")
			w.expectPage("/brc-20/activity?operation=transfer_send", 1, "transfer_send",
				map[string]any{"amount": whole("9000"), "from_address": ad1, "to_address": adB})
		}},
		{"E-14 and pain 15", func(w *tokenWorld) {
			w.mine(779832, w.deploy("pepe", "100", "10", ad1), w.deploy("a%_d", "100", "10", ad1), w.deploy("abcd", "100", "10", ad1))
			w.mine(779833, w.mint("pepe", "10", ad1), w.mint("abcd", "9", ad1), w.mint("a%_d", "8", ad1), w.mint("pepe", "10", ad2))
			for _, wild := range []string{"%25", "_", "a%25cd", "%25_", `\`} {
				w.expectPage("/brc-20/tokens?ticker="+wild, 0, "ticker")
				w.expectBalances(ad1 + "?ticker=" + wild)
				w.expectPage("/brc-20/activity?ticker="+wild, 0, "ticker")
			}
			w.expectPage("/brc-20/tokens?ticker=a%25", 1, "ticker", "a%_d")
			w.expectBalances(ad1+"?ticker=pepe&ticker=A", "pepe 10 0 10", "abcd 9 0 9", "a%_d 8 0 8")
			w.expectBalances(ad2+"?ticker=pepe&ticker=abcd", "pepe 10 0 10")
			w.expectBalances(ad2+"?ticker=pepe&ticker=abcd&block_height=779833", "pepe 10 0 10")
		}},
		{"pain 16", func(w *tokenWorld) {
			w.mine(779832, w.deploy("PePe", "100", "10", ad1))
			w.mine(779833, w.mint("pepe", "10", ad1))
			w.expectPage("/brc-20/activity?ticker=PEPE", 2, "operation", "mint", "deploy")
			w.expectPage("/brc-20/activity?ticker=pepe&operation=mint", 1, "ticker", "PePe")
			w.expectToken("pepe", fields{"ticker": "PePe", "tx_count": 2}, nil)
			w.expectBalances(ad1, "PePe 10 0 10")
		}},
		{"pain 17", func(w *tokenWorld) {
			w.minted()
			w.expectBalances(ad1+"?block_height=999999999", "pepe 10000 0 10000")
			w.expectBalances(ad1 + "?block_height=0")
			for _, height := range []string{"9223372036854775808", "abc", "-1", "1.5", ""} {
				if got := w.get("/ordinals/v1/brc-20/balances/" + ad1 + "?block_height=" + height); got.status != 400 {
					w.t.Errorf("block_height=%s: got %d %s", height, got.status, got.body)
				}
			}
		}},
		{"pain 18", func(w *tokenWorld) {
			w.minted()
			burnt, returned := w.transfer("pepe", "1000", ad1), w.transfer("pepe", "500", ad1)
			w.mine(779834, burnt, returned)
			burn := w.send(burnt, adB)
			burn.operation["transfer_send"].(fields)["receiver_address"] = ""
			w.mine(779835, burn)
			w.expectBalances(ad1, "pepe 8500 500 9000")
			w.expectPage("/brc-20/activity?operation=transfer_send", 1, "address", "")
			w.expectPage("/brc-20/activity?address="+adB, 0, "address")
			w.mine(779836, w.send(returned, ad1)) // spent in fees, so that it comes back
			w.expectBalances(ad1, "pepe 9000 0 9000")
			w.expectPage("/brc-20/activity?operation=transfer_send&address="+ad1, 2, "address", ad1, "")
			w.expectToken("pepe", nil, fields{"holders": 1})
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.test(newTokenWorld(t))
		})
	}
}

// minted is the base of most rows.
func (w *tokenWorld) minted() {
	w.t.Helper()
	w.mine(779832, w.deploy("pepe", "250000", "250000", ad1))
	w.mine(779833, w.mint("pepe", "10000", ad1))
}

// stepByStep is B-10 with B-10a to B-10f.
func (w *tokenWorld) stepByStep() {
	w.minted()
	pepe := w.transfer("pepe", "9000", ad1)
	w.mine(779834, pepe)
	w.mine(779835, w.send(pepe, adB))
	w.mine(779836, w.deploy("🔥", "1000", "1000", ad1))
	w.mine(779837, w.mint("🔥", "500", ad1))
	fire := w.transfer("🔥", "100", ad1)
	w.mine(779838, fire)
	w.mine(779839, w.send(fire, ad1))
	activity := func(total, ofAddress int, first string) {
		w.t.Helper()
		n, results := w.page("/brc-20/activity")
		if n != total || results[0]["operation"] != first {
			w.t.Errorf("got %d operations, the last a %s; want %d, %s", n, results[0]["operation"], total, first)
		}
		if n, _ := w.page("/brc-20/activity?address=" + ad1); n != ofAddress {
			w.t.Errorf("got %d operations of the address, want %d", n, ofAddress)
		}
	}
	holders := func(ticker string, n int, minted string) {
		w.t.Helper()
		w.expectToken(ticker, nil, fields{"holders": n, "minted_supply": whole(minted)})
	}
	w.expectPage("/brc-20/tokens", 2, "minted_supply", whole("500"), whole("10000"))
	holders("pepe", 2, "10000")
	holders("🔥", 1, "500")
	w.expectBalances(ad1, "pepe 1000 0 1000", "🔥 500 0 500")
	w.expectBalances(adB, "pepe 9000 0 9000")
	activity(8, 8, "transfer_send")
	w.expectPage("/brc-20/activity?block_height=779837", 1, "operation", "mint")

	w.back(779839) // a
	w.expectBalances(ad1, "pepe 1000 0 1000", "🔥 400 100 500")
	activity(7, 7, "transfer")
	w.back(779838) // b
	w.expectBalances(ad1, "pepe 1000 0 1000", "🔥 500 0 500")
	activity(6, 6, "mint")
	w.back(779837) // c
	holders("🔥", 0, "0")
	w.expectBalances(ad1, "pepe 1000 0 1000")
	activity(5, 5, "deploy")
	w.expectPage("/brc-20/activity?block_height=779837", 0, "operation")
	w.back(779836) // d
	w.expectNotFound("/brc-20/tokens/🔥")
	w.expectPage("/brc-20/tokens", 1, "ticker", "pepe")
	activity(4, 4, "transfer_send")
	w.back(779835) // e
	w.expectBalances(ad1, "pepe 1000 9000 10000")
	w.expectBalances(adB)
	holders("pepe", 1, "10000")
	activity(3, 3, "transfer")
	w.back(779834) // f
	w.expectBalances(ad1, "pepe 10000 0 10000")
	holders("pepe", 1, "10000")
	activity(2, 2, "mint")
}

// activityOfTicker is BA-4.
func (w *tokenWorld) activityOfTicker() {
	total := 0
	expect := func(member string, want fields) {
		w.t.Helper()
		total++
		n, results := w.page("/brc-20/activity?ticker=pepe")
		if n != total || asJSON(w.t, results[0][member]) != asJSON(w.t, want[member]) {
			w.t.Errorf("got total %d, %s %v; want %d, %v", n, member, results[0][member], total, want[member])
		}
		w.expectMembers(member, results[0], want)
	}
	w.mine(779832, w.deploy("pepe", "21000000", "21000000", ad1))
	expect("deploy", fields{"operation": "deploy", "deploy": fields{"max_supply": whole("21000000"), "mint_limit": whole("21000000"), "decimals": 18}})
	w.mine(779833, w.mint("pepe", "10000", ad1))
	expect("mint", fields{"operation": "mint", "address": ad1, "mint": fields{"amount": whole("10000")}})
	w.mine(779834, w.mint("pepe", "10000", adB))
	expect("mint", fields{"address": adB, "mint": fields{"amount": whole("10000")}})
	transfer := w.transfer("pepe", "9000", ad1)
	w.mine(779835, transfer)
	expect("transfer", fields{
		"operation": "transfer", "ticker": "pepe", "inscription_id": transfer.id, "block_height": 779835, "block_hash": blockHashAt(779835),
		"tx_id": transfer.tx, "location": transfer.tx + ":0:0", "address": ad1, "timestamp": 1677803510000,
		"transfer": fields{"amount": whole("9000"), "from_address": ad1},
	})
	send := w.send(transfer, adB)
	w.mine(779836, send)
	expect("transfer_send", fields{
		"operation": "transfer_send", "inscription_id": transfer.id, "block_height": 779836, "tx_id": send.tx, "location": send.tx + ":0:0", "address": adB,
		"transfer_send": fields{"amount": whole("9000"), "from_address": ad1, "to_address": adB},
	})
	w.expectPage("/brc-20/activity?ticker=pepe&operation=transfer_send", 1, "tx_id", send.tx)
	w.expectPage("/brc-20/activity?ticker=pepe&operation=transfer_send&operation=deploy", 2, "operation", "transfer_send", "deploy")
	w.expectPage("/brc-20/activity?ticker=pepe&ticker=none&operation=mint", 2, "address", adB, ad1)
	w.expectPage("/brc-20/activity?ticker=pepe&ticker=none", 5, "operation", "transfer_send", "transfer", "mint", "mint", "deploy")
}

// activityOfAddresses is BA-5.
func (w *tokenWorld) activityOfAddresses() {
	const a, b, c = ad1, ad2, ad3
	expect := func(total, ofA, ofB, ofC int) {
		w.t.Helper()
		for query, want := range map[string]int{"": total, "&address=" + a: ofA, "&address=" + b: ofB, "&address=" + c: ofC} {
			if n, results := w.page("/brc-20/activity?ticker=pepe" + query); n != want || len(results) != want {
				w.t.Errorf("%s: got total %d, %d results, want %d", query, n, len(results), want)
			}
		}
	}
	w.mine(780000, w.deploy("pepe", "21000000", "10000", a))
	expect(1, 1, 0, 0)
	w.mine(780001, w.mint("pepe", "1000", a))
	expect(2, 2, 0, 0)
	w.mine(780002, w.mint("pepe", "2000", b))
	expect(3, 2, 1, 0)
	first := w.transfer("pepe", "1000", a)
	w.mine(780003, first)
	expect(4, 3, 1, 0)
	second := w.transfer("pepe", "2000", b)
	w.mine(780004, second)
	expect(5, 3, 2, 0)
	w.mine(780005, w.send(first, b))
	expect(6, 4, 3, 0)
	w.mine(780006, w.send(second, c))
	expect(7, 4, 4, 1)
	w.expectPage("/brc-20/activity?operation=transfer_send&ticker=pepe", 2, "address", c, b)
	w.expectPage("/brc-20/activity?address="+b, 4, "operation", "transfer_send", "transfer_send", "transfer", "mint")
	w.expectPage("/brc-20/activity?operation=transfer_send&operation=mint&address="+b, 3, "operation", "transfer_send", "transfer_send", "mint")
	w.expectPage("/brc-20/activity?operation=transfer_send&operation=mint&address="+b+"&ticker=PEPE&limit=1&offset=2", 3, "operation", "mint")
	w.expectPage("/brc-20/activity?block_height=780006&address="+c, 1, "operation", "transfer_send")
	w.expectPage("/brc-20/activity?block_height=780006&operation=mint", 0, "operation")
}

// transferable is BA-10.
func (w *tokenWorld) transferable() {
	list := "/brc-20/balances/" + ad1 + "/transferable"
	w.mine(780000, w.deploy("pepe", "21000000", "10000", ad1), w.deploy("meme", "21000000", "10000", ad1, fields{"dec": "2"}))
	w.mine(780001, w.mint("pepe", "10000", ad1), w.mint("meme", "10000", ad1))
	w.expectPage(list, 0, "ticker")
	first := w.transfer("pepe", "9000", ad1)
	w.mine(780002, first)
	total, results := w.page(list)
	want := fields{
		"inscription_number": first.number, "inscription_id": first.id, "ordinal_number": fmt.Sprint(first.sat), "amount": "9000" + strings.Repeat("0", 18),
		"ticker": "pepe",
	}
	if total != 1 || asJSON(w.t, results) != asJSON(w.t, []fields{want}) {
		w.t.Errorf("got %d %v, want %v", total, results, want)
	}
	w.mine(780003, w.send(first, adB))
	w.expectPage(list, 0, "ticker")
	pepe, meme := w.transfer("pepe", "500", ad1), w.transfer("meme", "2000", ad1)
	w.mine(780004, pepe, meme)
	w.expectPage(list, 2, "amount", "200000", "500"+strings.Repeat("0", 18))
	w.expectPage(list+"?ticker=PEPE", 1, "ticker", "pepe")
	w.expectPage(list+"?ticker=meme", 1, "ticker", "meme")
	w.expectPage(list+"?ticker=none", 0, "ticker")
	w.expectPage(list+"?ticker=none&ticker=meme&ticker=pepe&offset=1", 2, "ticker", "pepe")
	w.mine(780005, w.send(meme, adB))
	w.expectPage(list, 1, "ticker", "pepe")
	w.mine(780006, w.send(pepe, adB))
	w.expectPage(list, 0, "ticker")
	w.back(780006)
	w.expectPage(list, 1, "ticker", "pepe")
}

// pastTheEnd asks for pages that there are not.
func (w *tokenWorld) pastTheEnd() {
	w.minted()
	transfer, kept := w.transfer("pepe", "9000", ad1), w.transfer("pepe", "1", ad1)
	w.mine(779834, transfer, kept)
	w.mine(779835, w.send(transfer, adB))
	for path, total := range map[string]int{
		"/brc-20/tokens?":                                          1,
		"/brc-20/tokens?order_by=tx_count&":                        1,
		"/brc-20/tokens?ticker=p&":                                 1,
		"/brc-20/tokens/pepe/holders?":                             2,
		"/brc-20/balances/" + ad1 + "?":                            1,
		"/brc-20/balances/" + ad1 + "?block_height=779833&":        1,
		"/brc-20/balances/" + ad1 + "?ticker=pe&":                  1,
		"/brc-20/balances/" + ad1 + "/transferable?":               1,
		"/brc-20/balances/" + ad1 + "/transferable?ticker=pepe&":   1,
		"/brc-20/activity?":                                        5,
		"/brc-20/activity?ticker=pepe&":                            5,
		"/brc-20/activity?ticker=pepe&ticker=abcd&":                5,
		"/brc-20/activity?operation=mint&operation=transfer&":      3,
		"/brc-20/activity?address=" + ad1 + "&":                    5,
		"/brc-20/activity?address=" + ad1 + "&operation=transfer&": 2,
		"/brc-20/activity?address=" + ad1 + "&ticker=pepe&":        5,
		"/brc-20/activity?block_height=779834&":                    2,
	} {
		for _, offset := range []int{total, 1000, 1024, 1025, 100_000, 9223372036854775807} {
			page := w.json(fmt.Sprint(path, "limit=1&offset=", offset))
			if got := asJSON(w.t, page); !strings.Contains(got, fmt.Sprintf(`"results":[],"total":%d`, total)) {
				w.t.Errorf("%soffset=%d: got %s, want total %d", path, offset, got, total)
			}
		}
		if _, results := w.page(fmt.Sprint(path, "limit=1&offset=", total-1)); len(results) != 1 {
			w.t.Errorf("%s: got %v on the last page", path, results)
		}
	}
}
