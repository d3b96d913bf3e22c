package reads

import (
	"context"
	"fmt"
	"strconv"

	"strata/cmd/bench/internal/load"
)

// ReadStaking measures reads about pox-5 from the tables.
func (b *Bench) ReadStaking(ctx context.Context) {
	w := newStakersWorld(b.Stakers)
	const network = "testnet" // whose clock follows from the events
	url := b.World(ctx, "staking", w.posts(), "--network", network)
	server := b.ServeCaching(ctx, url, "--cache-memory", "1", "--network", network)
	defer server.Stop()
	const v3 = "/extended/v3/staking"
	anybody := func(i int) string { return w.stakers[load.Pick(i, len(w.stakers))] }
	member := func(i int) string { return w.stakers[load.Pick(i, bondMembers)] }
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
		{"/staking/signers/{p}", func(i int) string { return fmt.Sprintf("%s/signers/%s?%d", v3, w.signer, i) }},
		{"/staking/signers/{p}/stakers", func(i int) string { return v3 + "/signers/" + w.signer + "/stakers?cursor=" + anybody(i) }},
		{"/staking/cycles/{n}", func(i int) string { return fmt.Sprintf("%s/cycles/%d?%d", v3, 1+i%lastCycle, i) }},
		{"/staking/cycles/{n}/signers", func(i int) string { return fmt.Sprintf("%s/cycles/%d/signers?limit=%d", v3, 1+i%lastCycle, 1+i%250) }},
		{"/staking/cycles/{n}/stakers", func(i int) string {
			return fmt.Sprintf("%s/cycles/%d/stakers?cursor=%s", v3, 1+i%lastCycle, anybody(i))
		}},
		{"/staking/signer-keys/{k}/rewards", func(i int) string {
			return fmt.Sprintf("%s/signer-keys/%s/rewards?limit=%d", v3, w.key, 1+i%50)
		}},
		{"/principals/{p}/staking", func(i int) string { return "/extended/v3/principals/" + anybody(i) + "/staking" }},
		{"/principals/{p}/staking/bonds", func(i int) string { return "/extended/v3/principals/" + member(i) + "/staking/bonds" }},
	} {
		b.Lookups(ctx, server, fmt.Sprintf("%s, %d stakers", look.what, b.Stakers), "p99 < 10 ms", look.path)
	}
}
