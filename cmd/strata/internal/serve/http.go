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

// serveHTTP serves until ctx is done, and then gives running requests the time grace to finish. Errors name the server
// by what.
func serveHTTP(ctx context.Context, what string, server *http.Server, listener net.Listener, grace time.Duration, logger *slog.Logger) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(progress.Listener(listener, progress.Stall)) }()
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
