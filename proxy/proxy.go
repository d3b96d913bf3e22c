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
	"strata/proxy/internal/budget"
	"strata/proxy/internal/flight"
	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
	"strata/proxy/internal/quantile"
	"strata/proxy/internal/throttle"
)

// Proxy forwards requests to a pool of nodes. It is an http.Handler, safe for concurrent use.
type Proxy struct {
	config   Config
	origin   []string // value of Access-Control-Allow-Origin
	pool     *pool.Pool
	budget   *budget.Budget
	throttle *throttle.Throttle // nil: no limit
	flights  flight.Group[*answer]
	slowness []quantile.Estimate // by endpoint
	follow   *follow
	metrics  *metrics
	numbers  atomic.Uint32  // of requests
	extras   sync.WaitGroup // broadcasts that go on after the client has its answer
}

// retriesAlways is how many retries per second are allowed however few the requests are.
const retriesAlways = 50

// New makes a proxy. It connects to no node; until Run has asked them, they get requests only if any chain will do.
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
		config: config, origin: []string{config.Origin}, budget: budget.New(retriesAlways),
		slowness: make([]quantile.Estimate, policy.Count()), follow: newFollow(), metrics: newMetrics(config.Registry),
	}
	if config.RateLimit.PerSecond > 0 {
		p.throttle = throttle.New(config.RateLimit.PerSecond, config.RateLimit.Burst)
	}
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

// Run watches the nodes until ctx ends; then it waits for broadcasts that are still on their way to some of them. It must
// not be called twice. The proxy should not get requests afterwards.
func (p *Proxy) Run(ctx context.Context) {
	p.pool.Run(ctx)
	p.extras.Wait()
	p.follow.close()
	if p.throttle != nil {
		p.throttle.Close()
	}
}

// NodeStatus is what the proxy knows about a node. States are serving, lagging, syncing, ahead, ejected, down, unasked
// and foreign.
type NodeStatus = pool.Status

// Nodes tells how the nodes are, in the order of the configuration.
func (p *Proxy) Nodes() []NodeStatus { return p.pool.Status() }

// exposed are the headers that scripts of other origins may read.
var exposed = []string{"X-Canonical-Stacks-Tip-Height, X-Backend-Lag, X-Strata-Node, X-Strata-Tries, Retry-After"}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["Access-Control-Allow-Origin"] = p.origin
	header["Access-Control-Expose-Headers"] = exposed
	if r.Method == http.MethodOptions {
		preflight(w, r)
		return
	}
	x := &exchange{start: time.Now()}
	defer p.record(r, x)
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

// answerTo gets the answer to a request that was admitted.
func (p *Proxy) answerTo(ctx context.Context, x *exchange) (*answer, error) {
	switch {
	case x.endpoint.Kind == policy.Broadcast:
		return p.broadcast(ctx, x)
	case x.endpoint.Shared():
		return p.keep(ctx, x)
	}
	x.source = fromNode
	return p.fetch(ctx, x)
}

// preflight answers a browser that asks what it may send. A node doesn't handle OPTIONS properly.
func preflight(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Methods", "GET,HEAD,POST,OPTIONS")
	if asked := r.Header.Values("Access-Control-Request-Headers"); len(asked) > 0 {
		header["Access-Control-Allow-Headers"] = asked
		header.Set("Vary", "Access-Control-Request-Headers")
	}
	header.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// record notes a request that was answered, or that panicked because its answer was cut short.
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
	p.config.Logger.LogAttrs(ctx, slog.LevelDebug, "request to a node",
		slog.Uint64("id", uint64(x.request.ID)), slog.String("method", r.Method), slog.String("target", r.URL.RequestURI()),
		slog.String("endpoint", endpoint), slog.Int("status", x.status), slog.Int64("bytes", x.bytes),
		slog.String("source", x.source.String()), slog.String("node", x.node), slog.Int("tries", x.tries),
		slog.Duration("took", took), slog.String("from", r.RemoteAddr))
}

// writeJSON writes an answer of the proxy's own.
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
