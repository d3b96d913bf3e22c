package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"strata/internal/progress"
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

// shutdownGrace is how long running requests may take to finish when the server stops: as long as most supervisors wait before they
// kill it, and longer than any answer takes.
const shutdownGrace = 30 * time.Second

// serveHTTP serves until ctx is done, and then gives running requests a while to finish. Errors name the server by what.
func serveHTTP(ctx context.Context, what string, server *http.Server, listener net.Listener, logger *slog.Logger) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(progress.Listener(listener, progress.Stall)) }()
	select {
	case err := <-failed:
		return fmt.Errorf("%s: %w", what, err)
	case <-ctx.Done():
	}
	limited, cancel := context.WithTimeout(context.Background(), shutdownGrace)
	defer cancel()
	if err := server.Shutdown(limited); err != nil {
		logger.LogAttrs(ctx, slog.LevelWarn, "requests cut off: still running long after the server was to stop", slog.String("server", what), slog.Duration("after", shutdownGrace))
		return server.Close()
	}
	return nil
}
