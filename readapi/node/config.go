package node

import (
	"context"
)

// Config configures the node operations. The zero value of a field means its default.
type Config struct {
	// Status returns the status of each node to which requests under /v2 and /v3 are forwarded. Nil means that there
	// are no nodes. The server that embeds the API forwards those requests; they do not reach the API.
	Status func() []NodeStatus
	// BlockLimit asks a node for the execution cost limit of a tenure. Nil turns the override of fee estimates off.
	BlockLimit func(ctx context.Context) (ExecutionCost, error)
}
