package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"strata/internal/progress"
	"strata/proxy/lean"
)

// httpServer returns a server with timeouts against slow clients.
func httpServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// servesHTTP is implemented by http.Server and by lean.Server, which serves plain requests with less work.
type servesHTTP interface {
	Serve(listener net.Listener) error
	Shutdown(ctx context.Context) error
	Close() error
}

var (
	_ servesHTTP = (*http.Server)(nil)
	_ servesHTTP = (*lean.Server)(nil)
)

// serveHTTP serves until ctx is done, and then gives running requests the time grace to finish. Errors name the server
// by what.
func serveHTTP(ctx context.Context, what string, server servesHTTP, listener net.Listener, grace time.Duration, logger *slog.Logger) error {
	if _, own := server.(*lean.Server); !own { // which has its own
		listener = progress.Listener(listener, progress.Stall)
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("%s: %w", what, err)
	case <-ctx.Done():
	}
	limited, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(limited); err != nil {
		logger.LogAttrs(ctx, slog.LevelWarn, "requests cut off: still running after the shutdown grace (--shutdown-grace)", slog.String("server", what), slog.Duration("grace", grace))
		return server.Close()
	}
	return nil
}
