package engine

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
	Config  Config
	mux     *http.ServeMux
	Huma    huma.API
	metrics *metrics
	handler http.Handler

	Watch    *register.Watch
	Cache    *cache.Cache[cachedAnswer]
	plans    *cache.Memory[string, *Plan] // by request target, as the client wrote it
	combiner *combiner                    // of brief reads

	Routes  map[string]string // operation id (or other name) by mux pattern
	Tracers map[string]tracer // by operation id

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
func New(config Config) *Engine {
	a := &Engine{Config: config.withDefaults(), mux: http.NewServeMux()}
	a.Routes, a.Tracers = map[string]string{}, map[string]tracer{}
	a.metrics = newMetrics(a.Config.Registry)
	a.combiner = newCombiner(a.Config.Pool)
	a.version = []string{a.Config.Version.String()}
	a.program = a.Config.Program + " " + a.Config.Network
	a.Watch = register.NewWatch(register.WatchConfig{
		Pool: a.Config.Pool, Signal: a.Config.Signal, Interval: a.Config.WatchInterval, Logger: a.Config.Logger,
		Changed: a.changed,
	})
	plans := a.Config.CacheBytes / plansShare
	a.plans = cache.NewMemory(plans, func(target string, p *Plan) int { return p.weight(target) }, func() {})
	a.Cache = cache.New(cache.Config[cachedAnswer]{
		MemoryBytes: a.Config.CacheBytes - plans - a.Config.TimedBytes, TimedBytes: a.Config.TimedBytes, Redis: a.Config.Redis, Parse: a.parseCached,
		Prefix: a.Config.RedisPrefix, Timeout: a.Config.RequestTimeout, Logger: a.Config.Logger, Registerer: a.Config.Registry,
	})
	a.Huma = huma.NewAPI(a.Config.Description, checkingAdapter{humago.NewAdapter(a.mux, "")})
	a.handler = a.shell(http.HandlerFunc(a.route))
	return a
}

// Run keeps answers until ctx ends, and gives back what that takes. It must not be called twice.
func (a *Engine) Run(ctx context.Context) {
	defer a.Cache.Close()
	var running sync.WaitGroup
	defer running.Wait()
	for _, run := range a.background {
		running.Go(func() { run(ctx) })
	}
	a.Watch.Run(ctx)
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
func Shared[T any](a *Engine, make func() T) T {
	key := reflect.TypeFor[T]()
	if known, ok := a.shared.Load(key); ok {
		return known.(T)
	}
	known, _ := a.shared.LoadOrStore(key, make())
	return known.(T)
}

// ServeHTTP implements http.Handler.
func (a *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.serveCached(w, r) {
		a.handler.ServeHTTP(w, r)
	}
}

// operation prepares to serve a resource.
func (a *Engine) Endpoint(r Operation) *endpoint {
	return &endpoint{Operation: r, requests: a.metrics.requests}
}

// OpenAPI is the description of all operations (OpenAPI 3.1). Only resources that are being mounted may change it.
func (a *Engine) OpenAPI() *huma.OpenAPI { return a.Huma.OpenAPI() }

// schemaOf is the schema of a Go type in the description, by reference where it is a named struct.
func (a *Engine) SchemaOf(t reflect.Type) *huma.Schema {
	return a.OpenAPI().Components.Schemas.Schema(t, true, "")
}

// plain adds a route that is not a read of the tables; name stands for it in metrics and logs.
func (a *Engine) Plain(pattern, name string, handler http.HandlerFunc) {
	a.Routes[pattern] = name
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		ExchangeOf(r.Context()).operation = name
		handler(w, r)
	})
}

// nested adds the operations that mount adds to a mux of their own, which answers what the pattern matches. It is for paths
// that one mux can't have beside others.
func (a *Engine) Nested(pattern, name string, mount func()) {
	mux, outer := http.NewServeMux(), a.Huma
	mux.HandleFunc("/", RouteNotFound)
	description := a.Config.Description
	description.OpenAPI = outer.OpenAPI()
	a.Huma = huma.NewAPI(description, checkingAdapter{humago.NewAdapter(mux, "")})
	mount()
	a.Huma = outer
	a.Plain(pattern, name, mux.ServeHTTP)
}

// Tip is the newest block of the canonical chain that the log has; ok is false while there is none, or while the
// database can't be read. It asks nobody: Run keeps it up to date.
func (a *Engine) Tip() (height int64, indexBlockHash [32]byte, ok bool) {
	state := a.Watch.State(time.Now())
	if state == nil {
		return 0, indexBlockHash, false
	}
	chain := state.Active("chain")
	if chain == nil || chain.Height == nil || chain.IndexBlock == nil {
		return 0, indexBlockHash, false
	}
	return *chain.Height, *chain.IndexBlock, true
}
