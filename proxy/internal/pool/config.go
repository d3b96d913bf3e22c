package pool

import (
	"log/slog"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/hash"
)

// NodesMax is the maximum number of nodes in a pool: a set of nodes is a 64-bit word with one bit per node.
const NodesMax = 64

// Config configures a Pool. Every field but ChainID, Registry and Tip is required.
type Config struct {
	Nodes []Address
	// ChainID is the network_id that a node must report; 0 allows any.
	ChainID uint32
	Logger  *slog.Logger
	// Registry registers the metrics; nil for none.
	Registry prometheus.Registerer

	// A node lags when it is behind by more than LagBlocks for longer than LagTime.
	LagBlocks int64
	LagTime   time.Duration
	// Tip returns the newest block known from another source, such as the log; nil without such a source.
	Tip func() (height int64, id hash.Hash32, ok bool)

	// Concurrency bounds the in-flight requests of a node, HeavyConcurrency the heavy ones among them.
	Concurrency, HeavyConcurrency int
	// QueueLength bounds the number of requests that wait for a node, QueueWait the time that each waits.
	QueueLength int
	QueueWait   time.Duration

	ConnectTimeout, ProbeTimeout, ProbeInterval time.Duration
	// SlowStart is the time over which the share of a readmitted node grows back to normal.
	SlowStart time.Duration
}

// Address is the configuration of one node.
type Address struct {
	Name string
	URL  *url.URL
	// Weight is the node's share of requests, relative to the weights of the others.
	Weight float64
}
