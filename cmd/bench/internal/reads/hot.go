package reads

import (
	"context"

	"strata/cmd/bench/internal/bench"
)

// Hot compares answers from memory with a bare handler that writes the same bytes.
func (b *Bench) Hot(ctx context.Context) {
	server := b.serveWorld(ctx)
	defer server.Stop()
	b.FromMemory(ctx, server, "≥ 0.6×, ≥ 30,000 req/s", []bench.HotRead{
		{What: "hot STX balance, 299 accounts", Targets: hotTargets()},
		{What: "hot blocks", Targets: []string{blocksTarget}},
		{What: "hot blocks, zstd", Targets: []string{blocksTarget}, Encoding: "zstd"},
	})
}
