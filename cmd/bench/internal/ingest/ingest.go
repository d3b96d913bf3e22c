// Package ingest measures how fast the server acknowledges blocks, and what an append costs.
package ingest

import (
	"context"
	"fmt"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/synthchain"
)

// Bench measures posts of a node.
type Bench struct {
	*bench.Bench
	// Events is the length of the longer log of Body.
	Events int
}

// Acknowledge compares the latency of the answer to a node with that of a bare one-row commit of the same bytes, and of
// the same commit behind a minimal HTTP server. They take turns, for blocks of 1, 10, 100 and 1,000 transfers.
func (b *Bench) Acknowledge(ctx context.Context) {
	for _, transfers := range []int{1, 10, 100, 1000} {
		b.acknowledgeBlocks(ctx, transfers)
	}
}

func (b *Bench) acknowledgeBlocks(ctx context.Context, transfers int) {
	rounds := 1000
	if transfers >= 100 {
		rounds = 100
	}
	chain := synthchain.New(synthchain.Config{
		Seed: 2, TxPerBlock: synthchain.Range{Min: transfers, Max: transfers}, SigningSample: 100, ForgetHistory: true,
		Accounts: max(64, transfers),
	})
	b.CompareAcknowledgements(ctx, fmt.Sprintf("acknowledge_%d", transfers), fmt.Sprintf("a block of %d", transfers), rounds, func() (path string, body []byte) {
		for {
			if p := chain.Next(); p.Path == "/new_block" {
				return p.Path, p.Body
			}
		}
	})
}
