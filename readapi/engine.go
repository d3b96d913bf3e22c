package readapi

import (
	"context"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/readapi/internal/cache"
	"strata/readapi/internal/register"
)

// Engine answers operations, which resources add to it. It is an http.Handler, safe for concurrent use once all resources are
// mounted.
type Engine struct {
	config  engineConfig
	mux     *http.ServeMux
	huma    huma.API
	metrics *metrics
	handler http.Handler

	watch    *register.Watch
	cache    *cache.Cache[kept]
	plans    *cache.Memory[string, *plan] // by request target, as the client wrote it
	combiner *combiner                    // of brief reads

	routes  map[string]string // operation id (or other name) by mux pattern
	tracers map[string]tracer // by operation id

	prepared sync.Map // SQL texts by prepared
	// cannotAssume says that the connections don't have the isolation that assumptions need.
	cannotAssume atomic.Bool
	program      string   // tells the answers of this program from those of others
	version      []string // value of X-API-Version
	toldForeign  string   // what the operator was told last of active versions that can't be read here

	shared     sync.Map // values that resources share, by type
	onChange   []func()
	background []func(ctx context.Context)
}

// plansShare is the fraction of the answer memory, 1/plansShare, that plans may take.
const plansShare = 8

// newEngine makes an engine without any operations. It does not touch the database. While Run runs, answers are kept; without
// it, each is made anew.
func newEngine(config engineConfig) *Engine {
	a := &Engine{config: config.withDefaults(), mux: http.NewServeMux()}
	a.routes, a.tracers = map[string]string{}, map[string]tracer{}
	a.metrics = newMetrics(a.config.Registry)
	a.combiner = newCombiner(a.config.Pool)
	a.version = []string{a.config.Version.String()}
	a.program = a.config.Program + " " + a.config.Network
	a.watch = register.NewWatch(register.WatchConfig{
		Pool: a.config.Pool, Signal: a.config.Signal, Interval: a.config.WatchInterval, Logger: a.config.Logger,
		Changed: a.changed,
	})
	plans := a.config.CacheBytes / plansShare
	a.plans = cache.NewMemory(plans, func(target string, p *plan) int { return p.weight(target) }, func() {})
	a.cache = cache.New(cache.Config[kept]{
		MemoryBytes: a.config.CacheBytes - plans - a.config.TimedBytes, TimedBytes: a.config.TimedBytes, Redis: a.config.Redis, Parse: a.parseKept,
		Prefix: a.config.RedisPrefix, Timeout: a.config.RequestTimeout, Logger: a.config.Logger, Registerer: a.config.Registry,
	})
	a.huma = huma.NewAPI(a.config.Description, checkingAdapter{humago.NewAdapter(a.mux, "")})
	a.handler = a.shell(http.HandlerFunc(a.route))
	return a
}

// Run keeps answers until ctx ends, and gives back what that takes. It must not be called twice.
func (a *Engine) Run(ctx context.Context) {
	defer a.cache.Close()
	var running sync.WaitGroup
	defer running.Wait()
	for _, run := range a.background {
		running.Go(func() { run(ctx) })
	}
	a.watch.Run(ctx)
}

// OnChange registers a function to call, which must not block, whenever the state of the database has changed.
func (a *Engine) OnChange(notify func()) { a.onChange = append(a.onChange, notify) }

// Background registers a function that runs while Run does, until ctx ends.
func (a *Engine) Background(run func(ctx context.Context)) { a.background = append(a.background, run) }

// changed is called when the state of the database has become another.
func (a *Engine) changed() {
	a.metrics.changes.Inc()
	a.tellForeign()
	for _, notify := range a.onChange {
		notify()
	}
}

// shared returns the engine's one value of type T, which the first caller makes.
func shared[T any](a *Engine, make func() T) T {
	key := reflect.TypeFor[T]()
	if known, ok := a.shared.Load(key); ok {
		return known.(T)
	}
	known, _ := a.shared.LoadOrStore(key, make())
	return known.(T)
}

// ServeHTTP implements http.Handler.
func (a *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.answerKept(w, r) {
		a.handler.ServeHTTP(w, r)
	}
}

// operation prepares to serve a resource.
func (a *Engine) operation(r resource) *operation {
	return &operation{resource: r, requests: a.metrics.requests}
}

// OpenAPI is the description of all operations (OpenAPI 3.1). Only resources that are being mounted may change it.
func (a *Engine) OpenAPI() *huma.OpenAPI { return a.huma.OpenAPI() }

// schemaOf is the schema of a Go type in the description, by reference where it is a named struct.
func (a *Engine) schemaOf(t reflect.Type) *huma.Schema {
	return a.OpenAPI().Components.Schemas.Schema(t, true, "")
}

// plain adds a route that is not a read of the tables; name stands for it in metrics and logs.
func (a *Engine) plain(pattern, name string, handler http.HandlerFunc) {
	a.routes[pattern] = name
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		exchangeOf(r.Context()).operation = name
		handler(w, r)
	})
}

// nested adds the operations that mount adds to a mux of their own, which answers what the pattern matches. It is for paths
// that one mux can't have beside others.
func (a *Engine) nested(pattern, name string, mount func()) {
	mux, outer := http.NewServeMux(), a.huma
	mux.HandleFunc("/", routeNotFound)
	description := a.config.Description
	description.OpenAPI = outer.OpenAPI()
	a.huma = huma.NewAPI(description, checkingAdapter{humago.NewAdapter(mux, "")})
	mount()
	a.huma = outer
	a.plain(pattern, name, mux.ServeHTTP)
}

// Tip is the newest block of the canonical chain that the log has; ok is false while there is none, or while the
// database can't be read. It asks nobody: Run keeps it up to date.
func (a *Engine) Tip() (height int64, indexBlockHash [32]byte, ok bool) {
	state := a.watch.State(time.Now())
	if state == nil {
		return 0, indexBlockHash, false
	}
	chain := state.Active("chain")
	if chain == nil || chain.Height == nil || chain.IndexBlock == nil {
		return 0, indexBlockHash, false
	}
	return *chain.Height, *chain.IndexBlock, true
}
