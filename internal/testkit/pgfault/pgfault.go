// Package pgfault lets a request to Postgres fail.
package pgfault

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/pgtraffic"
)

// Kind is how a request fails.
type Kind int

const (
	// Refused requests are not sent. The transaction stays as it is, so code that ignores the error goes on. Requests are statements,
	// batches and copies of rows.
	Refused Kind = iota
	// Lost requests end their connection before they are sent. Requests are writes to connections.
	Lost
	// Unanswered requests end their connection with the answer.
	Unanswered
)

// Fault lets a request of a pool fail.
type Fault struct {
	kind Kind

	mu          sync.Mutex
	n, requests int
	committed   bool // before the n-th request
}

// New returns a pool on the database of another one, and what lets its requests fail.
func New(t testing.TB, pool *pgxpool.Pool, kind Kind) (*pgxpool.Pool, *Fault) {
	t.Helper()
	f, config := &Fault{kind: kind}, pool.Config()
	if kind == Refused {
		config.ConnConfig.Tracer = tracer{f}
	} else {
		pgtraffic.Through(&config.ConnConfig.Config, func(c net.Conn) net.Conn { return &conn{Conn: c, fault: f} })
	}
	failing := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	pgtest.AtEnd(t, failing.Close)
	return failing, f
}

// During calls do, whose n-th request fails; none if n is 0. It returns the number of requests, and whether one failed, after a commit.
func (f *Fault) During(n int, do func()) (requests int, failed, committed bool) {
	f.mu.Lock()
	f.n, f.requests, f.committed = n, 0, false
	f.mu.Unlock()
	do()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n = 0
	return f.requests, n > 0 && f.requests >= n, f.committed
}

// next counts a request, and reports whether it fails.
func (f *Fault) next(sql string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	f.committed = f.committed || sql == "commit" && f.requests < f.n
	return f.requests == f.n
}

// conn is a connection that may end.
type conn struct {
	net.Conn
	fault *Fault
	ends  atomic.Bool // with what is read next
}

func (c *conn) Write(b []byte) (int, error) {
	if c.fault.next("") {
		c.ends.Store(true)
		if c.fault.kind == Lost {
			_ = c.Close()
		}
	}
	return c.Conn.Write(b)
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.ends.Load() {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return n, err
}

// tracer refuses what pgx is about to send.
type tracer struct{ *Fault }

func (f tracer) refuse(ctx context.Context, sql string) context.Context {
	if sql == "rollback" || strings.HasPrefix(sql, "SELECT pg_notify(") || !f.next(sql) { // nobody needs to know that these fail
		return ctx
	}
	ctx, cancel := context.WithDeadline(ctx, time.Unix(0, 0))
	defer cancel()
	return ctx
}

func (f tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return f.refuse(ctx, data.SQL)
}
func (f tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return f.refuse(ctx, "")
}
func (f tracer) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	return f.refuse(ctx, "")
}
func (tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData)       {}
func (tracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData)   {}
func (tracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)       {}
func (tracer) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}
