package engine

import (
	"cmp"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/commit"
	"strata/internal/tracing"
	"strata/readapi/internal/cache"
)

// Config configures an Engine. Description is required, and so is Pool for anything but the documentation. The zero
// value of any other field means its default.
type Config struct {
	// Description is huma's starting point: title, tags and schema registry.
	Description huma.Config
	// Pool connects to the database that is read; a replica will do.
	Pool *pgxpool.Pool
	// Primary connects to the database that is written, where Pool reads replicas, of which it uses another one when one fails.
	// Requests that ask for a position that Pool does not reach soon are answered from Primary. Default none.
	Primary *pgxpool.Pool
	// Logger receives what an operator should know, and each request at level debug; default none.
	Logger *slog.Logger
	// Tracer traces reads of the database, as parts of the spans that requests have; default none.
	Tracer *tracing.Tracer
	// Registry is where the metrics are registered; default a new one.
	Registry *prometheus.Registry
	// Rules are the rules numbers of this program's projections, by projection: they number the code that builds a
	// version's rows. Versions that other code has built are not read; such reads are answered with 503. Default none:
	// all versions are read.
	Rules map[string]int
	// Readable are earlier rules, by projection, whose rows the reads of this program understand, too: they answer from
	// them until a version with its own rules is active. Default none.
	Readable map[string][]int
	// Version is the program's version, which answers report.
	Version Version
	// Network is the network that the archive belongs to; default mainnet.
	Network string
	// StatementTimeout bounds each query in the database; default 10 s.
	StatementTimeout time.Duration
	// RequestTimeout bounds the total time that a request may wait for the database; default 15 s.
	RequestTimeout time.Duration
	// ColdReads is the maximum number of reads for clients that use a connection at the same time, except those of targets
	// with recent hits and look-ups that share round trips; default twice the processors, but at least 4, and at most half
	// of the connections of Pool. More of them wait, and are refused when too many do.
	ColdReads int
	// CacheBytes bounds the memory for cached answers; default 64 MiB.
	CacheBytes int64
	// TimedBytes is the part of CacheBytes for answers that expire with time rather than with the state; default none.
	TimedBytes int64
	// Redis is where processes share their answers; default none. The caller closes it.
	Redis *cache.Client
	// RedisPrefix is the prefix of all keys in Redis; default "strata:".
	RedisPrefix string
	// Program separates the answers of this program, as it is configured, from those of others that share the Redis;
	// default Version.
	Program string
	// Signal returns a channel that is closed at the next sign that the tables may have changed; default none. Without
	// it a change is noticed after WatchInterval at most.
	Signal func() <-chan struct{}
	// Feed, if set, hands over what transactions have changed in the database of Pool, so that the engine need not look.
	Feed *commit.Feed
	// StrictParameters refuses requests with parameters that their operation does not know (400); otherwise such parameters
	// are ignored, and the answer names them.
	StrictParameters bool
	// PublicInternals shows everybody what else only the handler of ForOperators shows; see ShowsInternals.
	PublicInternals bool
	// WatchInterval is the interval at which to look for changes in any case; default 1 s with Signal, else 100 ms.
	WatchInterval time.Duration
}

// Defaults of Config.
const (
	NetworkDefault          = "mainnet"
	StatementTimeoutDefault = 10 * time.Second
	RequestTimeoutDefault   = 15 * time.Second
	CacheBytesDefault       = cache.MemoryBytesDefault
	RedisPrefixDefault      = cache.PrefixDefault
)

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Registry == nil {
		c.Registry = prometheus.NewRegistry()
	}
	if c.Network == "" {
		c.Network = NetworkDefault
	}
	if c.StatementTimeout <= 0 {
		c.StatementTimeout = StatementTimeoutDefault
	}
	if c.RequestTimeout <= 0 {
		c.RequestTimeout = RequestTimeoutDefault
	}
	if c.CacheBytes <= 0 {
		c.CacheBytes = CacheBytesDefault
	}
	if c.RedisPrefix == "" {
		c.RedisPrefix = RedisPrefixDefault
	}
	if c.Program == "" {
		c.Program = c.Version.String()
	}
	return c
}

// Version identifies a build of the program.
type Version struct {
	Tag    string // such as v1.2.0; default dev
	Branch string // default unknown
	Commit string // default unknown
}

// String returns "<tag> (<branch>:<commit>)", the value of the header X-API-Version.
func (v Version) String() string {
	return fmt.Sprintf("%s (%s:%s)", cmp.Or(v.Tag, "dev"), cmp.Or(v.Branch, "unknown"), cmp.Or(v.Commit, "unknown"))
}

// Prepare configures connections for reading; call it before creating the pool. Queries that are sent together then see
// one snapshot, can't write, and are canceled after statementTimeout (0 means StatementTimeoutDefault).
//
// The engine works with any pool. With a prepared one, most reads take a single round trip, and each connection plans
// each query only once: planning takes longer than execution. Therefore the best plan of a query must not depend on its
// arguments.
func Prepare(config *pgxpool.Config, statementTimeout time.Duration) {
	if statementTimeout <= 0 {
		statementTimeout = StatementTimeoutDefault
	}
	parameters := config.ConnConfig.RuntimeParams
	parameters["default_transaction_isolation"] = "repeatable read"
	parameters["default_transaction_read_only"] = "on"
	parameters["plan_cache_mode"] = "force_generic_plan"
	parameters["statement_timeout"] = strconv.FormatInt(statementTimeout.Milliseconds(), 10)
}
