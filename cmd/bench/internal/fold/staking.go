package fold

import (
	"context"

	"strata/internal/synth/synthchain"
)

// Staking measures what the projection of pox-5 adds to a rebuild. The chain goes through all epochs, and one of ten
// transactions has to do with staking: far more than on mainnet.
func (b *Bench) Staking(ctx context.Context) error {
	config := synthchain.AllEpochs(1)
	config.SigningSample, config.ForgetHistory = 1000, true
	config.Mix.Staking = 11
	events := min(4000, b.Rebuilt)
	path, _, _, err := b.archive("rebuild-staking.tsv", config, limits{events: events})
	if err != nil {
		return err
	}
	return b.addition(ctx, path, addition{
		name: "staking in a rebuild", database: "rebuild_staking", events: events, target: "CPU ≤ 1.1×",
		request: func(added bool) buildRequest { return buildRequest{WithoutStaking: !added} },
	})
}
