package reads

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// Balance measures reads of balances at the tip and at old blocks, over HTTP. The ledger has 2,000 accounts, of which
// one has a tenth of all rows.
func (b *Bench) Balance(ctx context.Context) error {
	const accounts = 2000
	url, err := b.ledger(ctx, "balance", accounts, b.LedgerRows)
	if err != nil {
		return err
	}
	server, err := b.Serve(ctx, url, "--roles", "api")
	if err != nil {
		return err
	}
	defer server.Stop()
	random := rand.New(rand.NewPCG(1, 1))
	for _, kind := range []string{"at the tip", "at an old block", "busy account at an old block"} {
		read := func() (time.Duration, error) {
			account := random.IntN(accounts)
			if kind == "busy account at an old block" {
				account = 0
			}
			url := fmt.Sprintf("%s/extended/v1/address/%s/stx", server.API, bench.Account(account))
			if kind != "at the tip" {
				url += fmt.Sprintf("?until_block=%d", 1+random.IntN(b.LedgerRows/ledgerPerBlock))
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
		b.Row(fmt.Sprintf("balance %s, %d ledger rows, p50 / p99", kind, b.LedgerRows),
			bench.Milliseconds(load.Percentile(took, .5))+" / "+bench.Milliseconds(load.Percentile(took, .99)), "", "", "p99 < 5 ms")
	}
	return nil
}
