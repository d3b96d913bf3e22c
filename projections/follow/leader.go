package follow

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// standbyInterval is how often a standby checks whether the leader is gone.
const standbyInterval = 500 * time.Millisecond

// leadership keeps other processes from folding the same versions. Two processes that fold the same version would be
// correct but wasteful: of their compare-and-sets only one succeeds.
//
// It is an advisory lock for each version, all held by one connection. Where such locks don't work everybody leads at
// once, and the compare-and-sets alone decide; so they do when the connection is lost.
type leadership struct {
	pool   *pgxpool.Pool
	logger *slog.Logger

	mu   sync.Mutex
	conn *pgx.Conn                   // nil while nobody leads anything
	held map[projections.Schema]bool // the versions that it leads
}

// precedence is how long a version leaves the lead to the process that leads the version before it.
const precedence = 2 * time.Second

// lead waits until no other process folds a version, and returns a function that ends the leadership. Whoever leads the
// version first takes precedence, so that of processes that start at the same time one leads everything, and folds it in
// one transaction. first may be the zero Schema.
func (l *leadership) lead(ctx context.Context, version, first projections.Schema) (resign func(), err error) {
	for began := time.Now(); first.Name != "" && !l.leads(first) && time.Since(began) < precedence; {
		pause.For(ctx, standbyInterval/10)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	logged := false
	for {
		conn, err := l.try(ctx, version)
		if err != nil {
			return nil, err
		}
		if conn != nil {
			return func() { l.resign(context.WithoutCancel(ctx), conn, version) }, nil
		}
		if !logged {
			logged = true
			l.logger.LogAttrs(ctx, slog.LevelInfo, "another process runs this projection; standing by", slog.String("projection", version.String()))
		}
		pause.For(ctx, standbyInterval)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// try returns the connection that leads a version from now on; nil when another process does.
func (l *leadership) try(ctx context.Context, version projections.Schema) (*pgx.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil || l.conn.IsClosed() {
		conn, err := register.LeadingConn(ctx, l.pool)
		if err != nil {
			return nil, err
		}
		l.conn, l.held = conn, map[projections.Schema]bool{}
	}
	leading, err := register.TryLead(ctx, l.conn, version)
	switch {
	case err != nil:
		l.drop(ctx)
		return nil, err
	case !leading:
		if len(l.held) == 0 {
			l.drop(ctx)
		}
		return nil, nil
	}
	l.held[version] = true
	return l.conn, nil
}

// leads reports whether this process leads a version.
func (l *leadership) leads(version projections.Schema) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[version]
}

// resign ends the leadership of a version that a connection holds.
func (l *leadership) resign(ctx context.Context, conn *pgx.Conn, version projections.Schema) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != conn {
		return // it was lost, and all its locks with it
	}
	delete(l.held, version)
	if len(l.held) == 0 || register.Resign(ctx, conn, version) != nil {
		l.drop(ctx)
	}
}

// drop closes the connection, which releases its locks in whatever state the session is.
func (l *leadership) drop(ctx context.Context) {
	_ = l.conn.Close(context.WithoutCancel(ctx))
	l.conn, l.held = nil, nil
}
