// Package accesslog logs a share of the requests to an HTTP server, and counts handlers that panic. A request that is not in
// the share costs one atomic addition; one that is takes the same way through the server as all others. Answers have the name
// of their request in X-Request-Id if the client gave it one, or if it is logged.
package accesslog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
	"strata/internal/requestid"
)

// Panics returns the counter of panics that the servers of a process have recovered from.
func Panics(registry prometheus.Registerer) prometheus.Counter {
	return instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
		Name: "strata_panics_total", Help: "Panics that servers have recovered from. The log has each of them.",
	}))
}

// Log is an access log. It is safe for concurrent use.
type Log struct {
	logger *slog.Logger
	every  uint64 // one request of so many is logged; 0 for none
	seen   atomic.Uint64
	panics prometheus.Counter
}

var errShare = errors.New("want a share from 0 (none) to 1 (all)")

// New returns a log of a share of the requests: 0 for none, 1 for all, 0.01 for each hundredth.
func New(share float64, logger *slog.Logger, registry prometheus.Registerer) (*Log, error) {
	if !(share >= 0 && share <= 1) {
		return nil, fmt.Errorf("log %v of all requests: %w", share, errShare)
	}
	l := &Log{logger: logger, panics: Panics(registry)}
	if share > 0 {
		l.every = uint64(math.Round(1 / share))
	}
	return l, nil
}

// Handler returns next with the log around it.
func (l *Log) Handler(next http.Handler) http.Handler {
	return countPanics(l.panics, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.every == 0 || l.seen.Add(1)%l.every != 0 {
			requestid.Echo(w.Header(), r.Header)
			next.ServeHTTP(w, r)
			return
		}
		l.serve(w, r, next)
	}))
}

// CountPanics returns next, whose panics are counted. The server logs them.
func CountPanics(registry prometheus.Registerer, next http.Handler) http.Handler {
	return countPanics(Panics(registry), next)
}

func countPanics(panics prometheus.Counter, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answered := false
		defer func() {
			if answered {
				return
			}
			if p := recover(); p != nil {
				if p != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
					panics.Inc()
				}
				panic(p) // the server logs it, and closes the connection
			}
		}()
		next.ServeHTTP(w, r)
		answered = true
	})
}

// serve serves a request that is logged, also if its handler panics.
func (l *Log) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	began, id := time.Now(), requestid.Name(r)
	w.Header().Set(requestid.Header, id)
	recorder := &recorder{ResponseWriter: w}
	method, target, from := r.Method, r.URL.RequestURI(), r.RemoteAddr
	complete := false
	defer func() {
		l.logger.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "access", slog.String("id", id), slog.String("method", method),
			slog.String("target", target), slog.Int("status", recorder.code()), slog.Int64("bytes", recorder.bytes),
			slog.Duration("took", time.Since(began)), slog.String("from", from), slog.Bool("complete", complete))
	}()
	next.ServeHTTP(recorder, r.WithContext(requestid.With(r.Context(), id)))
	complete = true
}

// recorder records the status and the length of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

func (w *recorder) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
