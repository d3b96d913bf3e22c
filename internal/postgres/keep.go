package postgres

import (
	"context"
	"log/slog"
	"time"

	"strata/internal/pause"
)

// Intervals at which Keep looks whether the server runs. After a start that failed it waits longer, up to keepMost.
const (
	keepInterval = time.Second
	keepMost     = 30 * time.Second
)

// Keep starts the server again whenever it has ended, until ctx ends or the cluster is stopped. A server ends when its disk
// is full, for example, or when the system kills it for want of memory. It comes back at the same socket, so that pools
// find it with the URL that they have.
func (c *Cluster) Keep(ctx context.Context) {
	wait := keepInterval
	for {
		if pause.For(ctx, wait); ctx.Err() != nil {
			return
		}
		stopped, err := c.revive(ctx)
		switch {
		case stopped, ctx.Err() != nil:
			return
		case err != nil:
			wait = min(2*wait, keepMost)
			c.runner.log.ErrorContext(ctx, "private PostgreSQL has ended and does not start", slog.Any("error", err), slog.Duration("next_attempt", wait))
		default:
			wait = keepInterval
		}
	}
}

// revive starts the server if it has ended, unless this process's use of it is over. Another process of the same cluster
// may be faster: then it finds that one's.
func (c *Cluster) revive(ctx context.Context) (stopped bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == nil {
		return true, nil
	}
	if _, running, err := runningServer(c.runner.home.data()); err != nil || running {
		return false, err
	}
	c.runner.log.WarnContext(ctx, "private PostgreSQL has ended; starting it again", slog.Int("pid", c.server.pid), slog.String("log", c.runner.home.log()))
	gate, err := c.runner.home.enter(ctx)
	if err != nil {
		return false, err
	}
	defer gate.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	s, err := c.runner.run(ctx)
	if err == nil {
		c.server = s
	}
	return false, err
}
