package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// balance measures reads of balances at the tip and at old blocks, over HTTP. The ledger has 2,000 accounts, of which
// one has a tenth of all rows.
func (b *bench) balance(ctx context.Context, rows int) error {
	const accounts = 2000
	url, err := b.ledger(ctx, "balance", accounts, rows)
	if err != nil {
		return err
	}
	server, err := b.serve(ctx, url, "--roles", "api")
	if err != nil {
		return err
	}
	defer server.stop()
	random := rand.New(rand.NewPCG(1, 1))
	for _, kind := range []string{"at the tip", "at an old block", "busy account at an old block"} {
		read := func() (time.Duration, error) {
			account := random.IntN(accounts)
			if kind == "busy account at an old block" {
				account = 0
			}
			url := fmt.Sprintf("%s/extended/v1/address/%s/stx", server.api, benchAccount(account))
			if kind != "at the tip" {
				url += fmt.Sprintf("?until_block=%d", 1+random.IntN(rows/ledgerPerBlock))
			}
			started := time.Now()
			response, err := http.Get(url)
			if err != nil {
				return 0, err
			}
			body, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err == nil && response.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s: %s %s", url, response.Status, body)
			}
			return time.Since(started), err
		}
		var took []time.Duration
		for i := range 3000 {
			d, err := read()
			if err != nil {
				return err
			}
			if i >= 500 { // the first reads open connections and plan statements
				took = append(took, d)
			}
		}
		slices.Sort(took)
		b.row(fmt.Sprintf("balance %s, %d ledger rows, p50 / p99", kind, rows),
			ms(percentile(took, .5))+" / "+ms(percentile(took, .99)), "", "", "p99 < 5 ms")
	}
	return nil
}
