package staking_test

import (
	"strata/projections/staking"
	"strata/rig/foldtest"
)

var rig = foldtest.New(func() foldtest.Projection { return staking.New() }, []string{"source_seq"},
	"block", "event", "anchor", "bond", "allowlist", "registration", "stake", "share", "weight", "holding", "signer", "signer_key", "key_grant",
	"calculation", "distribution", "earning", "claim", "staker_claim", "claimed", "cycle_set", "set_member", "bitcoin")
