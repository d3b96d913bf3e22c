package observer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"strata/internal/accesslog"
	"strata/internal/progress"
)

const (
	// readHeaderTimeout is generous for a few hundred bytes from a node nearby.
	readHeaderTimeout = 10 * time.Second
	// idleTimeout is short because a node opens a connection for each event.
	idleTimeout = 15 * time.Second
	// maxHeaderBytes is far above the few hundred bytes that a node sends. net/http reads 4 KiB more before it answers
	// 431. The stored part of a head is at most three times as long (a path that must be escaped), and so fits a leaf
	// record: every head that passes this limit is stored as received.
	maxHeaderBytes = 16 << 10
)

// Serve answers requests on listener until ctx ends, and closes listener. It then accepts no new requests, waits up to
// ShutdownTimeout for in-flight requests, and returns nil. It does not answer requests that are still in flight then, but
// the log may still append their events: close the log after Serve has returned.
func (o *Observer) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           accesslog.CountPanics(o.config.Registry, o),
		ReadHeaderTimeout: readHeaderTimeout,
		// patientReader and answer.write set a request's own deadlines.
		ReadTimeout:    o.config.BodyTimeout,
		IdleTimeout:    idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       slog.NewLogLogger(o.config.Logger.Handler(), slog.LevelWarn),
		// The end of ctx must not interrupt in-flight requests.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(progress.Listener(listener, progress.Stall)) }()
	select {
	case err := <-served:
		return fmt.Errorf("observer on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.config.ShutdownTimeout)
	defer cancel()
	err := server.Shutdown(wait)
	if err != nil {
		o.config.Logger.LogAttrs(ctx, slog.LevelWarn, "requests still in flight at shutdown were dropped; their senders will send them again",
			slog.Duration("waited", o.config.ShutdownTimeout), slog.Any("error", err))
		err = server.Close()
	}
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, failed)
	}
	if err != nil {
		return fmt.Errorf("stop the observer on %s: %w", listener.Addr(), err)
	}
	return nil
}
