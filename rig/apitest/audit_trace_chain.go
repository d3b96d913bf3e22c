package apitest

import (
	"testing"

	"strata/internal/synth/synthchain"
	"strata/projections/balances"
	"strata/readapi"
	"strata/rig/replay"
)

// madeUp is an API over a made-up chain with forks, and the truth about it.
func MadeUp(t *testing.T) (*Site, synthchain.State) {
	t.Helper()
	config := synthchain.Everything(5, synthchain.V30)
	config.SigningSample, config.Accounts = 1000, 12
	made := synthchain.New(config)
	log := replay.NewLog(t)
	replay.Append(t, log, replay.Take(300, made.Next)...)
	replay.Run(t, log, NewChain(t), balances.New(nil))
	return NewSiteOn(t, log.Pool(), readapi.Config{}), made.Expected()
}
