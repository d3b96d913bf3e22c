package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections/chain"
)

// readTransactions measures reads of transactions, accounts and blocks from the tables. The baseline of most of them is
// a bare SELECT of a transaction by its id; that of a deep page is the first page of the same list.
func (b *bench) readTransactions(ctx context.Context) error {
	url, err := b.transactionWorld(ctx)
	if err != nil {
		return err
	}
	return b.fromTables(ctx, url, func(server *server) error {
		memory := watchMemory(server.command.Process.Pid)
		if err := b.chainLookups(ctx, server, url); err != nil {
			return err
		}
		if err := b.accountPages(ctx, server); err != nil {
			return err
		}
		b.row("  memory of the server meanwhile", memory.summary(), "", "", "flat, < 300 MiB")
		return nil
	})
}

// chainLookups measures reads by an id, a height or an address, which is another one in each request.
func (b *bench) chainLookups(ctx context.Context, server *server, url string) error {
	selecting, err := b.selecting(ctx, "transactions", url)
	if err != nil {
		return err
	}
	defer selecting.stop()
	const several = 20_000
	random := func(i, below int) int { return int(uint64(i) * 2_654_435_761 % uint64(below)) }
	tx := func(i int) string { return b.chain.txid(1 + random(i, b.chain.Transactions)) }
	block := func(i int) int { return 1 + random(i, b.chain.blocks()) }
	account := func(i int) string { return benchAccount(1 + random(i, b.chain.accounts()-1)) }
	full := func(i int) int { return 1 + i%b.chain.fullBlocks() }
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
			return fmt.Sprintf("/extended/v1/tx/block/%s?limit=200&offset=%d", b.chain.blockHash(full(i)), i%(chainFull-200))
		}},
		{"search for a transaction", "p99 < 10 ms", func(i int) string { return "/extended/v1/search/" + tx(i) }},
		{"search for a block", "p99 < 10 ms", func(i int) string { return "/extended/v1/search/" + b.chain.blockHash(block(i)) }},
		{"search for an account", "p99 < 10 ms", func(i int) string { return "/extended/v1/search/" + account(i) }},
	} {
		err := b.compareLatencies([]int{1, 16}, "cold "+look.what, "bare SELECT of a transaction", look.target,
			selectingOf(selecting, b.chain), server.loading(ctx, numbered(several, look.path)))
		if err != nil {
			return err
		}
	}
	return nil
}

// accountPages compares deep pages with first pages, for the account with a tenth of all transactions.
func (b *bench) accountPages(ctx context.Context, server *server) error {
	const limit = 20
	busy := benchAccount(0)
	page := min(10_000, b.chain.Transactions/10/limit/2)
	for _, list := range []struct{ what, path string }{
		{"transactions", "/extended/v1/address/" + busy + "/transactions?"},
		{"transactions with transfers", "/extended/v1/address/" + busy + "/transactions_with_transfers?"},
		{"v2 transactions", "/extended/v2/addresses/" + busy + "/transactions?"},
		{"assets", "/extended/v1/address/" + busy + "/assets?"},
		{"all transactions", "/extended/v1/tx?"},
	} {
		around := func(page int) contender {
			return server.loading(ctx, numbered(variants, func(i int) string {
				return fmt.Sprintf("%slimit=%d&offset=%d", list.path, limit, (page-1)*limit+i)
			}))
		}
		what := fmt.Sprintf("cold %s, page %d", list.what, page)
		if err := b.compareLatencies([]int{1, 16}, what, "page 1", "≤ 1.5×, p99 < 10 ms", around(1), around(page)); err != nil {
			return err
		}
	}
	return nil
}

// selectTransactions runs the SELECT of a transaction by its id as a helper process.
func selectTransactions(ctx context.Context, in *json.Decoder, out *json.Encoder) error {
	query := chain.Spec().SQL(`
		SELECT t.*, b.height, b.block_hash, b.parent_block_hash, b.index_block_hash, b.block_time, b.burn_block_time, b.burn_block_height, e.*
		FROM {schema}.transaction t
		JOIN {schema}.block b ON b.source_seq = t.source_seq
		JOIN {schema}.canonical c ON c.block_seq = t.source_seq
		JOIN {schema}.event e ON (e.source_seq, e.tx_index) = (t.source_seq, t.tx_index)
		WHERE t.txid = decode(substr($1, 3), 'hex')`)
	return selectRounds(ctx, in, out, func(w chainWorld) selectRow {
		return func(pool *pgxpool.Pool, random *rand.Rand) error {
			return decodeRows(ctx, pool, query, w.txid(1+random.IntN(w.Transactions)))
		}
	})
}
