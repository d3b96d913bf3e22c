package reads

import (
	"context"
	"fmt"
	"strconv"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// ReadTransactions measures reads of transactions, accounts and blocks from the tables. The baseline of a deep page is the first
// page of the same list.
func (b *Bench) ReadTransactions(ctx context.Context) {
	url := b.world(ctx)
	b.FromTables(ctx, url, func(server *bench.Server) {
		memory := bench.WatchMemory(server.Pid())
		b.transactionLookups(ctx, server)
		b.accountPages(ctx, server)
		b.operations(ctx, server)
		b.Row("  memory of the server meanwhile", memory.Summary(), "", "", "flat, < 300 MiB")
	})
}

// transactionLookups measures reads by an id, a height or an address, which is another one in each request.
func (b *Bench) transactionLookups(ctx context.Context, server *bench.Server) {
	tx := func(i int) string { return b.txid(load.Pick(i, b.Transactions)) }
	block := func(i int) int { return 1 + load.Pick(i, b.blocks()) }
	account := func(i int) string { return bench.Account(1 + load.Pick(i, b.accounts()-1)) }
	full := func(i int) int { return 1 + i%max(b.Transactions/blockSize, 1) }
	for _, look := range []struct {
		what, target string
		path         func(i int) string
	}{
		{"/tx/{tx_id}", "p99 < 5 ms", func(i int) string { return "/extended/v1/tx/" + tx(i) }},
		{"v3 /transactions/{tx_id}", "p99 < 5 ms", func(i int) string { return "/extended/v3/transactions/" + tx(i) }},
		{"transactions of an account, page 1", "p99 < 10 ms", func(i int) string { return "/extended/v1/address/" + account(i) + "/transactions" }},
		{"v2 /blocks/{height}", "", func(i int) string { return "/extended/v2/blocks/" + strconv.Itoa(block(i)) }},
		{"v1 block with 2,000 transactions", "p99 < 50 ms", func(i int) string { return fmt.Sprintf("/extended/v1/block/by_height/%d?%d", full(i), i) }},
		{"200 transactions of a block with 2,000", "p99 < 50 ms", func(i int) string {
			return fmt.Sprintf("/extended/v1/tx/block/%s?limit=200&offset=%d", b.blockHash(full(i)), i%(blockSize-200))
		}},
		{"search for a transaction", "p99 < 10 ms", func(i int) string { return "/extended/v1/search/" + tx(i) }},
		{"search for a block", "p99 < 10 ms", func(i int) string { return "/extended/v1/search/" + b.blockHash(block(i)) }},
		{"search for an account", "p99 < 10 ms", func(i int) string { return "/extended/v1/search/" + account(i) }},
	} {
		b.Lookups(ctx, server, look.what, look.target, look.path)
	}
}

// operations measures blocks of 2,000 transactions with their operations, in both dialects of the integration standard. The
// baseline is the same block in version 1 of the API.
func (b *Bench) operations(ctx context.Context, server *bench.Server) {
	full := func(i int) int { return 1 + i%max(b.Transactions/blockSize, 1) }
	plain := load.Numbered(bench.Variants, func(i int) string { return fmt.Sprintf("/extended/v1/block/by_height/%d?%d", full(i), i) })
	for _, path := range []string{"/mesh/block", "/rosetta/v1/block"} {
		blocks := &load.Requests{}
		for i := range min(b.blocks(), bench.Variants) {
			blocks.AddPost(path, fmt.Sprintf(`{"network_identifier":{"blockchain":"stacks","network":"mainnet"},"block_identifier":{"index":%d}}`, full(i)))
		}
		b.CompareLatencies([]int{1}, "cold "+path+" with 2,000 transactions", "v1 block with 2,000 transactions", "p99 < 100 ms",
			server.Contender(ctx, plain), server.Contender(ctx, blocks))
	}
}

// accountPages compares deep pages with first pages, for the account with a tenth of all transactions.
func (b *Bench) accountPages(ctx context.Context, server *bench.Server) {
	const limit = 20
	busy := bench.Account(0)
	page := min(10_000, b.Transactions/10/limit/2)
	for _, list := range []struct{ what, path string }{
		{"transactions", "/extended/v1/address/" + busy + "/transactions?"},
		{"transactions with transfers", "/extended/v1/address/" + busy + "/transactions_with_transfers?"},
		{"v2 transactions", "/extended/v2/addresses/" + busy + "/transactions?"},
		{"assets", "/extended/v1/address/" + busy + "/assets?"},
		{"all transactions", "/extended/v1/tx?"},
	} {
		what := fmt.Sprintf("cold %s, page %d", list.what, page)
		b.Deep(ctx, server, what, "page 1", "≤ 1.5×, p99 < 10 ms", bench.Variants, 1, page, func(page, i int) string {
			return fmt.Sprintf("%slimit=%d&offset=%d", list.path, limit, (page-1)*limit+i)
		})
	}
}
