package follow

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// standbyInterval is how often a standby checks whether the leader is gone.
const standbyInterval = 500 * time.Millisecond

// lead waits until no other process folds the same version, and returns a function that ends the leadership. Two
// processes that fold the same version would be correct but wasteful: of their compare-and-sets only one succeeds.
//
// The leadership is an advisory lock, held by a connection. Where such locks don't work lead returns at once, and the
// compare-and-set alone decides.
func lead(ctx context.Context, pool *pgxpool.Pool, version projections.Schema, logger *slog.Logger) (resign func(), err error) {
	conn, err := register.LeadingConn(ctx, pool)
	if err != nil {
		return nil, err
	}
	resign = func() { _ = conn.Close(context.WithoutCancel(ctx)) }
	logged := false
	for {
		leading, err := register.TryLead(ctx, conn, version)
		if err != nil {
			resign()
			return nil, err
		}
		if leading {
			return resign, nil
		}
		if !logged {
			logged = true
			logger.LogAttrs(ctx, slog.LevelInfo, "another process runs this projection; standing by", slog.String("projection", version.String()))
		}
		pause.For(ctx, standbyInterval)
		if ctx.Err() != nil {
			resign()
			return nil, ctx.Err()
		}
	}
}
