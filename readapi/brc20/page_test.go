package brc20_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/check"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestBRC20Pages asks for pages at any depth, with any filters, of thousands of operations that a feed with all its faults
// has left, and compares them with the model.
func TestBRC20Pages(t *testing.T) {
	t.Parallel()
	cfg := synthordinals.Everything(7, ordinals.Regtest)
	cfg.Accounts, cfg.Live = 4, 6000
	cfg.Reveals, cfg.Transfers = synthordinals.Range{}, synthordinals.Range{Max: 1}
	cfg.Tokens = synthordinals.Range{Min: 80, Max: 120}
	feed := synthordinals.New(cfg)
	w := apitest.NewTokenWorld(t)
	var posts []replay.Post
	for range 70 {
		post := feed.Next()
		posts = append(posts, post)
	}
	replay.Append(t, w.Store, posts...)
	replay.Wait(t, w.Store)
	model := feed.Expected()
	slices.Reverse(model.Activity)
	if len(model.Activity) < 4*1024 {
		t.Fatalf("%d operations are too few to be in many parts", len(model.Activity))
	}
	random := rand.New(rand.NewPCG(1, 2))
	var tickers, heights []string
	for _, a := range model.Activity {
		tickers, heights = append(tickers, a.Ticker), append(heights, fmt.Sprint(a.Height))
	}
	kinds := []string{"deploy", "mint", "transfer", "transfer_send"}
	for range 250 {
		query := url.Values{}
		some := func(name string, most int, of []string) {
			for range random.IntN(most + 1) {
				query.Add(name, of[random.IntN(len(of))])
			}
		}
		if random.IntN(2) == 0 {
			some("ticker", 3, tickers)
		}
		if random.IntN(2) == 0 {
			some("operation", 3, kinds)
		}
		if random.IntN(3) == 0 {
			some("address", 1, feed.Addresses())
		}
		if random.IntN(6) == 0 {
			some("block_height", 1, heights)
		}
		var want []string
		for i := range model.Activity {
			if a := &model.Activity[i]; asksFor(query, a) {
				want = append(want, fmt.Sprintf("%s %s %d %x", a.Kind, a.ID, a.Height, a.TxID[:]))
			}
		}
		offset, limit := random.IntN(len(want)+2), 1+random.IntN(60)
		query.Set("offset", fmt.Sprint(offset))
		query.Set("limit", fmt.Sprint(limit))
		total, results := w.Page("/brc-20/activity?" + query.Encode())
		got := []string{}
		for _, r := range results {
			got = append(got, fmt.Sprintf("%s %s %.0f %s", r["operation"], r["inscription_id"], r["block_height"], r["tx_id"]))
		}
		from := min(offset, len(want))
		page := want[from:min(from+limit, len(want))]
		if total != len(want) || !slices.Equal(got, page) {
			t.Errorf("%s: got total %d, %d rows\n%s\nwant %d\n%s", query.Encode(), total, len(got), strings.Join(got, "\n"), len(want), strings.Join(page, "\n"))
		}
	}
	w.ComparePages("/brc-20/tokens?", len(model.Tokens), func(r apitest.Fields) string { return r["id"].(string) }, tokensOf(&model, func(a, b *synthordinals.Token) int {
		return cmp.Or(cmp.Compare(b.Height, a.Height), cmp.Compare(b.TxIndex, a.TxIndex))
	}))
	w.ComparePages("/brc-20/tokens?order_by=tx_count&", len(model.Tokens), func(r apitest.Fields) string { return r["id"].(string) }, tokensOf(&model, func(a, b *synthordinals.Token) int {
		return cmp.Or(cmp.Compare(b.TxCount, a.TxCount), cmp.Compare(a.Ticker, b.Ticker))
	}))
	for _, address := range feed.Addresses() {
		w.CompareBalances(&model, address)
	}
	for ticker, token := range model.Tokens {
		w.ComparePages("/brc-20/tokens/"+url.PathEscape(ticker)+"/holders?", token.Holders, func(r apitest.Fields) string { return r["address"].(string) }, nil)
	}
	compareHistory(w, &model, feed.Addresses()[0])
}

// asksFor says whether a query asks for an operation.
func asksFor(query url.Values, a *synthordinals.Activity) bool {
	in := func(name, value string) bool { return !query.Has(name) || slices.Contains(query[name], value) }
	return in("ticker", a.Ticker) && in("operation", string(a.Kind)) && in("block_height", fmt.Sprint(a.Height)) &&
		(in("address", a.Address) || a.Kind == ordinals.BRC20KindTransferSend && in("address", a.Receiver))
}

func tokensOf(model *synthordinals.State, order func(a, b *synthordinals.Token) int) (ids []string) {
	var tokens []*synthordinals.Token
	for _, token := range model.Tokens {
		tokens = append(tokens, token)
	}
	slices.SortFunc(tokens, order)
	for _, token := range tokens {
		ids = append(ids, string(token.ID))
	}
	return ids
}

// compareHistory adds up what an address had after some blocks.
func compareHistory(w *apitest.TokenWorld, model *synthordinals.State, address string) {
	w.T.Helper()
	var heights []uint64
	for _, b := range model.Blocks {
		heights = append(heights, b.Height)
	}
	for i := 0; i < len(heights); i += len(heights)/8 + 1 {
		balances := map[string]*synthordinals.Balance{}
		for _, a := range slices.Backward(model.Activity) {
			if a.Height <= heights[i] && a.Amount != nil {
				addActivity(balances, &a, address)
			}
		}
		var want []string
		for ticker, b := range balances {
			if b.Total().Sign() > 0 {
				want = append(want, w.BalanceText(model, ticker, *b))
			}
		}
		w.ExpectUnordered("/brc-20/balances/"+address+"?block_height="+fmt.Sprint(heights[i])+"&", want)
	}
}

// Requests that make no sense are refused, and never fail.
func TestBRC20Refused(t *testing.T) {
	t.Parallel()
	w := apitest.NewTokenWorld(t)
	for _, path := range []string{
		"/activity?operation=transfer_receive", "/activity?operation=Mint", "/activity?operation=", "/activity?limit=61", "/activity?limit=0", "/activity?limit=",
		"/activity?limit=1&limit=2", "/activity?offset=-1", "/activity?offset=9223372036854775808", "/activity?block_height=99999999999999999999",
		"/activity?block_height=-1", "/activity?block_height=1&block_height=2", "/activity?address=a&address=b", "/activity?address=%00", "/activity?ticker=%ff",
		"/tokens?order_by=foo", "/tokens?order_by=INDEX", "/tokens?limit=abc", "/tokens?ticker=%ff", "/tokens/%ff", "/tokens/%ff/holders",
		"/tokens/pepe/holders?limit=61", "/balances/%00", "/balances/a?block_height=1e3", "/balances/a?limit=1.5", "/balances/a/transferable?offset=x",
	} {
		for _, prefix := range []string{"/ordinals/v1/brc-20", "/ordinals/brc-20"} {
			got := w.Get(prefix + path)
			var body apitest.Fields
			if err := json.Unmarshal([]byte(got.Body), &body); err != nil || got.Status != http.StatusBadRequest || body["statusCode"] != 400.0 ||
				body["error"] != "Bad Request" || body["message"] == "" || got.Header.Get("ETag") != "" {
				t.Errorf("%s: got %d %s", prefix+path, got.Status, got.Body)
			}
		}
	}
	for path, total := range map[string]int{
		"/tokens?ticker=&foo=bar": 0, "/activity?ticker=" + strings.Repeat("x", 600): 0, "/activity?address=": 0, "/tokens?ticker=%F4%8F%BF%BF": 0, "/tokens?ticker=%00": 0, "/activity?ticker=%00": 0,
		"/balances/" + strings.Repeat("y", 600): 0, "/balances/a/transferable": 0,
	} {
		w.ExpectPage("/brc-20"+path, total, "ticker")
	}
}

// A ticker may hold any character, also those that mean something in a path, and NUL, which Postgres cannot store as text.
func TestTickersOfAnyText(t *testing.T) {
	t.Parallel()
	w := apitest.NewTokenWorld(t)
	tickers := map[string]string{ // as answers show them
		"\x00\x00\x00\x00": "\uFFFD\uFFFD\uFFFD\uFFFD", "a\x00Bc": "a\uFFFDBc", "../..": "../..", "/../a": "/../a", "a/..": "a/..", "....": "....", "abcd": "abcd", "abcd/": "abcd/",
		"a//b": "a//b", "%2F/": "%2F/", "a?b#": "a?b#", "a b+": "a b+", "\\..\\": "\\..\\", "%00a": "%00a",
	}
	height := 837090
	for tick := range tickers {
		w.Mine(height, w.Deploy(tick, "21000000", "1000", apitest.Ad1))
		w.Mine(height+1, w.Mint(tick, "1000", apitest.Ad1))
		height += 2
	}
	for tick, shown := range tickers {
		for _, asked := range []string{tick, strings.ToUpper(tick), shown} {
			segment, query := strings.ReplaceAll(url.PathEscape(asked), ".", "%2E"), url.QueryEscape(asked)
			for _, path := range []string{"/tokens/" + segment, "/tokens/" + url.PathEscape(asked)} {
				var body struct{ Token struct{ Ticker string } }
				got := w.Get("/ordinals/v1/brc-20" + path)
				if err := json.Unmarshal([]byte(got.Body), &body); err != nil || got.Status != http.StatusOK || body.Token.Ticker != shown {
					t.Errorf("%q as %s: got %d %s", tick, path, got.Status, got.Body)
				}
			}
			w.ExpectPage("/brc-20/tokens/"+segment+"/holders?", 1, "address", apitest.Ad1)
			w.ExpectPage("/brc-20/activity?ticker="+query, 2, "ticker", shown, shown)
			held := []any{shown}
			if tick == "abcd" { // the filter is a prefix
				held = append(held, "abcd/")
			}
			w.ExpectPage("/brc-20/balances/"+apitest.Ad1+"?ticker="+query, len(held), "ticker", held...)
		}
	}
	for _, path := range []string{"/tokens/%2e%2e", "/tokens/%2E", "/tokens/..%2f..%2f..", "/tokens/%00", "/tokens/%2Fabcd", "/tokens/%00/holders", "/tokens/abcd%2F%2F"} {
		if got := w.Get("/ordinals/v1/brc-20" + path); got.Status != http.StatusNotFound || got.Body != `{"error":"Not found"}` {
			t.Errorf("%s: got %d %s", path, got.Status, got.Body)
		}
	}
	// Dots and slashes that are not escaped belong to the path.
	for _, path := range []string{"/tokens/a/..", "/tokens//", "/tokens/../tokens", "/tokens/./abcd"} {
		if got := w.Get("/ordinals/v1/brc-20" + path); got.Status != http.StatusNotFound || !strings.Contains(got.Body, "Route GET:") {
			t.Errorf("%s: got %d %s", path, got.Status, got.Body)
		}
	}
}

// An answer has an entity tag, with which it is asked for again, until a block changes it.
func TestBRC20AskedAgain(t *testing.T) {
	t.Parallel()
	w := apitest.NewTokenWorld(t)
	w.Minted()
	for _, path := range []string{"/tokens", "/tokens/pepe", "/tokens/pepe/holders", "/balances/" + apitest.Ad1, "/activity?ticker=pepe"} {
		tag := w.Get("/ordinals/v1/brc-20" + path).Header.Get("ETag")
		if again := w.Request(http.MethodGet, "/ordinals/v1/brc-20"+path, "If-None-Match", tag); tag == "" || again.Status != http.StatusNotModified {
			t.Errorf("%s with %s: got %d", path, tag, again.Status)
		}
		w.Mine(779834, w.Mint("pepe", "5", apitest.AdB), w.Mint("pepe", "5", apitest.Ad1))
		check.Equal(t, fmt.Sprintf("%s with %s after a block", path, tag), w.Request(http.MethodGet, "/ordinals/v1/brc-20"+path, "If-None-Match", tag).Status, http.StatusOK)
		w.Back(779834)
	}
}

// addActivity adds what an operation gives an address, or takes from it.
func addActivity(balances map[string]*synthordinals.Balance, a *synthordinals.Activity, address string) {
	b := balances[a.Ticker]
	if b == nil {
		b = &synthordinals.Balance{Available: new(big.Int), Transferrable: new(big.Int)}
		balances[a.Ticker] = b
	}
	if a.Kind == ordinals.BRC20KindTransferSend && a.Receiver == address {
		b.Available.Add(b.Available, a.Amount)
	}
	if a.Address != address {
		return
	}
	switch a.Kind {
	case ordinals.BRC20KindMint:
		b.Available.Add(b.Available, a.Amount)
	case ordinals.BRC20KindTransfer:
		b.Available.Sub(b.Available, a.Amount)
		b.Transferrable.Add(b.Transferrable, a.Amount)
	case ordinals.BRC20KindTransferSend:
		b.Transferrable.Sub(b.Transferrable, a.Amount)
	case ordinals.BRC20KindDeploy:
	}
}
