// Package staking serves the operations on pox-5: bonds, stakes, signer managers, reward cycles and what stakers earn.
package staking

import "strata/readapi/internal/engine"

// api holds the operations that the package mounts on an engine.
type api struct{ *engine.Engine }

// Mount adds the operations of the package to an engine.
func Mount(e *engine.Engine) {
	e.TraceTables(tracedEvent, tracedMember, tracedMinerReward)
	a := &api{e}
	a.registerOverview()
	a.registerBonds()
	a.registerBondEvents()
	a.registerAllowlists()
	a.registerRegistrations()
	a.registerSigners()
	a.registerSignerStakers()
	a.registerCycles()
	a.registerCycleSigners()
	a.registerCycleStakers()
	a.registerKeyRewards()
	a.registerMinerRewards()
	a.registerPrincipals()
	a.registerEvents()
}

// tag is the tag of the operations.
const tag = "Staking"

// prefix begins the paths of the operations.
const prefix = "/extended/v3/staking"

// tipHeight returns the height of the Bitcoin block of the tip; false while there are no rows.
func tipHeight(s *engine.Snapshot) (int64, bool) {
	v, ok := s.Tip("staking")
	if !ok || v.BurnHeight == nil || s.Active("chain") == nil {
		return 0, false
	}
	return *v.BurnHeight, true
}

// mainnet reports whether the archive is of mainnet.
func (a *api) mainnet() bool { return a.Config.Network == engine.NetworkDefault }
