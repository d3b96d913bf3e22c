package readapi

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"strata/readapi/internal/cache"
	"strata/readapi/internal/register"
)

// API answers reads over HTTP. It is an http.Handler, safe for concurrent use.
type API struct {
	config  Config
	mux     *http.ServeMux
	huma    huma.API
	metrics *metrics
	pending pendingTransfers
	// pendingNonces are read beside those that are used.
	pendingNonces pendingNonces
	handler       http.Handler

	watch    *register.Watch
	cache    *cache.Cache[kept]
	plans    *cache.Memory[string, *plan] // by the target of the request, as it was written
	combiner *combiner                    // of brief reads

	nodeAnswers *NodeAnswers
	fees        *fees
	interfaces  *interfaceMemory

	live *follower // what happens, for those who follow it

	routes  map[string]string // name of what answers each pattern of the mux
	tracers map[string]tracer // by the names of operations

	prepared sync.Map // texts of queries
	// cannotAssume says that the connections don't have the isolation that assumptions need.
	cannotAssume atomic.Bool
	program      string   // tells the answers of this program from those of others
	version      []string // value of X-API-Version
	toldForeign  string   // what the operator was told last of active versions that can't be read here
}

// New makes the API with all its resources. It does not touch the database. While Run runs, answers are kept; without
// it, each is made anew.
func New(config Config) *API {
	a := &API{config: config.withDefaults(), mux: http.NewServeMux(), pending: mempoolTransfers{}, pendingNonces: waitingNonces{}}
	a.routes, a.tracers = map[string]string{}, map[string]tracer{}
	a.metrics = newMetrics(a.config.Registry)
	a.combiner = newCombiner(a.config.Pool)
	a.version = []string{a.config.Version.String()}
	a.program = or(a.config.Program, a.config.Version.String()) + " " + a.config.Network + a.config.imageSource() + a.config.ordinalsForm()
	a.watch = register.NewWatch(register.WatchConfig{
		Pool: a.config.Pool, Signal: a.config.Signal, Interval: a.config.WatchInterval, Logger: a.config.Logger,
		Changed: a.changed,
	})
	plans, nodes := a.config.CacheBytes/plansShare, int64(0)
	if a.config.Nodes != nil {
		nodes = a.config.CacheBytes / nodeShare
	}
	a.plans = cache.NewMemory(plans, func(target string, p *plan) int { return p.weight(target) }, func() {})
	a.cache = cache.New(cache.Config[kept]{
		MemoryBytes: a.config.CacheBytes - plans - nodes, TimedBytes: nodes, Redis: a.config.Redis, Parse: a.parseKept,
		Prefix: a.config.RedisPrefix, Timeout: a.config.RequestTimeout, Logger: a.config.Logger, Registerer: a.config.Registry,
	})
	a.nodeAnswers = &NodeAnswers{timed: a.cache.Timed(), watch: a.watch, network: a.config.Network}
	a.fees = newFees(a)
	a.live = newFollower(a)
	a.huma = huma.NewAPI(a.description(), checkingAdapter{humago.NewAdapter(a.mux, "")})

	a.registerStatus()
	a.registerBlocks()
	a.registerChainTransactions()
	a.registerSTXBalances()
	a.registerBalances()
	a.registerAccounts()
	a.registerHolders()
	a.registerNFTLists()
	a.registerBurnchain()
	a.registerPoxTransactions()
	a.registerPoxCycles()
	a.registerPoxSigners()
	a.registerPoxStackers()
	a.registerPoxEvents()
	a.registerSupply()
	a.registerSearch()
	a.registerMempool()
	a.registerAuditEvents()
	a.registerAuditBodies()
	a.registerQuarantine()
	a.registerProjections()
	a.registerNegativeBalances()
	a.registerTrace()
	a.serveLog(a.config.Log)
	a.registerMetadata()
	a.registerImages()
	a.registerOrdinals()
	a.registerBRC20()
	a.registerNodes()
	a.registerStreams()
	a.registerHealth()

	a.plain("GET /{$}", "root", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/extended", http.StatusMovedPermanently)
	})
	a.plain("GET /metrics", "metrics", promhttp.HandlerFor(a.config.Registry, promhttp.HandlerOpts{}).ServeHTTP)
	a.registerDocumentation()
	a.registerConsole()
	a.plain("/", "unknown", routeNotFound)
	a.handler = a.shell(http.HandlerFunc(a.route))
	return a
}

// plansShare is which part of the memory for answers is for finding them.
const plansShare = 8

// Run keeps answers until ctx ends, and gives back what that takes. It must not be called twice.
func (a *API) Run(ctx context.Context) {
	defer a.cache.Close()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { a.fees.run(ctx) })
	running.Go(func() { a.live.run(ctx) })
	a.watch.Run(ctx)
}

// changed is called when the state of the database has become another.
func (a *API) changed() {
	a.metrics.changes.Inc()
	a.tellForeign()
	a.fees.look()
	a.live.look()
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.answerKept(w, r) {
		a.handler.ServeHTTP(w, r)
	}
}

// operation prepares to serve a resource.
func (a *API) operation(r resource) *operation {
	return &operation{resource: r, requests: a.metrics.requests}
}

// OpenAPI is the description of all operations (OpenAPI 3.1). It must not be changed.
func (a *API) OpenAPI() *huma.OpenAPI { return a.huma.OpenAPI() }

// plain adds a route that is not a read of the tables; name stands for it in metrics and logs.
func (a *API) plain(pattern, name string, handler http.HandlerFunc) {
	a.routes[pattern] = name
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		exchangeOf(r.Context()).operation = name
		handler(w, r)
	})
}
