// Package reads measures reads of the API: cached answers, and answers from large tables that SQL fills.
package reads

import (
	"context"

	"strata/cmd/bench/internal/bench"
)

// Sizes of the database of reads. Hot reads use a few accounts again and again, cold ones always another account. The
// number of accounts is prime, so that all of them have ledger rows.
const (
	worldAccounts = 199_999
	worldRows     = 400_000
	worldBlocks   = worldRows / ledgerPerBlock
)

// Bench measures reads.
type Bench struct {
	*bench.Bench
	LedgerRows   int    // of the database of Balance
	Named        int    // names in each registry
	Stakers      int    // of pox-5
	Transactions int    // there is one account for ten of them
	url          string // of the database of balances and blocks, as soon as it exists
}

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
	b.url, err = b.ledger(ctx, "reads", worldAccounts, worldRows)
	return b.url, err
}

// serveWorld starts an API on the database of reads that is ready to cache answers.
func (b *Bench) serveWorld(ctx context.Context, more ...string) (*bench.Server, error) {
	url, err := b.world(ctx)
	if err != nil {
		return nil, err
	}
	return b.ServeCaching(ctx, url, more...)
}
