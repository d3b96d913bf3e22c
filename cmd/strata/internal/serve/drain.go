package serve

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"
)

// drain lets balancers send requests elsewhere before the server stops: from the signal to stop on, GET /readyz answers
// 503, and everything else goes on for the delay.
type drain struct {
	delay time.Duration
	begun atomic.Bool
}

// after returns a context that ends the delay after ctx has. stop ends it at once.
func (d *drain) after(ctx context.Context, logger *slog.Logger) (later context.Context, stop context.CancelFunc) {
	if d.delay <= 0 {
		return context.WithCancel(ctx)
	}
	later, stop = context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		d.begun.Store(true)
		logger.LogAttrs(later, slog.LevelInfo, "not ready any more; stopping after the drain delay (--drain-delay)", slog.Duration("delay", d.delay))
		timer := time.NewTimer(d.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-later.Done():
		}
		stop()
	})
	return later, stop
}

// stopping is the answer of /readyz while the server drains, in the shape of its other answers.
const stopping = `{"status":"not ready","for":"all","checks":{"database":{"ok":true,"message":"the server is about to stop"},"projections":[],"history":{"ok":true,"fed":true},"gaps":{"ok":true,"blocking":0}}}`

// handler answers /readyz while the server drains, and gives all other requests to next.
func (d *drain) handler(next http.Handler) http.Handler {
	if d.delay <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.begun.Load() || r.URL.Path != "/readyz" || r.Method != http.MethodGet && r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, stopping)
	})
}
