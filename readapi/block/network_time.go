package block

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
)

// targetTime is how much time there should be between Bitcoin blocks.
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

// registerNetworkTimes adds what networks are set up for, which is no matter of the tables.
func (a *api) registerNetworkTimes() {
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-network-block-times", Path: "/extended/v1/info/network_block_times", Tag: "Blocks", Summary: "Time between blocks that networks aim at",
	}, func(context.Context, *struct{}) (targetTimes, error) { return networkTimes, nil })
	engine.GetPlain(a.Engine, engine.Operation{
		ID: "get-network-block-time", Path: "/extended/v1/info/network_block_time/{network}", Tag: "Blocks", Summary: "Time between blocks that a network aims at",
		Statuses: []int{http.StatusBadRequest},
	}, func(_ context.Context, in *networkInput) (targetTime, error) {
		if in.Network == "testnet" {
			return networkTimes.Testnet, nil
		}
		return networkTimes.Mainnet, nil
	})
}
