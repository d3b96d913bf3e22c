// Package lead decides which process folds a version: one at a time, as long as it makes progress.
package lead

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/longlock"
	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// standbyInterval is how often a standby checks whether the leader is gone.
const standbyInterval = 500 * time.Millisecond

// Leadership keeps other processes from folding the same versions. Two processes that fold the same version would be
// correct but wasteful: of their compare-and-sets only one succeeds.
//
// It is a row of strata.lead for each version, which names one connection and counts as long as that exists. When the connection
// is lost, the compare-and-sets alone decide.
type Leadership struct {
	pool   *pgxpool.Pool
	logger *slog.Logger
	// patience is how long a leader may stand still while something waits.
	patience time.Duration
	tight    func() bool // reports that the disk has little space, so that builds wait; nil: never

	mu        longlock.Lock
	conn      *pgx.Conn                   // nil while nobody leads anything
	held      map[projections.Schema]bool // the versions that it leads
	takeovers map[projections.Schema]takeover
}

// New returns a leadership of nothing. patience is how long a leader may stand still while something waits; 0 means
// PatienceDefault. tight, if not nil, reports that the disk has little space, so that builds wait.
func New(pool *pgxpool.Pool, logger *slog.Logger, patience time.Duration, tight func() bool) *Leadership {
	if patience <= 0 {
		patience = PatienceDefault
	}
	return &Leadership{pool: pool, logger: logger, patience: patience, tight: tight, mu: longlock.New(), takeovers: map[projections.Schema]takeover{}}
}

// precedence is how long a version leaves the lead to the process that leads the version before it.
const precedence = 2 * time.Second

// Lead waits until no other process folds a version, and returns a function that ends the leadership. Whoever leads the
// version first takes precedence, so that of processes that start at the same time one leads everything, and folds it in
// one transaction. first may be the zero Schema.
//
// stands returns where the version stands, and the newest position of its input: a leader that does not move although
// something waits is frozen, and loses the lead.
func (l *Leadership) Lead(
	ctx context.Context, version, first projections.Schema, stands func(context.Context) (position, head int64, err error),
) (resign func(), err error) {
	for began := time.Now(); first.Name != "" && !l.leads(first) && time.Since(began) < precedence; {
		pause.For(ctx, standbyInterval/10)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	conn, err := l.try(ctx, version)
	if err == nil && conn == nil {
		l.logger.LogAttrs(ctx, slog.LevelInfo, "another process runs this projection; standing by", slog.String("projection", version.String()))
		conn, err = l.standBy(ctx, l.watch(version, stands))
	}
	if err != nil {
		return nil, err
	}
	return func() { l.resign(context.WithoutCancel(ctx), conn, version) }, nil
}

// try returns the connection that leads a version from now on; nil when another process does.
func (l *Leadership) try(ctx context.Context, version projections.Schema) (*pgx.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil || l.conn.IsClosed() {
		l.conn, l.held = nil, nil // with a connection that is lost, so is its lead
		return l.tryFirst(ctx, version)
	}
	leading, err := register.TryLead(ctx, l.conn, version)
	if err != nil {
		l.drop(ctx)
		return nil, err
	}
	if !leading {
		return nil, nil
	}
	l.held[version] = true
	return l.conn, nil
}

// tryFirst is try while nothing is led. A standby tries each version twice a second, so a connection that does not lead goes back to the
// pool: a new connection each time is a new process of the database.
func (l *Leadership) tryFirst(ctx context.Context, version projections.Schema) (*pgx.Conn, error) {
	pooled, err := l.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	leading, err := register.TryLead(ctx, pooled.Conn(), version)
	if err == nil && !leading {
		pooled.Release()
		return nil, nil
	}
	conn := pooled.Hijack() // it leads, or may do so
	if err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	l.conn, l.held = conn, map[projections.Schema]bool{version: true}
	return conn, nil
}

// leads reports whether this process leads a version.
func (l *Leadership) leads(version projections.Schema) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[version]
}

// resign ends the leadership of a version that a connection holds.
func (l *Leadership) resign(ctx context.Context, conn *pgx.Conn, version projections.Schema) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if conn == nil || l.conn != conn {
		return // it was lost, and its lead with it
	}
	delete(l.held, version)
	if len(l.held) == 0 || register.Resign(ctx, conn, version) != nil {
		l.drop(ctx)
	}
}

// drop closes the connection, which ends its lead in whatever state the session is.
func (l *Leadership) drop(ctx context.Context) {
	_ = l.conn.Close(context.WithoutCancel(ctx))
	l.conn, l.held = nil, nil
}
