package node

import (
	"context"
)

// nodeConfig of the resources of nodes; the zero value of any field means its default.
type Config struct {
	// Status says how the nodes are to which requests under /v2 and /v3 are forwarded; default none. Whoever serves the
	// API forwards those requests, so that they don't come to the API.
	Status func() []NodeStatus
	// BlockLimit asks a node what the blocks of a tenure may cost together, for FeeOverride; default none, and no fees
	// are estimated.
	BlockLimit func(ctx context.Context) (ExecutionCost, error)
}
