package pool

import (
	"log/slog"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/hash"
)

// NodesMax is how many nodes a pool may have: sets of them are bits of a word.
const NodesMax = 64

// Config of a Pool. Every field but ChainID, Registry and Tip is required.
type Config struct {
	Nodes []Address
	// ChainID that a node must name as its network_id; 0: any.
	ChainID uint32
	Logger  *slog.Logger
	// Registry for metrics; nil: none.
	Registry prometheus.Registerer

	// A node lags when it is behind by more than LagBlocks and for longer than LagTime.
	LagBlocks int64
	LagTime   time.Duration
	// Tip is the newest block that is known from elsewhere; nil: nothing is.
	Tip func() (height int64, id hash.Hash32, ok bool)

	// Concurrency bounds the requests that a node has at a time, HeavyConcurrency the heavy ones among them.
	Concurrency, HeavyConcurrency int
	// QueueLength bounds how many more may wait for a node, QueueWait how long.
	QueueLength int
	QueueWait   time.Duration

	ConnectTimeout, ProbeTimeout, ProbeInterval time.Duration
	// SlowStart is how long a node that comes back takes to get its full share.
	SlowStart time.Duration
}

// Address of a node.
type Address struct {
	Name string
	URL  *url.URL
	// Weight is the share of requests that the node gets, relative to the others'.
	Weight float64
}
