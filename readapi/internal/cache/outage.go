package cache

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// outage logs one warning when Redis fails and one message when it is back, however many breakers open.
type outage struct {
	logger *slog.Logger

	mu    sync.Mutex
	since time.Time
	open  map[string]bool // by operation
}

func newOutage(logger *slog.Logger) *outage { return &outage{logger: logger, open: map[string]bool{}} }

// began records that the breaker of an operation has opened because of err.
func (o *outage) began(operation string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	level := slog.LevelInfo // the outage has become worse, but the operator was already warned
	if len(o.open) == 0 {
		level, o.since = slog.LevelWarn, time.Now()
	}
	o.open[operation] = true
	message := "Redis can't be read: answers come from Postgres and the in-process tier until it can"
	if operation == "write" {
		message = "Redis can't be written: new answers stay in the in-process tier until it can"
	}
	o.logger.LogAttrs(context.Background(), level, message, slog.String("operation", operation),
		slog.String("kind", kindOf(err)), slog.Any("error", err))
}

// ended records that the breaker of an operation has closed.
func (o *outage) ended(operation string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, operation)
	if len(o.open) == 0 {
		o.logger.LogAttrs(context.Background(), slog.LevelInfo, "Redis is used again",
			slog.Duration("out_of_use", time.Since(o.since).Round(time.Millisecond)))
	}
}
