package reads

import (
	"context"
	"fmt"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// Balance measures reads of balances at the tip and at old blocks, over one connection.
func (b *Bench) Balance(ctx context.Context) {
	accounts := b.accounts()
	url := b.world(ctx)
	server := b.Serve(ctx, url, "--roles", "api", "--cache-memory", "1")
	defer server.Stop()
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
		f := b.InTurns(kind.what, 1, server.Contender(ctx, kind.requests))
		b.Row(fmt.Sprintf("balance %s, %d ledger rows", kind.what, ledgerRows*b.Transactions), f[0].String(), "", "", kind.target)
	}
}
