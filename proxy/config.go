package proxy

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Config configures a Proxy. Nodes are required; the zero value of any other field selects its default.
type Config struct {
	Nodes []Node
	// ChainID is the network_id that nodes must have (mainnet 1, testnet 2147483648). A node with another one never
	// gets a request. Default 0: any network.
	ChainID uint32
	// Logger gets what an operator should know, and a debug record for each request. Default none.
	Logger *slog.Logger
	// Registry registers the metrics. Default none.
	Registry prometheus.Registerer
	// BodyLimit is the maximum size of a request body in bytes; default 10 MB. Some endpoints take less.
	BodyLimit int64
	Timeouts  Timeouts
	// ConcurrencyPerNode is the maximum number of in-flight requests per node; default 128. A quarter of them may be
	// heavy.
	ConcurrencyPerNode int
	// QueueLength is the maximum number of requests that wait for one node; default 256.
	QueueLength int
	// QueueWait is the maximum time that a request waits for a node; default 2 s.
	QueueWait time.Duration
	// RateLimit is the maximum number of requests per second and client, with bursts of twice as many; default unlimited.
	RateLimit float64
	LagLimit  LagLimit
	// Hedge sends a light read to a second node as well when it takes longer than 95 % of the earlier ones.
	Hedge bool
	// Multicast sends each transaction to all nodes. Without it, the proxy stops at the first node that accepts it.
	Multicast bool
	// Cache stores answers; default none.
	Cache Cache
	// Tip returns the newest block in the log. The proxy calls it for each request that the cache could answer, so it
	// must be fast. Default none.
	Tip func() (height int64, indexBlockHash [32]byte, ok bool)
	// FeeOverride may replace the node's answer to a POST /v2/fees/transaction that has status 200; default none. It
	// must not modify its arguments.
	FeeOverride func(body, answer []byte) ([]byte, bool)
	// AllowOperator opens the endpoints that are meant for miners, signers and node operators.
	AllowOperator bool
	// HideNames shows clients the number of a node, in the order of Nodes, from 1, instead of its name, which is often its
	// address.
	HideNames bool
	// ProbeInterval is the time between two probes of a node; default 2 s.
	ProbeInterval time.Duration
}

// Timeouts bound how long one node may take for one attempt.
type Timeouts struct {
	Connect time.Duration // to open a connection; default 2 s
	Probe   time.Duration // to answer a probe; default 1 s
	Light   time.Duration // to answer a light request; default 5 s
	Medium  time.Duration // to answer a medium request; default 10 s
	Heavy   time.Duration // to answer a heavy request; default 35 s, because a node stops a contract call after 30 s
	Stall   time.Duration // between two pieces of a streamed answer; default 15 s
}

// LagLimit defines when a node lags: when it is more than Blocks behind (default 3) for longer than Time (default 30
// s).
type LagLimit struct {
	Blocks int64
	Time   time.Duration
}

// Cache stores answers. It must be safe for concurrent use. Neither side may modify a value.
type Cache interface {
	// Get returns a value from local memory. The proxy calls it for each request that the cache could answer, so it
	// must be fast.
	Get(key [32]byte) (value []byte, ok bool)
	// Find looks the key up in storage that processes share. The proxy calls it when Get misses, once for all identical
	// in-flight requests. It should take much less time than a node does.
	Find(ctx context.Context, key [32]byte) (value []byte, ok bool)
	// Set stores a value for the time ttl. It must not block.
	Set(key [32]byte, value []byte, ttl time.Duration)
}

// Default values of Config.
const (
	BodyLimitDefault          = 10_000_000
	ConcurrencyPerNodeDefault = 128
	QueueLengthDefault        = 256
	QueueWaitDefault          = 2 * time.Second
	LagBlocksDefault          = 3
	LagTimeDefault            = 30 * time.Second
	ProbeIntervalDefault      = 2 * time.Second
)

// slowStart is the time over which the share of a readmitted node grows back to normal.
const slowStart = 10 * time.Second

// heavyShare is the inverse of the fraction of a node's in-flight requests that may be heavy.
const heavyShare = 4

var (
	errNoNodes  = errors.New("proxy configuration has no nodes; name at least one")
	errNegative = errors.New("proxy configuration has a negative limit")
)

func (c Config) withDefaults() (Config, error) {
	if len(c.Nodes) == 0 {
		return c, errNoNodes
	}
	if c.BodyLimit < 0 || c.ConcurrencyPerNode < 0 || c.QueueLength < 0 || c.LagLimit.Blocks < 0 || !(c.RateLimit >= 0) {
		return c, errNegative
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.BodyLimit = cmp.Or(c.BodyLimit, BodyLimitDefault)
	c.Timeouts = Timeouts{
		Connect: cmp.Or(c.Timeouts.Connect, 2*time.Second),
		Probe:   cmp.Or(c.Timeouts.Probe, time.Second),
		Light:   cmp.Or(c.Timeouts.Light, 5*time.Second),
		Medium:  cmp.Or(c.Timeouts.Medium, 10*time.Second),
		Heavy:   cmp.Or(c.Timeouts.Heavy, 35*time.Second),
		Stall:   cmp.Or(c.Timeouts.Stall, 15*time.Second),
	}
	c.ConcurrencyPerNode = cmp.Or(c.ConcurrencyPerNode, ConcurrencyPerNodeDefault)
	c.QueueLength = cmp.Or(c.QueueLength, QueueLengthDefault)
	c.QueueWait = cmp.Or(c.QueueWait, QueueWaitDefault)
	c.LagLimit = LagLimit{cmp.Or(c.LagLimit.Blocks, LagBlocksDefault), cmp.Or(c.LagLimit.Time, LagTimeDefault)}
	c.ProbeInterval = cmp.Or(c.ProbeInterval, ProbeIntervalDefault)
	return c, nil
}
