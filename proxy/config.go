package proxy

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Config of a Proxy. Nodes are required; the zero value of any other field means its default.
type Config struct {
	Nodes []Node
	// ChainID is the network_id that nodes must have (mainnet 1, testnet 2147483648); one that has another never gets a
	// request. Default 0: any.
	ChainID uint32
	// Logger for what an operator should know; each request is a debug record. Default none.
	Logger *slog.Logger
	// Registry that metrics are registered with; default none.
	Registry prometheus.Registerer
	// Origin is the value of Access-Control-Allow-Origin; default "*".
	Origin string
	// BodyLimit is the largest request body in bytes; default 10 MB.
	BodyLimit int64
	Timeouts  Timeouts
	// ConcurrencyPerNode bounds the requests that a node has at a time; default 128. A quarter of them may be heavy.
	ConcurrencyPerNode int
	// QueueLength is how many requests may wait for each node, default 256; QueueWait how long, default 2 s.
	QueueLength int
	QueueWait   time.Duration
	RateLimit   RateLimit
	LagLimit    LagLimit
	// Hedge sends a light read that takes longer than most to a second node as well.
	Hedge bool
	// Multicast sends each transaction to all nodes, not just until the first has taken it.
	Multicast bool
	// Cache keeps answers; default none.
	Cache Cache
	// Tip is the newest block that the log has seen. It is called for each request that could be answered from the
	// cache, so it has to be quick. Default none.
	Tip func() (height int64, indexBlockHash [32]byte, ok bool)
	// FeeOverride may replace a node's answer of status 200 to POST /v2/fees/transaction; default none. It must not
	// change its arguments.
	FeeOverride func(body, answer []byte) ([]byte, bool)
	// AllowOperator opens the endpoints that are for miners, signers and who runs the nodes.
	AllowOperator bool
	// ProbeInterval is how often each node is asked how it is; default 2 s.
	ProbeInterval time.Duration
}

// Timeouts bound how long one node may take, for one try.
type Timeouts struct {
	Connect time.Duration // making a connection; default 2 s
	Probe   time.Duration // saying how it is; default 1 s
	Light   time.Duration // default 5 s
	Medium  time.Duration // default 10 s
	Heavy   time.Duration // default 35 s, as a node stops a contract call after 30 s
	Stall   time.Duration // between two pieces of a long answer; default 15 s
}

// LagLimit is when a node lags: behind by more than Blocks (default 3), for longer than Time (default 30 s).
type LagLimit struct {
	Blocks int64
	Time   time.Duration
}

// RateLimit is how many requests per second each client may make, and how many at once; PerSecond 0 means as many as it
// likes. Burst 0 means twice PerSecond.
type RateLimit struct {
	PerSecond float64
	Burst     int
}

// Cache keeps answers. It must be safe for concurrent use. Values must not be changed, by either side.
type Cache interface {
	// Get returns what is at hand. It is called for each request that could be answered from the cache, so it has to be
	// quick.
	Get(key [32]byte) (value []byte, ok bool)
	// Find looks further, where processes share their answers. It is called when Get has nothing, once for all
	// requests that are identical at the same time, and should take much less than a node would.
	Find(ctx context.Context, key [32]byte) (value []byte, ok bool)
	// Set keeps a value for a time. It must not wait.
	Set(key [32]byte, value []byte, ttl time.Duration)
}

// Defaults of Config.
const (
	BodyLimitDefault          = 10_000_000
	ConcurrencyPerNodeDefault = 128
	QueueLengthDefault        = 256
	QueueWaitDefault          = 2 * time.Second
	LagBlocksDefault          = 3
	LagTimeDefault            = 30 * time.Second
	ProbeIntervalDefault      = 2 * time.Second
)

// slowStart is how long a node that comes back takes to get its full share.
const slowStart = 10 * time.Second

// heavyShare is the part of a node's requests, 1/heavyShare, that may be heavy.
const heavyShare = 4

var (
	errNoNodes  = errors.New("proxy without nodes")
	errNegative = errors.New("proxy with a negative limit")
)

func (c Config) withDefaults() (Config, error) {
	if len(c.Nodes) == 0 {
		return c, errNoNodes
	}
	if c.BodyLimit < 0 || c.ConcurrencyPerNode < 0 || c.QueueLength < 0 || c.LagLimit.Blocks < 0 || c.RateLimit.PerSecond < 0 || c.RateLimit.Burst < 0 {
		return c, errNegative
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Origin = or(c.Origin, "*")
	c.BodyLimit = or(c.BodyLimit, BodyLimitDefault)
	c.Timeouts = Timeouts{
		Connect: or(c.Timeouts.Connect, 2*time.Second),
		Probe:   or(c.Timeouts.Probe, time.Second),
		Light:   or(c.Timeouts.Light, 5*time.Second),
		Medium:  or(c.Timeouts.Medium, 10*time.Second),
		Heavy:   or(c.Timeouts.Heavy, 35*time.Second),
		Stall:   or(c.Timeouts.Stall, 15*time.Second),
	}
	c.ConcurrencyPerNode = or(c.ConcurrencyPerNode, ConcurrencyPerNodeDefault)
	c.QueueLength = or(c.QueueLength, QueueLengthDefault)
	c.QueueWait = or(c.QueueWait, QueueWaitDefault)
	c.LagLimit = LagLimit{or(c.LagLimit.Blocks, LagBlocksDefault), or(c.LagLimit.Time, LagTimeDefault)}
	c.RateLimit.Burst = or(c.RateLimit.Burst, int(2*c.RateLimit.PerSecond)+1)
	c.ProbeInterval = or(c.ProbeInterval, ProbeIntervalDefault)
	return c, nil
}

// or is value, or its default where it is zero.
func or[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
