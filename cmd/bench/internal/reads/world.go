// Package reads measures reads of the API: cached answers, answers from the tables, and the memory of the cache.
package reads

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/projections/balances"
)

// Sizes of the database of reads. Hot reads use a few accounts again and again, cold ones always another account. The
// number of accounts is prime, so that all of them have ledger rows.
const (
	worldAccounts = 199_999
	worldRows     = 400_000
	worldBlocks   = worldRows / ledgerPerBlock
)

// Bench measures reads of balances and blocks.
type Bench struct {
	*bench.Bench
	LedgerRows int    // of the database of Balance
	Distinct   int    // different requests of Keys
	url        string // of the database of reads, as soon as it exists
}

// Parts are the parts of this package.
var Parts = bench.Parts{"select": selectBalances, "keys": floodAPI}

const blocksTarget = "/extended/v2/blocks"

func balanceTarget(account int) string {
	return "/extended/v2/addresses/" + bench.Account(account) + "/balances/stx"
}

func hotTargets() []string {
	targets := make([]string, bench.HotCount)
	for i := range targets {
		targets[i] = balanceTarget(i)
	}
	return targets
}

// world returns the database of the measurements of reads. The first call creates it.
func (b *Bench) world(ctx context.Context) (url string, err error) {
	if b.url != "" {
		return b.url, nil
	}
	if url, err = b.ledger(ctx, "reads", worldAccounts, worldRows); err != nil {
		return "", err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	err = bench.ExecAll(ctx, pool,
		balances.Spec().SQL(`INSERT INTO {schema}.stx_lock (height, source_seq, unlock_height, position, tx_index, pox_version, amount, account, cause, pointer, txid)
			SELECT 1, 1, 1000000000, 0, 0, 4, 5, name, 'stx_lock_event', '/events/0', sha256(name::bytea) FROM public.account`),
		balances.Spec().SQL(`ANALYZE {schema}.stx_lock`),
	)
	if err != nil {
		return "", err
	}
	b.url = url
	return url, nil
}

// serveWorld starts an API on the database of reads that is ready to cache answers.
func (b *Bench) serveWorld(ctx context.Context, more ...string) (*bench.Server, error) {
	url, err := b.world(ctx)
	if err != nil {
		return nil, err
	}
	return b.ServeCaching(ctx, url, more...)
}
