package reads

import (
	"context"

	"strata/cmd/bench/internal/bench"
)

// Hot compares answers from memory with a bare handler that writes the same bytes.
func (b *Bench) Hot(ctx context.Context) error {
	server, err := b.serveWorld(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	return b.FromMemory(ctx, server, "≥ 0.6×, ≥ 30,000 req/s", []bench.HotRead{
		{What: "hot STX balance, 299 accounts", Targets: hotTargets()},
		{What: "hot blocks", Targets: []string{blocksTarget}},
		{What: "hot blocks, zstd", Targets: []string{blocksTarget}, With: bench.Conditions{Encoding: "zstd"}},
	})
}

// NotModified does the same as Hot for clients that already have the answer.
func (b *Bench) NotModified(ctx context.Context) error {
	server, err := b.serveWorld(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	return b.FromMemory(ctx, server, "≥ 0.7×", []bench.HotRead{
		{What: "304 STX balance, 299 accounts", Targets: hotTargets(), With: bench.Conditions{Conditional: true}},
		{What: "304 blocks", Targets: []string{blocksTarget}, With: bench.Conditions{Conditional: true}},
	})
}
