package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/time/rate"
)

// throttleInterval is how often a follower looks whether its throttle has changed.
const throttleInterval = time.Second

// throttle keeps a follower from folding more items a second than the register allows.
type throttle struct {
	pool     *pgxpool.Pool
	instance Instance
	limiter  *rate.Limiter
	read     time.Time
}

func newThrottle(pool *pgxpool.Pool, instance Instance) *throttle {
	return &throttle{pool: pool, instance: instance, limiter: rate.NewLimiter(rate.Inf, 0)}
}

// wait returns when some of n items may be folded, and how many: no more than those of a second, so that a change is soon
// obeyed.
func (t *throttle) wait(ctx context.Context, n int) (int, error) {
	if time.Since(t.read) > throttleInterval {
		if err := t.look(ctx); err != nil {
			return 0, err
		}
	}
	if t.limiter.Limit() == rate.Inf {
		return n, nil
	}
	n = min(n, t.limiter.Burst())
	if err := t.limiter.WaitN(ctx, n); err != nil {
		return 0, fmt.Errorf("wait until projection %s may go on: %w", t.instance, errors.Join(err, ctx.Err()))
	}
	return n, nil
}

func (t *throttle) look(ctx context.Context) error {
	var most *int
	err := t.pool.QueryRow(ctx, `SELECT throttle FROM strata.projection WHERE name = $1 AND version = $2`, t.instance.Name, t.instance.Version).Scan(&most)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the throttle of projection %s: %w", t.instance, err)
	}
	t.read = time.Now()
	if most == nil {
		t.limiter.SetLimit(rate.Inf)
		return nil
	}
	if limit := rate.Limit(*most); t.limiter.Limit() != limit {
		t.limiter = rate.NewLimiter(limit, *most)
		t.limiter.AllowN(t.read, *most) // it begins slowly, rather than with what it may do in a second
	}
	return nil
}

// SetThrottle lets a version fold no more than so many items a second, from about a second later on; nil as many as it can.
func SetThrottle(ctx context.Context, pool *pgxpool.Pool, instance Instance, perSecond *int) error {
	tag, err := pool.Exec(ctx, `UPDATE strata.projection SET throttle = $3 WHERE name = $1 AND version = $2 AND NOT scratch`, instance.Name, instance.Version, perSecond)
	if err != nil {
		return fmt.Errorf("throttle projection %s: %w", instance, err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("throttle projection %s: %w", instance, ErrNotRegistered)
	}
	return nil
}
