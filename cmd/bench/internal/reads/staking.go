package reads

import (
	"context"
	"fmt"
	"strconv"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// ReadStaking measures reads about pox-5 from the tables.
func (b *Bench) ReadStaking(ctx context.Context) error {
	w := stakersWorld{b.Stakers}
	url, err := b.Create(ctx, w.world())
	if err != nil {
		return err
	}
	// The clock of a test network follows from the rows of the world.
	server, err := b.ServeCaching(ctx, url, "--cache-memory", "1", "--network", "testnet")
	if err != nil {
		return err
	}
	defer server.Stop()
	const v3 = "/extended/v3/staking"
	anybody := func(i int) string { return bench.Account(1 + load.Pick(i, w.Stakers)) }
	member := func(i int) string { return bench.Account(1 + load.Pick(i, bondMembers)) }
	for _, look := range []struct {
		what string
		path func(i int) string
	}{
		{"/staking", func(i int) string { return v3 + "?" + strconv.Itoa(i) }},
		{"/staking/bonds", func(i int) string { return v3 + "/bonds?limit=" + strconv.Itoa(1+i%50) }},
		{"/staking/bonds/{i}/allowlist", func(i int) string {
			return fmt.Sprintf("%s/bonds/0/allowlist?limit=50&cursor=%d:2147483647:0", v3, 1+load.Pick(i, bondMembers))
		}},
		{"/staking/bonds/{i}/registrations", func(i int) string {
			return fmt.Sprintf("%s/bonds/0/registrations?limit=50&cursor=%d:2147483647:0", v3, 1+load.Pick(i, bondMembers))
		}},
		{"/staking/signers/{p}", func(i int) string { return fmt.Sprintf("%s/signers/%s?%d", v3, signerManager, i) }},
		{"/staking/signers/{p}/stakers", func(i int) string { return v3 + "/signers/" + signerManager + "/stakers?cursor=" + anybody(i) }},
		{"/staking/cycles/{n}", func(i int) string { return fmt.Sprintf("%s/cycles/%d?%d", v3, 1+i%13, i) }},
		{"/staking/cycles/{n}/signers", func(i int) string { return fmt.Sprintf("%s/cycles/%d/signers?limit=%d", v3, 1+i%13, 1+i%250) }},
		{"/staking/cycles/{n}/stakers", func(i int) string { return fmt.Sprintf("%s/cycles/%d/stakers?cursor=%s", v3, 1+i%13, anybody(i)) }},
		{"/staking/signer-keys/{k}/rewards", func(i int) string {
			return fmt.Sprintf("%s/signer-keys/%s/rewards?limit=%d", v3, signerKey, 1+i%50)
		}},
		{"/principals/{p}/staking", func(i int) string { return "/extended/v3/principals/" + anybody(i) + "/staking" }},
		{"/principals/{p}/staking/bonds", func(i int) string { return "/extended/v3/principals/" + member(i) + "/staking/bonds" }},
	} {
		if err := b.Lookups(ctx, server, fmt.Sprintf("%s, %d stakers", look.what, w.Stakers), "p99 < 10 ms", look.path); err != nil {
			return err
		}
	}
	return nil
}
