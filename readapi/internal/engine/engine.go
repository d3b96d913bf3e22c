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

// Engine serves the operations that resources add to it. It is an http.Handler, safe for concurrent use once all
// resources are mounted.
type Engine struct {
	Config  Config
	mux     *http.ServeMux
	Huma    huma.API
	metrics *metrics
	handler http.Handler

	Watch    *register.Watch
	Cache    *cache.Cache[cachedAnswer]
	plans    *cache.Memory[string, *Plan] // by request target, as the client wrote it
	combiner *combiner                    // shares round trips among brief reads

	Routes  map[string]string // operation id (or other name) by mux pattern
	Tracers map[string]tracer // by operation id

	prepared sync.Map // SQL texts by preparedKey
	// cannotAssume is set once a connection turned out to lack the isolation level that assumptions need.
	cannotAssume    atomic.Bool
	program         string   // part of every cache key: separates this program's answers from other builds' answers
	version         []string // value of X-API-Version
	reportedForeign string   // the unreadable active versions that were last logged; empty for none

	shared     sync.Map // values that resources share, by type
	onChange   []func()
	background []func(ctx context.Context)
}

// plansShare is the share of CacheBytes that plans may take: 1/plansShare.
const plansShare = 8

// New returns an engine without operations. It does not touch the database. Answers are cached only while Run runs;
// otherwise each request builds its own.
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
		MemoryBytes: a.Config.CacheBytes - plans - a.Config.TimedBytes, TimedBytes: a.Config.TimedBytes,
		Redis: a.Config.Redis, Parse: a.parseCached,
		Prefix: a.Config.RedisPrefix, Timeout: a.Config.RequestTimeout, Logger: a.Config.Logger, Registerer: a.Config.Registry,
	})
	a.Huma = huma.NewAPI(a.Config.Description, checkingAdapter{humago.NewAdapter(a.mux, "")})
	a.handler = a.shell(http.HandlerFunc(a.route))
	return a
}

// Run watches the database, which allows answers to be cached, and runs the background functions. It returns when ctx
// has ended and its resources are released. It must not be called twice.
func (a *Engine) Run(ctx context.Context) {
	defer a.Cache.Close()
	var running sync.WaitGroup
	defer running.Wait()
	for _, run := range a.background {
		running.Go(func() { run(ctx) })
	}
	a.Watch.Run(ctx)
}

// OnChange registers a function that is called whenever the state of the database has changed. It must not block.
func (a *Engine) OnChange(notify func()) { a.onChange = append(a.onChange, notify) }

// Background registers a function that Run runs in a goroutine of its own until ctx ends.
func (a *Engine) Background(run func(ctx context.Context)) { a.background = append(a.background, run) }

// changed is called after each change of the database's state.
func (a *Engine) changed() {
	a.metrics.changes.Inc()
	a.reportForeign()
	for _, notify := range a.onChange {
		notify()
	}
}

// Shared returns the engine's only value of type T. The first caller creates it.
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

// Endpoint prepares an operation for serving.
func (a *Engine) Endpoint(r Operation) *Endpoint {
	return &Endpoint{Operation: r, requests: a.metrics.requests}
}

// OpenAPI returns the description of all operations (OpenAPI 3.1). Resources may change it only while they are mounted.
func (a *Engine) OpenAPI() *huma.OpenAPI { return a.Huma.OpenAPI() }

// SchemaOf returns the schema of a Go type in the description; for a named struct, a reference to it.
func (a *Engine) SchemaOf(t reflect.Type) *huma.Schema {
	return a.OpenAPI().Components.Schemas.Schema(t, true, "")
}

// Plain adds a route that does not read the tables. Metrics and logs call it name.
func (a *Engine) Plain(pattern, name string, handler http.HandlerFunc) {
	a.Routes[pattern] = name
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		ExchangeOf(r.Context()).operation = name
		handler(w, r)
	})
}

// Nested gives the operations that mount adds a mux of their own, which serves the paths that pattern matches. It is for
// paths that conflict with others in the main mux. Metrics and logs call the whole of them name.
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

// Tip returns the newest block of the canonical chain that the chain projection has; ok is false while there is none, or
// while the database can't be read. It makes no query: Run keeps it up to date.
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
