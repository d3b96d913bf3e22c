package synthchain

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/nodeevent"
	"strata/internal/testkit/must"
)

// TestAllEpochs counts what a chain with all epochs has on its canonical branch: boot contracts of all epochs, locks by all
// stacking contracts, calls of contracts whose time is over, and all that stakers of pox-5 do.
func TestAllEpochs(t *testing.T) {
	config := AllEpochs(1)
	config.SigningSample = 1000
	c := New(config)
	for c.Expected().Tip.BurnHeight < config.normalized().StartBurnHeight+235 {
		for range 100 {
			c.Next()
		}
	}
	seen := map[string]int{}
	for _, p := range c.CanonicalPosts() {
		event := must.Get(nodeevent.Decode(p.Path, p.Body))(t)
		b, ok := event.(*nodeevent.Block)
		if !ok {
			continue
		}
		if b.RewardSet != nil {
			seen["reward set"]++
			if b.RewardSet.PoxThreshold == nil {
				seen["reward set of pox-5"]++
			}
		}
		for i := range b.Transactions {
			if tx := &b.Transactions[i]; tx.VMError != nil && strings.Contains(*tx.VMError, "DefunctPoxContract") {
				seen["defunct"]++
			}
		}
		for i := range b.Events {
			switch e := b.Events[i].Data.(type) {
			case *nodeevent.STXLock:
				_, name, _ := strings.Cut(e.Contract, ".")
				seen["lock by "+name]++
			case *nodeevent.ContractEvent:
				if !strings.HasSuffix(e.Contract, ".pox-5") {
					continue
				}
				v := must.Get(clarity.DecodeAll(e.RawValue))(t)
				topic, _ := v.Field("topic")
				text, _ := topic.Text()
				seen[text]++
			}
		}
	}
	for _, contract := range slices.Sorted(maps.Keys(c.Expected().Contracts)) {
		if _, name, ok := strings.Cut(contract, "."); ok {
			seen["contract "+name]++
		}
	}
	for _, what := range []string{
		"contract pox", "contract costs-2", "contract pox-2", "contract costs-3", "contract pox-3", "contract pox-4", "contract signers", "contract sip-031", "contract costs-4",
		"contract pox-5", "contract sbtc-token", "contract signer-manager", "lock by pox", "lock by pox-2", "lock by pox-3", "lock by pox-4", "lock by pox-5",
		"reward set", "reward set of pox-5", "defunct", "setup-bond", "add-to-allowlist", "register-for-bond", "update-bond-registration", "stake", "stake-update", "unstake",
		"announce-l1-early-exit", "unstake-sbtc", "bond-distribution", "calculate-rewards", "claim-rewards", "claim-staker-rewards-for-signer", "grant-signer-key",
		"register-signer", "revoke-signer-grant",
	} {
		if seen[what] == 0 {
			t.Errorf("no %s", what)
		}
	}
	rolled := 0
	for _, p := range c.Expected().Staking.Positions {
		if p.Status == "rolled_over" {
			rolled++
		}
	}
	if rolled == 0 {
		t.Error("nobody has rolled a bond over")
	}
	t.Log(seen, rolled)
}
