package engine

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/accesslog"
	"strata/internal/instrument"
	"strata/internal/requestid"
	"strata/internal/tracing"
	"strata/readapi/internal/answer"
)

// exposed are the headers that scripts of other origins may read.
var exposed = []string{"X-API-Version, ETag, X-Request-Id, Strata-Position, Strata-Source, Strata-History, Strata-Ignored-Parameters"}

var anyOrigin = []string{"*"}

// middleware wraps every request: it sets the common headers, answers CORS preflights, writes the access log and the metrics,
// and handles panics.
func (e *Engine) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := requestid.Name(r)
		w.Header().Set(requestid.Header, id)
		x := &Exchange{ID: id, Target: r.URL.RequestURI(), Client: r.RemoteAddr, operation: "unknown"}
		ctx := withExchange(r.Context(), x)
		recorder := &statusRecorder{ResponseWriter: w}

		e.setCommonHeader(w.Header())
		defer e.finish(ctx, recorder, r, start)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight(recorder, r)
			return
		}
		next.ServeHTTP(recorder, r.WithContext(ctx))
	})
}

// setCommonHeader sets the headers of every answer. The CORS headers don't depend on whether the request names an origin,
// so that a shared cache in front may store the answer. (CORS libraries set them only with an Origin, and vary by it.)
func (e *Engine) setCommonHeader(header http.Header) {
	header["X-Api-Version"] = e.version
	header["Access-Control-Allow-Origin"] = anyOrigin
	header["Access-Control-Expose-Headers"] = exposed
	if from := e.HistoryFrom(); from != nil {
		header[HistoryHeader] = []string{"from=" + strconv.FormatInt(*from, 10)}
	}
}

// preflight answers a CORS preflight request.
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

// finish logs and counts a request. It is deferred, so that it also handles requests that panic.
func (e *Engine) finish(ctx context.Context, w *statusRecorder, r *http.Request, start time.Time) {
	x, took := ExchangeOf(ctx), time.Since(start)
	p := recover()
	if p != nil && p != http.ErrAbortHandler { //nolint:errorlint // net/http compares it the same way
		e.Panicked()
		failure := e.FailureAnswer(ctx, fmt.Errorf("panic: %v\n%s", p, debug.Stack()), answer.Config{})
		if w.status == 0 {
			failure.Serve(w, r, answer.Moment{})
		}
	}
	e.observe(ctx, x.operation, e.metrics.requests.WithLabelValues(x.operation, strconv.Itoa(w.code())), took)
	if e.Config.Logger.Enabled(ctx, slog.LevelDebug) {
		e.Config.Logger.LogAttrs(ctx, slog.LevelDebug, "request",
			slog.String("id", x.ID), slog.String("method", r.Method), slog.String("target", x.Target), slog.String("operation", x.operation),
			slog.Int("status", w.code()), slog.Int64("bytes", w.bytes), slog.Duration("took", took), slog.String("from", r.RemoteAddr))
	}
	if p != nil && (p == http.ErrAbortHandler || w.status != 0 && !w.complete()) { //nolint:errorlint // as above
		panic(http.ErrAbortHandler) // the client must not take a part of the answer for the whole
	}
}

// Panicked counts a panic that was recovered from. Whoever recovers logs it.
func (e *Engine) Panicked() { e.metrics.panics.Inc() }

// statusRecorder records the status and the length of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusRecorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusRecorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

func (w *statusRecorder) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

// complete reports whether the body has the length that was announced.
func (w *statusRecorder) complete() bool {
	return w.status == http.StatusNotModified || w.Header().Get("Content-Length") == strconv.FormatInt(w.bytes, 10)
}

// Exchange holds what is known about a request besides its parameters. The context of every request carries one.
type Exchange struct {
	ID        string  // names the request in the log
	Target    string  // as the client wrote it
	Client    string  // its address and port
	operation string  // set when the route is known
	family    *Family // to which the target belongs; nil for none, and while the target has not been routed
	least     int64   // the number of events that the answer has to reflect at least; 0 for any
	// parameters are the operation's parameters in canonical form, set when they have been checked.
	parameters []byte
	// ignored is the header that names the parameters that the operation does not know; nil if there are none.
	ignored []string
	// plan receives the request's plan instead of having it executed; nil for an ordinary request.
	plan func(*Plan)
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *Exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// ExchangeOf returns the exchange of a request's context; an empty one when the context has none.
func ExchangeOf(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return &Exchange{}
}

type metrics struct {
	requests *prometheus.HistogramVec // by operation id and status
	// changes counts the database states that the watch has seen.
	changes prometheus.Counter
	panics  prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	return &metrics{
		panics: accesslog.Panics(registry),
		requests: instrument.Registered(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "strata_api_request_seconds", Help: "Time to answer a request, by operation and HTTP status.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation", "status"})),
		changes: instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_cache_state_changes_total", Help: "Changes of the projections' state that were seen. Cache keys follow the state.",
		})),
	}
}

// RequestSeconds returns the metric of how long requests took, by operation and status.
func (e *Engine) RequestSeconds() prometheus.Collector { return e.metrics.requests }

// observe records an answered request in the metrics, and gives its span the name of the operation.
func (e *Engine) observe(ctx context.Context, operation string, observer prometheus.Observer, took time.Duration) {
	if e.Config.Tracer == nil {
		observer.Observe(took.Seconds())
		return
	}
	tracing.Observe(ctx, observer, took.Seconds())
	tracing.Name(ctx, operation)
}
