package reads

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// Balance measures reads of balances at the tip and at old blocks, over one connection.
func (b *Bench) Balance(ctx context.Context) error {
	accounts := b.accounts()
	url, err := b.world(ctx)
	if err != nil {
		return err
	}
	server, err := b.Serve(ctx, url, "--roles", "api", "--cache-memory", "1")
	if err != nil {
		return err
	}
	defer server.Stop()
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	old := func(i int) int { return 1 + load.Pick(i, b.blocks()) }
	stx := func(account int) string { return "/extended/v1/address/" + bench.Account(account) + "/stx" }
	byRosetta := &load.Requests{}
	for i := range bench.Several {
		byRosetta.AddPost("/mesh/account/balance", fmt.Sprintf(
			`{"network_identifier":{"blockchain":"stacks","network":"mainnet"},"account_identifier":{"address":%q},"block_identifier":{"index":%d}}`,
			bench.Account(i%accounts), old(i)))
	}
	for _, kind := range []struct {
		what, target string
		requests     *load.Requests
	}{
		{"at the tip", "p99 < 5 ms", load.Numbered(min(accounts, bench.Several), stx)},
		{"at an old block", "p99 < 5 ms", load.Numbered(bench.Several, func(i int) string { return fmt.Sprintf("%s?until_block=%d", stx(i%accounts), old(i)) })},
		{"busy account at an old block", "p99 < 5 ms", load.Numbered(bench.Several, func(i int) string { return fmt.Sprintf("%s?until_block=%d", stx(0), old(i)) })},
		{"by Rosetta at an old block", "p99 < 10 ms", byRosetta},
	} {
		spent := &bench.Spending{Processes: []int{server.Pid(), b.Cluster.Pid()}}
		before, err := touches(ctx, pool)
		if err != nil {
			return err
		}
		f, err := load.InTurns(b.Round, 1, spent.Counting(server.Contender(ctx, kind.requests)))
		if err != nil {
			return fmt.Errorf("%s: %w", kind.what, err)
		}
		after, err := touches(ctx, pool)
		if err != nil {
			return err
		}
		b.Row(fmt.Sprintf("balance %s, %d ledger rows", kind.what, ledgerRows*b.Transactions), f[0].String(), "", "", kind.target)
		b.Row("  blocks of 8 KiB that a read touches; processor time, Strata + Postgres", fmt.Sprintf("%.1f; %s", float64(after-before)/float64(spent.Requests()), spent), "", "", "")
	}
	return nil
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
