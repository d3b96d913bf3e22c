package pox_test

import (
	"strata/projections/pox"
	"strata/rig/foldtest"
)

var rig = foldtest.New(func() foldtest.Projection {
	projection := pox.New()
	projection.Limit(4) // so that lists have several parts
	return projection
}, []string{"source_seq"},
	"burn_block", "reward", "recipient", "slot", "payout", "block", "cycle", "signer", "stacker", "event", "delegation", "stacking", "commitment", "pox5_stake", "pox5_key", "list")
