package fold

import (
	"context"
	"fmt"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/synthchain"
)

// genesisAccounts is the number of accounts in the genesis block of mainnet.
const genesisAccounts = 330_000

// Genesis measures the fold of a genesis block as large as that of mainnet by all projections: how long it takes, and the
// greatest memory of the process. A chain with few accounts is the baseline.
func (b *Bench) Genesis(ctx context.Context) {
	var took [2]time.Duration
	var memory [2]int64
	var bytes int64
	for i, accounts := range []int{64, genesisAccounts} {
		config := synthchain.Config{Seed: 1, Accounts: accounts, SigningSample: 1000, ForgetHistory: true}
		url, pool, _, size := b.Log(ctx, fmt.Sprintf("genesis_%d", accounts), posts(config, limits{events: 50}))
		bytes = size
		pool.Close()
		builder := b.Helper(ctx, "rebuild")
		r, _ := b.buildIn(builder, buildRequest{URL: url})
		builder.Stop()
		took[i], memory[i] = r.Took, r.Memory
	}
	b.Row(fmt.Sprintf("genesis with %d accounts, %d MB, all projections", genesisAccounts, bytes/1e6),
		fmt.Sprintf("%.1f s, RSS ≤ %d MiB", took[1].Seconds(), memory[1]>>20), fmt.Sprintf("%.1f s, RSS ≤ %d MiB with 64 accounts", took[0].Seconds(), memory[0]>>20),
		bench.Times(float64(memory[1]), float64(memory[0])), "RSS < 600 MB")
}
