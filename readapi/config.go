package readapi

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/commit"
	"strata/domain/fetch"
	"strata/internal/tracing"
	"strata/metadata/picture"
	"strata/readapi/audit"
	"strata/readapi/faucet"
	"strata/readapi/internal/cache"
	"strata/readapi/internal/engine"
	"strata/readapi/node"
	"strata/readapi/rosetta"
	"strata/readapi/status"
)

// Config configures an API. Pool is required for anything but the documentation; the zero value of any other field means
// its default.
type Config struct {
	// These are the engine's: engine.Config describes them. The metrics of the whole API are in Registry, which is also
	// what GET /metrics shows. Program need not tell different configurations apart; the API adds what does.
	Pool             *pgxpool.Pool
	Primary          *pgxpool.Pool
	Logger           *slog.Logger
	Tracer           *tracing.Tracer
	Registry         *prometheus.Registry
	Rules            map[string]int
	Readable         map[string][]int
	Version          engine.Version
	Network          string
	StatementTimeout time.Duration
	RequestTimeout   time.Duration
	CacheBytes       int64
	ColdReads        int
	Redis            *cache.Client
	RedisPrefix      string
	Program          string
	Signal           func() <-chan struct{}
	Feed             *commit.Feed
	WatchInterval    time.Duration
	StrictParameters bool
	PublicInternals  bool

	// LagLimit is how many items of its input an active projection may be behind before GET /readyz reports it; default
	// 1000.
	LagLimit int64
	// ImageBase is the base URL under which copies of images are served, without a slash at its end. Without it (the
	// default) answers name a gateway instead.
	ImageBase string
	// Images is the store of the copies; without it (the default) none are served. The caller closes it.
	Images picture.Store
	// Nodes returns the status of the nodes to which requests under /v2 and /v3 are forwarded, in the order of the
	// configuration; default none. The server
	// around the API forwards these requests, so that they don't reach the API. With Nodes, a quarter of CacheBytes is
	// reserved for NodeAnswers.
	Nodes func() []node.NodeStatus
	// BlockLimit asks a node for the total execution cost that the blocks of a tenure may have, for FeeOverride. Without
	// it (the default) no fees are estimated.
	BlockLimit func(ctx context.Context) (node.ExecutionCost, error)
	// CallRead calls a read-only function of a contract on a node, for what the log does not tell. The value is
	// zero if the call failed on the chain. Without it (the default) such requests fail.
	CallRead func(ctx context.Context, contract clarity.Principal, function string, arguments ...clarity.Value) (clarity.Value, error)
	// Log serves the log as a transparency log; nil for none.
	Log audit.TransparencyLog
	// OrdinalsTxIDBare leaves 0x out of the transaction ids of inscriptions, as ordinals-api does.
	OrdinalsTxIDBare bool
	// RegistryOfNames are the contracts of BNS-V2; by default those of mainnet and testnet.
	RegistryOfNames bns.Contracts
	// StreamsMost is the maximum number of streaming connections; default 20,000.
	StreamsMost int
	// StreamsPerClient is the maximum number of them for one client; default unlimited.
	StreamsPerClient int
	// Heartbeat is the interval at which an idle stream sends a sign of life; default 15 s.
	Heartbeat time.Duration
	// StreamWriteTimeout is how long a streaming client may leave sent data unread; default 10 s.
	StreamWriteTimeout time.Duration
	// PingInterval is the interval of pings to WebSocket clients, and how long to wait for each answer; default 5 s.
	PingInterval time.Duration
	// StreamQueue is the maximum number of messages that may wait for a streaming client; default 1024.
	StreamQueue int
	// Refresh records a client's request to fetch a token's metadata again. Without it (the default) there are no such
	// requests.
	Refresh func(ctx context.Context, wish fetch.Refresh) error
	// Faucet says where coins of a test network come from. Without it (the default) there are none.
	Faucet faucet.Config
	// Notices, if set, returns what an operator of this process should know although its answers are right; GET /readyz shows it.
	Notices func() []status.Notice
	// CompareProblem, if set, returns why this process could not compare accounts with a node when it last tried; empty if it could.
	// GET /readyz and /extended/v1/status show it.
	CompareProblem func() string
	// Rosetta configures /mesh and /rosetta/v1. Network and Version are taken from above.
	Rosetta rosetta.Config
}

// LagLimitDefault is the default of Config.LagLimit.
const LagLimitDefault = 1000

func (c Config) withDefaults() Config {
	if c.Registry == nil {
		c.Registry = prometheus.NewRegistry()
	}
	if c.CacheBytes <= 0 {
		c.CacheBytes = engine.CacheBytesDefault
	}
	if c.LagLimit <= 0 {
		c.LagLimit = LagLimitDefault
	}
	return c
}

// engine returns the engine's part of the configuration. Processes whose configurations lead to different answers get
// different Programs.
func (c *Config) engine() engine.Config {
	e := engine.Config{
		Description: description(c.Version), Pool: c.Pool, Primary: c.Primary, Logger: c.Logger, Tracer: c.Tracer, Registry: c.Registry, Rules: c.Rules, Readable: c.Readable, Version: c.Version,
		Network: c.Network, StatementTimeout: c.StatementTimeout, RequestTimeout: c.RequestTimeout, CacheBytes: c.CacheBytes, ColdReads: c.ColdReads,
		Redis: c.Redis, RedisPrefix: c.RedisPrefix, Program: cmp.Or(c.Program, c.Version.String()) + c.variant(),
		Signal: c.Signal, Feed: c.Feed, WatchInterval: c.WatchInterval, StrictParameters: c.StrictParameters, PublicInternals: c.PublicInternals,
	}
	if c.Nodes != nil {
		e.TimedBytes = c.CacheBytes / nodeShare
	}
	return e
}

// rosetta returns the configuration of /mesh and /rosetta/v1.
func (c *Config) rosetta() rosetta.Config {
	config := c.Rosetta
	config.Network, config.Version = cmp.Or(c.Network, engine.NetworkDefault), c.Version.String()
	return config
}

// variant describes the settings that change answers, so that processes with different settings don't share answers;
// empty for the defaults.
func (c *Config) variant() string {
	text := ""
	if c.ImageBase != "" {
		text = " images=" + c.ImageBase
	}
	if c.OrdinalsTxIDBare {
		text += " bare tx_id"
	}
	return text
}

// notices returns the messages of what an operator of the process should know.
func (c *Config) notices() (messages []string) {
	if c.Notices == nil {
		return nil
	}
	for _, notice := range c.Notices() {
		messages = append(messages, notice.Message)
	}
	return messages
}
