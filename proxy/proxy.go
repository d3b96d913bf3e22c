package proxy

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"strata/domain/hash"
	"strata/internal/throttle"
	"strata/proxy/internal/flight"
	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
)

// Proxy is an http.Handler that forwards requests to a pool of nodes. It is safe for concurrent use.
type Proxy struct {
	config     Config
	pool       *pool.Pool
	budget     *retryBudget
	throttle   *throttle.Throttle // nil without a rate limit
	flights    flight.Group[*answer]
	latencies  []percentile95 // by endpoint
	holders    *holders
	metrics    *metrics
	memory     memoryBudget
	requestIDs atomic.Uint32  // the last one given out
	background sync.WaitGroup // broadcasts that go on after the client has its answer
}

// retriesMin is the number of retries per second that the budget allows even when there are few requests.
const retriesMin = 50

// New returns a proxy. It connects to no node. Until Run has probed a node, the node gets requests only if
// Config.ChainID is 0.
func New(config Config) (*Proxy, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	nodes, err := addresses(config.Nodes)
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		config: config, budget: newRetryBudget(retriesMin),
		latencies: make([]percentile95, policy.Count()), holders: newHolders(), metrics: newMetrics(config.Registry), memory: newMemoryBudget(config.ConcurrencyPerNode * len(config.Nodes)),
	}
	p.throttle = throttle.PerSecond(config.RateLimit)
	p.pool = pool.New(pool.Config{
		Nodes: nodes, ChainID: config.ChainID, Logger: config.Logger, Registry: config.Registry,
		LagBlocks: config.LagLimit.Blocks, LagTime: config.LagLimit.Time, Tip: tipOf(config.Tip),
		Concurrency: config.ConcurrencyPerNode, HeavyConcurrency: max(1, config.ConcurrencyPerNode/heavyShare),
		QueueLength: config.QueueLength, QueueWait: config.QueueWait,
		ConnectTimeout: config.Timeouts.Connect, ProbeTimeout: config.Timeouts.Probe, ProbeInterval: config.ProbeInterval,
		SlowStart: slowStart,
	})
	return p, nil
}

func tipOf(tip func() (int64, [32]byte, bool)) func() (int64, hash.Hash32, bool) {
	if tip == nil {
		return nil
	}
	return func() (int64, hash.Hash32, bool) {
		height, id, ok := tip()
		return height, id, ok
	}
}

// Run probes the nodes until ctx ends, then waits for broadcasts that are still in flight. It must not be called twice.
// The proxy should get no requests after Run returns.
func (p *Proxy) Run(ctx context.Context) {
	p.pool.Run(ctx)
	p.background.Wait()
	p.holders.close()
	p.throttle.Close()
}

// NodeStatus is what the proxy knows about a node. Its State is one of serving, lagging, syncing, ahead, ejected, down,
// unasked and foreign.
type NodeStatus = pool.Status

// Nodes returns the status of every node, in the order of the configuration.
func (p *Proxy) Nodes() []NodeStatus { return p.pool.Status() }

// exposedHeaders lists the headers that scripts of other origins may read.
var exposedHeaders = []string{"X-Request-Id, X-Canonical-Stacks-Tip-Height, X-Backend-Lag, X-Strata-Node, X-Strata-Tries, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After"}

var anyOrigin = []string{"*"}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["Access-Control-Allow-Origin"] = anyOrigin
	header["Access-Control-Expose-Headers"] = exposedHeaders
	if r.Method == http.MethodOptions {
		preflight(w, r)
		return
	}
	x := &exchange{start: time.Now()}
	defer p.record(r, x)
	defer func() {
		if x.bodyBytes > 0 {
			p.memory.bodies.Release(x.bodyBytes)
		}
	}()
	if f := p.admit(w, r, x); f != nil {
		p.refuse(w, x, f)
		return
	}
	a, err := p.answerTo(r.Context(), x)
	if err != nil {
		p.refuse(w, x, p.failureOf(err))
		return
	}
	p.serve(w, r, x, a)
}

// answerTo returns the answer to an admitted request.
func (p *Proxy) answerTo(ctx context.Context, x *exchange) (*answer, error) {
	switch {
	case x.endpoint.Kind == policy.Broadcast:
		return p.broadcast(ctx, x)
	case x.endpoint.Shared():
		return p.fetchShared(ctx, x)
	}
	x.source = fromNode
	return p.fetch(ctx, x)
}

// preflight answers a CORS preflight request. It does not forward it, because nodes handle OPTIONS incorrectly.
func preflight(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Methods", "GET,HEAD,POST,OPTIONS")
	if requested := r.Header.Values("Access-Control-Request-Headers"); len(requested) > 0 {
		header["Access-Control-Allow-Headers"] = requested
		header.Set("Vary", "Access-Control-Request-Headers")
	}
	header.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// record counts and logs a request that was answered, or whose handler panicked because the answer was cut short.
func (p *Proxy) record(r *http.Request, x *exchange) {
	took := time.Since(x.start)
	p.metrics.observe(x, took)
	ctx := r.Context()
	if !p.config.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	endpoint := ""
	if x.endpoint != nil {
		endpoint = x.endpoint.Name
	}
	p.config.Logger.LogAttrs(ctx, slog.LevelDebug, "forwarded request",
		slog.Uint64("id", uint64(x.request.ID)), slog.String("method", r.Method), slog.String("target", r.URL.RequestURI()),
		slog.String("endpoint", endpoint), slog.Int("status", x.status), slog.Int64("bytes", x.bytes),
		slog.String("source", x.source.String()), slog.String("node", x.node), slog.Int("tries", x.tries),
		slog.Duration("took", took), slog.String("from", r.RemoteAddr))
}

// writeJSON writes one of the proxy's own answers and returns the number of bytes written.
func writeJSON(w http.ResponseWriter, status int, body any) (int64, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	n, err := w.Write(text)
	return int64(n), err
}
