package apitest

import (
	"strings"

	"strata/rig/replay"
)

// networkOf is the network that addresses of posts are of.
func NetworkOf(posts []replay.Post) string {
	for _, p := range posts {
		if strings.Contains(string(p.Body), `"ST000000000000000000002AMW42H`) {
			return "testnet"
		}
	}
	return "mainnet"
}
