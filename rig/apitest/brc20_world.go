package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/projections"
	"strata/projections/brc20"
	"strata/projections/follow"
	"strata/projections/inscriptions"
	feed "strata/projections/ordinals"
	"strata/readapi"
	"strata/rig/replay"
)

// operates checks that an operation of a trace is what its event has at the pointer.
func (w *TokenWorld) Operates(r RowOf) {
	w.T.Helper()
	kind := []string{"", "deploy", "mint", "transfer", "transfer_send"}[r.Values["kind"].(interface{ String() string }).String()[0]-'0']
	o, ok := w.Fact(r, "source_seq")[kind].(Fields)
	if !ok || strings.ToLower(o["tick"].(string)) != r.Column("ticker") || o["inscription_id"] != r.Column("id") {
		w.T.Fatalf("%v is of %v", r, o)
	}
	if amount := r.Column("amount"); amount != "" && amount != Whole(o["amt"].(string)) {
		w.T.Errorf("%v is of %v", r, o)
	}
}

// changes checks that a balance or a change of one is of an operation about its token and address.
func (w *TokenWorld) Changes(r RowOf) {
	w.T.Helper()
	for kind, operation := range w.Fact(r, "source_seq") {
		o := operation.(Fields)
		of := fmt.Sprint(o["address"], o["sender_address"], o["receiver_address"])
		if strings.ToLower(o["tick"].(string)) != r.Column("ticker") || !strings.Contains(of, r.Column("address")) {
			w.T.Errorf("%v is of the %s %v", r, kind, o)
		}
		delta := strings.TrimLeft(r.Column("available_delta"), "-")
		if _, is := r.Values["available_delta"]; is && delta != Whole(o["amt"].(string)) && strings.TrimLeft(r.Column("transferrable_delta"), "-") != Whole(o["amt"].(string)) {
			w.T.Errorf("%v changes by another amount than the %s %v", r, kind, o)
		}
	}
}

// minted is the base of most rows.
func (w *TokenWorld) Minted() {
	w.T.Helper()
	w.Mine(779832, w.Deploy("pepe", "250000", "250000", Ad1))
	w.Mine(779833, w.Mint("pepe", "10000", Ad1))
}

// stepByStep is B-10 with B-10a to B-10f.
func (w *TokenWorld) StepByStep() {
	w.Minted()
	pepe := w.Transfer("pepe", "9000", Ad1)
	w.Mine(779834, pepe)
	w.Mine(779835, w.Send(pepe, AdB))
	w.Mine(779836, w.Deploy("🔥", "1000", "1000", Ad1))
	w.Mine(779837, w.Mint("🔥", "500", Ad1))
	fire := w.Transfer("🔥", "100", Ad1)
	w.Mine(779838, fire)
	w.Mine(779839, w.Send(fire, Ad1))
	activity := func(total, ofAddress int, first string) {
		w.T.Helper()
		n, results := w.Page("/brc-20/activity")
		if n != total || results[0]["operation"] != first {
			w.T.Errorf("got %d operations, the last a %s; want %d, %s", n, results[0]["operation"], total, first)
		}
		if n, _ := w.Page("/brc-20/activity?address=" + Ad1); n != ofAddress {
			w.T.Errorf("got %d operations of the address, want %d", n, ofAddress)
		}
	}
	holders := func(ticker string, n int, minted string) {
		w.T.Helper()
		w.ExpectToken(ticker, nil, Fields{"holders": n, "minted_supply": Whole(minted)})
	}
	w.ExpectPage("/brc-20/tokens", 2, "minted_supply", Whole("500"), Whole("10000"))
	holders("pepe", 2, "10000")
	holders("🔥", 1, "500")
	w.ExpectBalances(Ad1, "pepe 1000 0 1000", "🔥 500 0 500")
	w.ExpectBalances(AdB, "pepe 9000 0 9000")
	activity(8, 8, "transfer_send")
	w.ExpectPage("/brc-20/activity?block_height=779837", 1, "operation", "mint")

	w.Back(779839) // a
	w.ExpectBalances(Ad1, "pepe 1000 0 1000", "🔥 400 100 500")
	activity(7, 7, "transfer")
	w.Back(779838) // b
	w.ExpectBalances(Ad1, "pepe 1000 0 1000", "🔥 500 0 500")
	activity(6, 6, "mint")
	w.Back(779837) // c
	holders("🔥", 0, "0")
	w.ExpectBalances(Ad1, "pepe 1000 0 1000")
	activity(5, 5, "deploy")
	w.ExpectPage("/brc-20/activity?block_height=779837", 0, "operation")
	w.Back(779836) // d
	w.ExpectNotFound("/brc-20/tokens/🔥")
	w.ExpectPage("/brc-20/tokens", 1, "ticker", "pepe")
	activity(4, 4, "transfer_send")
	w.Back(779835) // e
	w.ExpectBalances(Ad1, "pepe 1000 9000 10000")
	w.ExpectBalances(AdB)
	holders("pepe", 1, "10000")
	activity(3, 3, "transfer")
	w.Back(779834) // f
	w.ExpectBalances(Ad1, "pepe 10000 0 10000")
	holders("pepe", 1, "10000")
	activity(2, 2, "mint")
}

// activityOfTicker is BA-4.
func (w *TokenWorld) ActivityOfTicker() {
	total := 0
	expect := func(member string, want Fields) {
		w.T.Helper()
		total++
		n, results := w.Page("/brc-20/activity?ticker=pepe")
		if n != total || AsJSON(w.T, results[0][member]) != AsJSON(w.T, want[member]) {
			w.T.Errorf("got total %d, %s %v; want %d, %v", n, member, results[0][member], total, want[member])
		}
		w.ExpectMembers(member, results[0], want)
	}
	w.Mine(779832, w.Deploy("pepe", "21000000", "21000000", Ad1))
	expect("deploy", Fields{"operation": "deploy", "deploy": Fields{"max_supply": Whole("21000000"), "mint_limit": Whole("21000000"), "decimals": 18}})
	w.Mine(779833, w.Mint("pepe", "10000", Ad1))
	expect("mint", Fields{"operation": "mint", "address": Ad1, "mint": Fields{"amount": Whole("10000")}})
	w.Mine(779834, w.Mint("pepe", "10000", AdB))
	expect("mint", Fields{"address": AdB, "mint": Fields{"amount": Whole("10000")}})
	transfer := w.Transfer("pepe", "9000", Ad1)
	w.Mine(779835, transfer)
	expect("transfer", Fields{
		"operation": "transfer", "ticker": "pepe", "inscription_id": transfer.ID, "block_height": 779835, "block_hash": blockHashAt(779835),
		"tx_id": transfer.Tx, "location": transfer.Tx + ":0:0", "address": Ad1, "timestamp": 1677803510000,
		"transfer": Fields{"amount": Whole("9000"), "from_address": Ad1},
	})
	send := w.Send(transfer, AdB)
	w.Mine(779836, send)
	expect("transfer_send", Fields{
		"operation": "transfer_send", "inscription_id": transfer.ID, "block_height": 779836, "tx_id": send.Tx, "location": send.Tx + ":0:0", "address": AdB,
		"transfer_send": Fields{"amount": Whole("9000"), "from_address": Ad1, "to_address": AdB},
	})
	w.ExpectPage("/brc-20/activity?ticker=pepe&operation=transfer_send", 1, "tx_id", send.Tx)
	w.ExpectPage("/brc-20/activity?ticker=pepe&operation=transfer_send&operation=deploy", 2, "operation", "transfer_send", "deploy")
	w.ExpectPage("/brc-20/activity?ticker=pepe&ticker=none&operation=mint", 2, "address", AdB, Ad1)
	w.ExpectPage("/brc-20/activity?ticker=pepe&ticker=none", 5, "operation", "transfer_send", "transfer", "mint", "mint", "deploy")
}

// activityOfAddresses is BA-5.
func (w *TokenWorld) ActivityOfAddresses() {
	const a, b, c = Ad1, Ad2, Ad3
	expect := func(total, ofA, ofB, ofC int) {
		w.T.Helper()
		for query, want := range map[string]int{"": total, "&address=" + a: ofA, "&address=" + b: ofB, "&address=" + c: ofC} {
			if n, results := w.Page("/brc-20/activity?ticker=pepe" + query); n != want || len(results) != want {
				w.T.Errorf("%s: got total %d, %d results, want %d", query, n, len(results), want)
			}
		}
	}
	w.Mine(780000, w.Deploy("pepe", "21000000", "10000", a))
	expect(1, 1, 0, 0)
	w.Mine(780001, w.Mint("pepe", "1000", a))
	expect(2, 2, 0, 0)
	w.Mine(780002, w.Mint("pepe", "2000", b))
	expect(3, 2, 1, 0)
	first := w.Transfer("pepe", "1000", a)
	w.Mine(780003, first)
	expect(4, 3, 1, 0)
	second := w.Transfer("pepe", "2000", b)
	w.Mine(780004, second)
	expect(5, 3, 2, 0)
	w.Mine(780005, w.Send(first, b))
	expect(6, 4, 3, 0)
	w.Mine(780006, w.Send(second, c))
	expect(7, 4, 4, 1)
	w.ExpectPage("/brc-20/activity?operation=transfer_send&ticker=pepe", 2, "address", c, b)
	w.ExpectPage("/brc-20/activity?address="+b, 4, "operation", "transfer_send", "transfer_send", "transfer", "mint")
	w.ExpectPage("/brc-20/activity?operation=transfer_send&operation=mint&address="+b, 3, "operation", "transfer_send", "transfer_send", "mint")
	w.ExpectPage("/brc-20/activity?operation=transfer_send&operation=mint&address="+b+"&ticker=PEPE&limit=1&offset=2", 3, "operation", "mint")
	w.ExpectPage("/brc-20/activity?block_height=780006&address="+c, 1, "operation", "transfer_send")
	w.ExpectPage("/brc-20/activity?block_height=780006&operation=mint", 0, "operation")
}

// transferable is BA-10.
func (w *TokenWorld) Transferable() {
	list := "/brc-20/balances/" + Ad1 + "/transferable"
	w.Mine(780000, w.Deploy("pepe", "21000000", "10000", Ad1), w.Deploy("meme", "21000000", "10000", Ad1, Fields{"dec": "2"}))
	w.Mine(780001, w.Mint("pepe", "10000", Ad1), w.Mint("meme", "10000", Ad1))
	w.ExpectPage(list, 0, "ticker")
	first := w.Transfer("pepe", "9000", Ad1)
	w.Mine(780002, first)
	total, results := w.Page(list)
	want := Fields{
		"inscription_number": first.number, "inscription_id": first.ID, "ordinal_number": fmt.Sprint(first.sat), "amount": "9000" + strings.Repeat("0", 18),
		"ticker": "pepe",
	}
	if total != 1 || AsJSON(w.T, results) != AsJSON(w.T, []Fields{want}) {
		w.T.Errorf("got %d %v, want %v", total, results, want)
	}
	w.Mine(780003, w.Send(first, AdB))
	w.ExpectPage(list, 0, "ticker")
	pepe, meme := w.Transfer("pepe", "500", Ad1), w.Transfer("meme", "2000", Ad1)
	w.Mine(780004, pepe, meme)
	w.ExpectPage(list, 2, "amount", "200000", "500"+strings.Repeat("0", 18))
	w.ExpectPage(list+"?ticker=PEPE", 1, "ticker", "pepe")
	w.ExpectPage(list+"?ticker=meme", 1, "ticker", "meme")
	w.ExpectPage(list+"?ticker=none", 0, "ticker")
	w.ExpectPage(list+"?ticker=none&ticker=meme&ticker=pepe&offset=1", 2, "ticker", "pepe")
	w.Mine(780005, w.Send(meme, AdB))
	w.ExpectPage(list, 1, "ticker", "pepe")
	w.Mine(780006, w.Send(pepe, AdB))
	w.ExpectPage(list, 0, "ticker")
	w.Back(780006)
	w.ExpectPage(list, 1, "ticker", "pepe")
}

// pastTheEnd asks for pages that there are not.
func (w *TokenWorld) PastTheEnd() {
	w.Minted()
	transfer, kept := w.Transfer("pepe", "9000", Ad1), w.Transfer("pepe", "1", Ad1)
	w.Mine(779834, transfer, kept)
	w.Mine(779835, w.Send(transfer, AdB))
	for path, total := range map[string]int{
		"/brc-20/tokens?":                                          1,
		"/brc-20/tokens?order_by=tx_count&":                        1,
		"/brc-20/tokens?ticker=p&":                                 1,
		"/brc-20/tokens/pepe/holders?":                             2,
		"/brc-20/balances/" + Ad1 + "?":                            1,
		"/brc-20/balances/" + Ad1 + "?block_height=779833&":        1,
		"/brc-20/balances/" + Ad1 + "?ticker=pe&":                  1,
		"/brc-20/balances/" + Ad1 + "/transferable?":               1,
		"/brc-20/balances/" + Ad1 + "/transferable?ticker=pepe&":   1,
		"/brc-20/activity?":                                        5,
		"/brc-20/activity?ticker=pepe&":                            5,
		"/brc-20/activity?ticker=pepe&ticker=abcd&":                5,
		"/brc-20/activity?operation=mint&operation=transfer&":      3,
		"/brc-20/activity?address=" + Ad1 + "&":                    5,
		"/brc-20/activity?address=" + Ad1 + "&operation=transfer&": 2,
		"/brc-20/activity?address=" + Ad1 + "&ticker=pepe&":        5,
		"/brc-20/activity?block_height=779834&":                    2,
	} {
		for _, offset := range []int{total, 1000, 1024, 1025, 100_000, 9223372036854775807} {
			page := w.JSON(fmt.Sprint(path, "limit=1&offset=", offset))
			if got := AsJSON(w.T, page); !strings.Contains(got, fmt.Sprintf(`"results":[],"total":%d`, total)) {
				w.T.Errorf("%soffset=%d: got %s, want total %d", path, offset, got, total)
			}
		}
		if _, results := w.Page(fmt.Sprint(path, "limit=1&offset=", total-1)); len(results) != 1 {
			w.T.Errorf("%s: got %v on the last page", path, results)
		}
	}
}

// comparePages goes through all pages of a list; nil is any order.
func (w *TokenWorld) ComparePages(path string, total int, name func(Fields) string, want []string) {
	w.T.Helper()
	got := w.names(path, total, name)
	if len(got) != total || want != nil && !slices.Equal(got, want) {
		w.T.Errorf("%s: got %v, want %d: %v", path, got, total, want)
	}
}

// names are those of all rows of a list.
func (w *TokenWorld) names(path string, total int, name func(Fields) string) (all []string) {
	w.T.Helper()
	for offset := 0; offset <= total; offset += 60 {
		n, results := w.Page(fmt.Sprint(path, "limit=60&offset=", offset))
		if n != total {
			w.T.Errorf("%s: got total %d, want %d", path, n, total)
		}
		all = append(all, mapped(results, name)...)
	}
	return all
}

// balanceRow is the text of a balance in an answer.
func balanceRow(r Fields) string {
	return fmt.Sprint(r["ticker"], " ", r["available_balance"], " ", r["transferrable_balance"], " ", r["overall_balance"])
}

// compareBalances compares what an address has now.
func (w *TokenWorld) CompareBalances(model *synthordinals.State, address string) {
	w.T.Helper()
	var want []string
	for h, b := range model.Balances {
		if h.Address == address && b.Total().Sign() > 0 {
			want = append(want, w.BalanceText(model, h.Ticker, b))
		}
	}
	w.ExpectUnordered("/brc-20/balances/"+address+"?", want)
}

// balanceText is a balance as an answer has it. A token without a deploy has all decimals.
func (w *TokenWorld) BalanceText(model *synthordinals.State, ticker string, b synthordinals.Balance) string {
	tick, decimals := ticker, uint8(ordinals.AmountDecimals)
	if token := model.Tokens[ticker]; token != nil {
		tick, decimals = token.Tick, token.Decimals
	}
	return fmt.Sprint(tick, " ", ordinals.FormatAmount(b.Available, decimals), " ", ordinals.FormatAmount(b.Transferrable, decimals), " ",
		ordinals.FormatAmount(b.Total(), decimals))
}

func (w *TokenWorld) ExpectUnordered(path string, want []string) {
	w.T.Helper()
	got := w.names(path, len(want), balanceRow)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.T.Errorf("%s: got\n%s\nwant\n%s", path, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// tokenWorld is an API over tables that a feed about BRC-20 fills.
type TokenWorld struct {
	*OrdinalsSite
	inscribed int            // so many, each on a sat of its own
	moved     int            // so often
	blocks    map[int]Fields // by height
}

func NewTokenWorld(t testing.TB) *TokenWorld {
	t.Helper()
	log := replay.NewLog(t)
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond},
		projections.Feed(feed.New(nil), inscriptions.New(nil), brc20.New(nil)))
	return &TokenWorld{OrdinalsSite: &OrdinalsSite{NewSiteOn(t, log.Pool(), readapi.Config{}), log}, blocks: map[int]Fields{}}
}

// tokenOperation is a transaction about a token.
type tokenOperation struct {
	FeedTransaction
	Operation Fields
	kind      string
	tick, amt string
	address   string
	ID        string
	number    int
	sat       int
}

func (w *TokenWorld) inscribe(kind, address string, members Fields) tokenOperation {
	w.inscribed++
	tx := fmt.Sprintf("a%063x", w.inscribed)
	o := tokenOperation{kind: kind, address: address, ID: tx + "i0", number: w.inscribed - 1, sat: 1_000_000 + w.inscribed}
	o.FeedTransaction = InTx(tx, RevealOf(tx, o.number, o.sat, Fields{"inscriber_address": address, "content_type": "text/plain;charset=utf-8"}))
	o.Operation = Fields{kind: With(members, Fields{"inscription_id": o.ID, "address": address})}
	return o
}

func (w *TokenWorld) Deploy(tick, most, limit, address string, others ...Fields) tokenOperation {
	return w.inscribe("deploy", address, With(Fields{"tick": tick, "max": most, "lim": limit, "dec": "18", "self_mint": false}, merge(others)))
}

func (w *TokenWorld) Mint(tick, amt, address string) tokenOperation {
	return w.inscribe("mint", address, Fields{"tick": tick, "amt": amt})
}

func (w *TokenWorld) Transfer(tick, amt, address string) tokenOperation {
	o := w.inscribe("transfer", address, Fields{"tick": tick, "amt": amt})
	o.tick, o.amt = tick, amt
	return o
}

// send moves an inscribed amount to an address.
func (w *TokenWorld) Send(of tokenOperation, receiver string) tokenOperation {
	w.moved++
	tx := fmt.Sprintf("b%063x", w.moved)
	o := of
	o.kind = "transfer_send"
	o.FeedTransaction = InTx(tx, MoveOf(of.sat, receiver, tx+":0:0", 546, 0))
	o.Operation = Fields{"transfer_send": Fields{
		"tick": of.tick, "amt": of.amt, "sender_address": of.address, "receiver_address": receiver, "inscription_id": of.ID,
	}}
	return o
}

// tokenBlock is a block of such transactions.
func TokenBlock(height, time int, operations ...tokenOperation) Fields {
	transactions := make([]FeedTransaction, len(operations))
	for i, o := range operations {
		transactions[i] = o.FeedTransaction
	}
	block := FeedBlock(height, blockHashAt(height), time, transactions...)
	for i, t := range block["transactions"].([]Fields) {
		t["metadata"].(Fields)["brc20_operation"] = operations[i].Operation
	}
	return block
}

func blockHashAt(height int) string { return fmt.Sprintf("%064x", height) }

// mine applies a block.
func (w *TokenWorld) Mine(height int, operations ...tokenOperation) {
	w.T.Helper()
	w.blocks[height] = TokenBlock(height, DefaultTime, operations...)
	w.Apply(w.blocks[height])
}

// back takes blocks back.
func (w *TokenWorld) Back(heights ...int) {
	w.T.Helper()
	var blocks []Fields
	for _, height := range heights {
		blocks = append(blocks, w.blocks[height])
	}
	w.Rollback(blocks...)
}

// whole is an amount of a token with 18 decimals.
func Whole(amount string) string { return amount + "." + strings.Repeat("0", 18) }

// expectBalances checks the balances of an address: for each ticker what is available, transferrable and overall.
func (w *TokenWorld) ExpectBalances(query string, want ...string) {
	w.T.Helper()
	total, results := w.Page("/brc-20/balances/" + query)
	got := mapped(results, balanceRow)
	for i, row := range want {
		words := strings.Fields(row)
		want[i] = fmt.Sprint(words[0], " ", Whole(words[1]), " ", Whole(words[2]), " ", Whole(words[3]))
	}
	if total != len(want) || !slices.Equal(got, want) {
		w.T.Errorf("balances %s: got total %d, %v; want %v", query, total, got, want)
	}
}

// expectToken checks members of the details of a token.
func (w *TokenWorld) ExpectToken(ticker string, token, supply Fields) {
	w.T.Helper()
	details := w.JSON("/brc-20/tokens/" + ticker)
	w.ExpectMembers("token "+ticker, details["token"].(Fields), token)
	w.ExpectMembers("supply of "+ticker, details["supply"].(Fields), supply)
}

func (w *TokenWorld) ExpectNotFound(path string) {
	w.T.Helper()
	if got := w.Get("/ordinals/v1" + path); got.Status != 404 || got.Body != `{"error":"Not found"}` {
		w.T.Errorf("%s: got %d %s", path, got.Status, got.Body)
	}
}
