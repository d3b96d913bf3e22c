package engine

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/readapi/internal/cache"
	"strata/readapi/internal/piece"
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
	lane     *lane                        // the connections of Config.Pool
	hotLane  atomic.Pointer[lane]         // those for hot targets; nil unless Run runs
	gates    gates
	progress progress
	// Pieces is the memory for large bodies that are being sent to clients.
	Pieces  *piece.Pool
	primary *primary // nil unless Config.Pool reads replicas

	Routes   map[string]string // operation id (or other name) by mux pattern
	traced   map[string]bool   // operations that say which rows they show
	untraced map[string]string // why others can't, by operation id or other name
	families []*Family         // of the mounted operations
	// traceTables are the tables whose rows answers show, by the names that queries give them in braces.
	traceTables map[string]*TraceTable

	operations []mountedOperation
	adapter    huma.Adapter // of the mux
	muxFilled  func()       // fills the mux at its first call
	separate   []string     // beginnings of the paths that the mux has under separatePrefix

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

// piecesMemory is the memory for the pieces of all large bodies that are being sent, in bytes.
const piecesMemory = 64 << 20

// plansShare is the share of CacheBytes that plans may take: 1/plansShare.
const plansShare = 8

// New returns an engine without operations. It does not touch the database. Answers are cached only while Run runs;
// otherwise each request builds its own.
func New(config Config) *Engine {
	e := &Engine{Config: config.withDefaults(), mux: http.NewServeMux(), Pieces: piece.NewPool(piecesMemory)}
	e.Routes, e.traced, e.untraced = map[string]string{}, map[string]bool{}, map[string]string{}
	e.traceTables = map[string]*TraceTable{}
	e.metrics = newMetrics(e.Config.Registry)
	e.lane, e.gates = e.newLane(e.Config.Pool), newGates(&e.Config)
	e.primary = e.newPrimary()
	e.version = []string{e.Config.Version.String()}
	e.program = e.Config.Program + " " + e.Config.Network
	e.Watch = register.NewWatch(register.WatchConfig{
		Pool: e.Config.Pool, Apart: true, Signal: e.Config.Signal, Feed: e.Config.Feed, Interval: e.Config.WatchInterval, Logger: e.Config.Logger,
		Changed: e.changed,
	})
	plans := e.Config.CacheBytes / plansShare
	e.plans = cache.NewMemory(plans, func(target string, p *Plan) int { return p.weight(target) }, func() {})
	e.Cache = cache.New(cache.Config[cachedAnswer]{
		MemoryBytes: e.Config.CacheBytes - plans - e.Config.TimedBytes, TimedBytes: e.Config.TimedBytes,
		Redis: e.Config.Redis, Parse: e.parseCached,
		Prefix: e.Config.RedisPrefix, Timeout: e.Config.RequestTimeout, Logger: e.Config.Logger, Registerer: e.Config.Registry,
	})
	e.adapter, e.muxFilled = humago.NewAdapter(e.mux, ""), sync.OnceFunc(e.fillMux)
	e.Huma = huma.NewAPI(e.Config.Description, checkingAdapter{e.adapter, e})
	e.handler = e.middleware(http.HandlerFunc(e.route))
	return e
}

// Run watches the database, which allows answers to be cached, and runs the background functions. It returns when ctx
// has ended and its resources are released. It must not be called twice.
func (e *Engine) Run(ctx context.Context) {
	defer e.Cache.Close()
	e.muxFilled()
	closeHotLane, err := e.openHotLane(ctx)
	if err == nil {
		defer closeHotLane()
	} else { // the configuration has opened a pool before, so this can't happen
		e.Config.Logger.LogAttrs(ctx, slog.LevelWarn, "can't open connections for hot targets alone; they share those of others", slog.Any("error", err))
	}
	var running sync.WaitGroup
	defer running.Wait()
	for _, run := range e.background {
		running.Go(func() { run(ctx) })
	}
	e.Watch.Run(ctx)
}

// OnChange registers a function that is called whenever the state of the database has changed. It must not block.
func (e *Engine) OnChange(notify func()) { e.onChange = append(e.onChange, notify) }

// Background registers a function that Run runs in a goroutine of its own until ctx ends.
func (e *Engine) Background(run func(ctx context.Context)) { e.background = append(e.background, run) }

// changed is called after each change of the database's state.
func (e *Engine) changed() {
	e.metrics.changes.Inc()
	e.reportForeign()
	for _, notify := range e.onChange {
		notify()
	}
}

// Shared returns the engine's only value of type T. The first caller creates it.
func Shared[T any](e *Engine, make func() T) T {
	key := reflect.TypeFor[T]()
	if known, ok := e.shared.Load(key); ok {
		return known.(T)
	}
	known, _ := e.shared.LoadOrStore(key, make())
	return known.(T)
}

// ServeHTTP implements http.Handler.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !e.serveCached(w, r) {
		e.handler.ServeHTTP(w, r)
	}
}

// Endpoint prepares an operation for serving.
func (e *Engine) Endpoint(r Operation) *Endpoint {
	return &Endpoint{Operation: r, requests: e.metrics.requests}
}

// OpenAPI returns the description of all operations (OpenAPI 3.1). Resources may change it only while they are mounted.
func (e *Engine) OpenAPI() *huma.OpenAPI { return e.Huma.OpenAPI() }

// SchemaOf returns the schema of a Go type in the description; for a named struct, a reference to it.
func (e *Engine) SchemaOf(t reflect.Type) *huma.Schema {
	return e.OpenAPI().Components.Schemas.Schema(t, true, "")
}

// Plain adds a route that does not read the tables. Metrics and logs call it name.
func (e *Engine) Plain(pattern, name string, handler http.HandlerFunc) {
	e.Routes[pattern] = name
	e.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		ExchangeOf(r.Context()).operation = name
		handler(w, r)
	})
}

// Position returns the position in the log that answers have shown; 0 while none is known.
func (e *Engine) Position() (position int64) {
	if state := e.Watch.LastState(); state != nil {
		for _, v := range state.Versions {
			if v.Active {
				position = max(position, v.LogSeq)
			}
		}
	}
	return position
}

// Tip returns the newest block of the canonical chain that the chain projection has; ok is false while there is none, or
// while the database can't be read. It makes no query: Run keeps it up to date.
func (e *Engine) Tip() (height int64, indexBlockHash [32]byte, ok bool) {
	state := e.Watch.State(time.Now())
	if state == nil {
		return 0, indexBlockHash, false
	}
	chain := state.Active("chain")
	if chain == nil || chain.Height == nil || chain.IndexBlock == nil {
		return 0, indexBlockHash, false
	}
	return *chain.Height, *chain.IndexBlock, true
}

// HistoryFrom returns the height at which the chain begins, if that is above genesis; nil for a whole history, and while the
// database can't be read. It makes no query: Run keeps it up to date.
func (e *Engine) HistoryFrom() *int64 {
	state := e.Watch.LastState()
	if state == nil {
		return nil
	}
	if chain := state.Active("chain"); chain != nil {
		return chain.HistoryFrom
	}
	return nil
}
