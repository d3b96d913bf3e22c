package block

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
)

// targetTime is the time between blocks that a network aims at.
type targetTime struct {
	TargetBlockTime int `json:"target_block_time" doc:"Seconds."`
}

type targetTimes struct {
	Testnet targetTime `json:"testnet"`
	Mainnet targetTime `json:"mainnet"`
}

var networkTimes = targetTimes{Testnet: targetTime{120}, Mainnet: targetTime{600}}

type networkInput struct {
	Network string `path:"network" enum:"testnet,mainnet"`
}

// registerNetworkTimes registers the endpoints of the networks' target block times, which are constants.
func (a *api) registerNetworkTimes() {
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-network-block-times", Path: "/extended/v1/info/network_block_times", Tag: "Blocks", Summary: "Target block times of the networks",
		Untraced: engine.PartOfProgram,
	}, func(context.Context, *struct{}) (targetTimes, error) { return networkTimes, nil })
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-network-block-time", Path: "/extended/v1/info/network_block_time/{network}", Tag: "Blocks", Summary: "Target block time of a network",
		Statuses: []int{http.StatusBadRequest}, Untraced: engine.PartOfProgram,
	}, func(_ context.Context, in *networkInput) (targetTime, error) {
		if in.Network == "testnet" {
			return networkTimes.Testnet, nil
		}
		return networkTimes.Mainnet, nil
	})
}
