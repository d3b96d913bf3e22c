package observer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	// readHeaderTimeout is for a few hundred bytes from a node nearby.
	readHeaderTimeout = 10 * time.Second
	// idleTimeout is small because a node opens a connection for each event.
	idleTimeout = 15 * time.Second
	// maxHeaderBytes is far above the few hundred bytes that a node sends. net/http reads 4 KiB more before it answers 431.
	// What is stored of a head is at most three times as long (a path that has to be escaped), and so fits a leaf record:
	// whatever gets past this is stored as it came.
	maxHeaderBytes = 16 << 10
)

// Serve answers requests on listener, which it closes, until ctx ends. It then takes no new ones, lets those that
// run finish for up to ShutdownTimeout, and returns nil. Requests cut off after that are not answered, but what was
// already handed to the log is still appended: close the log after Serve has returned.
func (o *Observer) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           o,
		ReadHeaderTimeout: readHeaderTimeout,
		// A request's own deadlines take over once its body is read (patientReader) and when it is answered.
		ReadTimeout:    o.config.BodyTimeout,
		IdleTimeout:    idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       slog.NewLogLogger(o.config.Logger.Handler(), slog.LevelWarn),
		// Requests don't hang on ctx: its end must not interrupt those that run.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("observer on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.config.ShutdownTimeout)
	defer cancel()
	err := server.Shutdown(wait)
	if err != nil {
		o.config.Logger.LogAttrs(ctx, slog.LevelWarn, "requests were cut off at the end; their senders will send again",
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
