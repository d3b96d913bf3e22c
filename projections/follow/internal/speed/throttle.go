package speed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/time/rate"

	"strata/projections"
)

// readInterval is how often a follower reads its throttle from the register.
const readInterval = time.Second

// Throttle keeps a follower from folding more items per second than the register allows.
type Throttle struct {
	pool    *pgxpool.Pool
	version projections.Schema
	limiter *rate.Limiter
	readAt  time.Time
}

// NewThrottle returns the throttle of a version.
func NewThrottle(pool *pgxpool.Pool, version projections.Schema) *Throttle {
	return &Throttle{pool: pool, version: version, limiter: rate.NewLimiter(rate.Inf, 0)}
}

// Wait returns how many of n items may be folded now, once at least one may be. That is never more than the items of
// one second, so that a change of the throttle soon takes effect.
func (t *Throttle) Wait(ctx context.Context, n int) (int, error) {
	if time.Since(t.readAt) > readInterval {
		if err := t.read(ctx); err != nil {
			return 0, err
		}
	}
	if t.limiter.Limit() == rate.Inf {
		return n, nil
	}
	n = min(n, t.limiter.Burst())
	if err := t.limiter.WaitN(ctx, n); err != nil {
		return 0, fmt.Errorf("wait until projection %s may go on: %w", t.version, errors.Join(err, ctx.Err()))
	}
	return n, nil
}

func (t *Throttle) read(ctx context.Context) error {
	var perSecond *int
	err := t.pool.QueryRow(ctx, `SELECT throttle FROM strata.projection WHERE name = $1 AND version = $2`,
		t.version.Name, t.version.Version).Scan(&perSecond)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the throttle of projection %s: %w", t.version, err)
	}
	t.readAt = time.Now()
	if perSecond == nil {
		t.limiter.SetLimit(rate.Inf)
		return nil
	}
	if limit := rate.Limit(*perSecond); t.limiter.Limit() != limit {
		t.limiter = rate.NewLimiter(limit, *perSecond)
		t.limiter.AllowN(t.readAt, *perSecond) // take the whole burst away, so that it starts slowly
	}
	return nil
}
