// Package reads measures reads of the API: cached answers, and answers from large tables.
package reads

import (
	"context"

	"strata/cmd/bench/internal/bench"
)

// Bench measures reads.
type Bench struct {
	*bench.Bench
	transfersWorld
	Named   int    // names in each registry
	Stakers int    // of pox-5
	url     string // of the database of the transfers, as soon as it exists
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

// NewBench returns measurements of worlds with so many transactions, names in each registry, and stakers.
func NewBench(b *bench.Bench, transactions, named, stakers int) *Bench {
	return &Bench{Bench: b, transfersWorld: transfersWorld{transactions}, Named: named, Stakers: stakers}
}

// world returns the database of the transfers. The first call creates it.
func (b *Bench) world(ctx context.Context) (url string) {
	if b.url == "" {
		b.url = b.World(ctx, "reads", b.posts())
	}
	return b.url
}

// serveWorld starts an API on the database of reads that is ready to cache answers.
func (b *Bench) serveWorld(ctx context.Context, more ...string) *bench.Server {
	return b.ServeCaching(ctx, b.world(ctx), more...)
}
