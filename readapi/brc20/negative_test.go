package brc20_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

// A balance below zero says so, and is among the faults of the feed, until the block that was lost arrives.
func TestNegativeBalances(t *testing.T) {
	t.Parallel()
	w := apitest.NewTokenWorld(t)
	long := strings.Repeat("bc1p", 100) // whatever the feed says is an address
	w.Mine(779832, w.Deploy("pepe", "21000000", "1000", apitest.Ad1), w.Deploy("ordi", "21000000", "1000", apitest.Ad1))
	w.Mine(779833, w.Mint("pepe", "100", apitest.Ad1), w.Mint("ordi", "100", apitest.Ad1), w.Mint("pepe", "10", long))
	w.Mine(779835, w.Transfer("pepe", "500", apitest.Ad1), w.Transfer("ordi", "1", apitest.Ad1), w.Transfer("pepe", "11", long))
	flagged := func(path string) (tickers []string) {
		_, results := w.Page(path)
		for _, r := range results {
			if r["negative"] == true {
				tickers = append(tickers, fmt.Sprint(r["ticker"], r["available_balance"]))
			}
		}
		return tickers
	}
	for _, path := range []string{"/brc-20/balances/" + apitest.Ad1, "/brc-20/balances?address=" + apitest.Ad1, "/brc-20/balances/" + apitest.Ad1 + "?block_height=779835"} {
		check.EqualSlices(t, path, flagged(path), []string{"pepe" + apitest.Whole("-400")})
	}
	if got := flagged("/brc-20/balances/" + apitest.Ad1 + "?block_height=779833"); got != nil {
		t.Errorf("got %v before", got)
	}
	anomalies := func() (list []string) {
		for target := "/audit/v1/feed-anomalies?limit=1"; target != ""; {
			var page struct {
				Cursor  struct{ Next *string }
				Results []struct {
					Kind, Pointer, Ticker, Address, Event string
					BlockHeight                           int    `json:"block_height"`
					Available                             string `json:"available_balance"`
				}
			}
			if err := json.Unmarshal([]byte(w.Get(target).Body), &page); err != nil || len(list) > 9 {
				t.Fatal(list, err)
			}
			for _, f := range page.Results {
				list = append(list, fmt.Sprint(f.Kind, " ", f.BlockHeight, f.Pointer, " ", f.Ticker, " ", f.Available))
			}
			if target = ""; page.Cursor.Next != nil {
				if size := len(*page.Cursor.Next); size > apitest.CursorMax {
					t.Errorf("a cursor has %d bytes", size)
				}
				target = "/audit/v1/feed-anomalies?limit=1&cursor=" + url.QueryEscape(*page.Cursor.Next)
			}
		}
		return list
	}
	want := []string{
		"negative_balance 779835/apply/0/transactions/0/metadata/brc20_operation pepe " + apitest.Whole("-400"),
		"negative_balance 779835/apply/0/transactions/2/metadata/brc20_operation pepe " + apitest.Whole("-1"),
	}
	check.EqualSlices(t, "anomalies", anomalies(), want)
	w.Rollback(apitest.TokenBlock(900000, apitest.DefaultTime))
	want = append(want, "unknown_rollback 900000/rollback/0  ")
	check.EqualSlices(t, "anomalies", anomalies(), want)
	w.Mine(779834, w.Mint("pepe", "400", apitest.Ad1), w.Mint("pepe", "1", long))
	if got := flagged("/brc-20/balances/" + apitest.Ad1); got != nil {
		t.Errorf("got %v with the lost block", got)
	}
	check.EqualSlices(t, "anomalies", anomalies(), want[2:])
	w.Back(779834)
	check.EqualSlices(t, "without it again", anomalies(), want)
}
