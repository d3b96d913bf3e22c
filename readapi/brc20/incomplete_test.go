package brc20_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

// Answers about a token of which an operation could not be read say so, until the feed has corrected the block.
func TestIncompleteTokens(t *testing.T) {
	t.Parallel()
	w := apitest.NewTokenWorld(t)
	w.Mine(779832, w.Deploy("PePe", "21000000", "1000", apitest.Ad1), w.Deploy("ordi", "21000000", "1000", apitest.Ad1))
	w.Mine(779833, w.Mint("pepe", "100", apitest.Ad1), w.Mint("ordi", "100", apitest.Ad1))
	flagged := func(path string) (tickers []string) {
		_, results := w.Page(path)
		for _, r := range results {
			if r["incomplete"] == true {
				tickers = append(tickers, fmt.Sprint(r["ticker"]))
			}
		}
		return tickers
	}
	expect := func(when string, want ...string) {
		t.Helper()
		for _, path := range []string{
			"/brc-20/tokens?", "/brc-20/tokens?order_by=tx_count", "/brc-20/tokens?ticker=p&ticker=o", "/brc-20/balances/" + apitest.Ad1 + "?",
			"/brc-20/balances?address=" + apitest.Ad1, "/brc-20/balances/" + apitest.Ad1 + "?block_height=779834",
			"/brc-20/balances?address=" + apitest.Ad1 + "&block_height=779834",
		} {
			check.EqualSlices(t, fmt.Sprintf("%s, %s", when, path), flagged(path), want)
		}
		for _, path := range []string{"/brc-20/balances/" + apitest.Ad1 + "?block_height=779833", "/brc-20/balances?address=" + apitest.Ad1 + "&block_height=779833"} {
			if got := flagged(path); got != nil {
				t.Errorf("%s, %s: got %v before the operation", when, path, got)
			}
		}
		var incomplete any
		if len(want) > 0 {
			incomplete = true
		}
		w.ExpectToken("pepe", apitest.Fields{"incomplete": incomplete}, nil)
		w.ExpectToken("ordi", apitest.Fields{"incomplete": nil}, nil)
	}
	expect("before")
	damaged := w.Mint("PEPE", "5", apitest.Ad2)
	good := apitest.With(damaged.Operation, nil)
	damaged.Operation = apitest.Fields{"mint": apitest.With(good["mint"].(apitest.Fields), apitest.Fields{"amt": 5})}
	w.Mine(779834, damaged, w.Mint("ordi", "1", apitest.Ad3))
	expect("with a mint that can't be read", "PePe")
	w.Back(779834)
	expect("after a rollback")
	damaged.Operation = good
	w.Mine(779834, damaged)
	expect("with the mint")
}

// A token whose deploy could not be read is unknown, and the answer says why.
func TestUnreadDeploy(t *testing.T) {
	t.Parallel()
	w := apitest.NewTokenWorld(t)
	deploy, mint := w.Deploy("pepe", "21000000", "1000", apitest.Ad1), w.Mint("pepe", "5", apitest.Ad1)
	mint.Operation["mint"].(apitest.Fields)["amt"] = 5
	w.Mine(779830, w.Deploy("ordi", "21000000", "1000", apitest.Ad1))
	w.Mine(779831, mint)
	const other = `{"error":"Not found","message":"The feed had an operation on it in the block at height 779831, which could not be read.","unread":`
	deploy.Operation["deploy"].(apitest.Fields)["dec"] = "many"
	for _, path := range []string{"/brc-20/tokens/PEPE", "/brc-20/tokens/pepe/holders"} {
		if got := w.Get("/ordinals/v1" + path); got.Status != 404 || !strings.HasPrefix(got.Body, other) {
			t.Errorf("%s: got %d %s", path, got.Status, got.Body)
		}
	}
	w.Mine(779832, deploy)
	for _, path := range []string{"/brc-20/tokens/PEPE", "/brc-20/tokens/pepe/holders"} {
		got := w.Get("/ordinals/v1" + path)
		for _, part := range []string{
			`"error":"Not found"`, `"message":"The feed had its deploy in the block at height 779832, which could not be read."`,
			`"block_height":779832,"seq":3,"pointer":"/apply/0/transactions/0/metadata/brc20_operation/deploy/dec"`, `"event":"/audit/v1/events/3"`,
		} {
			if got.Status != 404 || !strings.Contains(got.Body, part) {
				t.Errorf("%s: got %d %s, want %s", path, got.Status, got.Body, part)
			}
		}
	}
	w.ExpectNotFound("/brc-20/tokens/pep")
	w.Back(779831, 779832)
	w.ExpectNotFound("/brc-20/tokens/pepe")
}
