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

	"github.com/jackc/pgx/v5/pgxpool"

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
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
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
		const first, reads = 500, 2500
		for range first { // they open connections and plan statements
			if _, err := read(); err != nil {
				return err
			}
		}
		before, err := touches(ctx, pool)
		if err != nil {
			return err
		}
		spent, err := processorTime(server.Pid(), b.Cluster.Pid())
		if err != nil {
			return err
		}
		var took []time.Duration
		for range reads {
			d, err := read()
			if err != nil {
				return err
			}
			took = append(took, d)
		}
		now, err := processorTime(server.Pid(), b.Cluster.Pid())
		if err != nil {
			return err
		}
		after, err := touches(ctx, pool)
		if err != nil {
			return err
		}
		slices.Sort(took)
		b.Row(fmt.Sprintf("balance %s, %d ledger rows, p50 / p99", kind.what, b.LedgerRows),
			bench.Milliseconds(load.Percentile(took, .5))+" / "+bench.Milliseconds(load.Percentile(took, .99)), "", "", kind.target)
		b.Row("  blocks of 8 KiB that it touches, processor time", fmt.Sprintf("%.1f, %.2f ms", float64(after-before)/reads, (now-spent).Seconds()*1e3/reads), "", "", "")
	}
	return nil
}

// processorTime returns what processes have spent so far.
func processorTime(pids ...int) (sum time.Duration, err error) {
	for _, pid := range pids {
		spent, err := bench.ProcessorTime(pid)
		if err != nil {
			return 0, err
		}
		sum += spent
	}
	return sum, nil
}

// countsAfter is how long an idle session of Postgres may keep what it has counted to itself.
const countsAfter = 11 * time.Second

// touches returns how many blocks the sessions on a database have looked at so far, in memory or on disk.
func touches(ctx context.Context, pool *pgxpool.Pool) (blocks int64, err error) {
	select {
	case <-time.After(countsAfter):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	err = pool.QueryRow(ctx, `SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()`).Scan(&blocks)
	return blocks, err
}

// ask makes a request: a POST if it has a body, else a GET.
func ask(url, body string) (*http.Response, error) {
	if body == "" {
		return http.Get(url)
	}
	return http.Post(url, "application/json", strings.NewReader(body))
}
