package reads

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
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
	old := func() int { return 1 + random.IntN(b.LedgerRows/ledgerPerBlock) }
	stx := func(account int) string {
		return fmt.Sprintf("%s/extended/v1/address/%s/stx", server.API, bench.Account(account))
	}
	for _, kind := range []struct {
		what, target string
		request      func() (url, body string)
	}{
		{"at the tip", "p99 < 5 ms", func() (string, string) { return stx(random.IntN(accounts)), "" }},
		{"at an old block", "p99 < 5 ms", func() (string, string) {
			return fmt.Sprintf("%s?until_block=%d", stx(random.IntN(accounts)), old()), ""
		}},
		{"busy account at an old block", "p99 < 5 ms", func() (string, string) { return fmt.Sprintf("%s?until_block=%d", stx(0), old()), "" }},
		{"by Rosetta at an old block", "p99 < 10 ms", func() (string, string) {
			return server.API + "/mesh/account/balance", fmt.Sprintf(`{"network_identifier":{"blockchain":"stacks","network":"mainnet"},"account_identifier":{"address":%q},"block_identifier":{"index":%d}}`,
				bench.Account(random.IntN(accounts)), old())
		}},
	} {
		read := func() (time.Duration, error) {
			url, question := kind.request()
			started := time.Now()
			response, err := ask(url, question)
			if err != nil {
				return 0, err
			}
			body, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err == nil && response.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s %s: %s %s", url, question, response.Status, body)
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
		b.Row(fmt.Sprintf("balance %s, %d ledger rows, p50 / p99", kind.what, b.LedgerRows),
			bench.Milliseconds(load.Percentile(took, .5))+" / "+bench.Milliseconds(load.Percentile(took, .99)), "", "", kind.target)
	}
	return nil
}

// ask makes a request: a POST if it has a body, else a GET.
func ask(url, body string) (*http.Response, error) {
	if body == "" {
		return http.Get(url)
	}
	return http.Post(url, "application/json", strings.NewReader(body))
}
