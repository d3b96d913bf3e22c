package rig

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// Fault lets a request of a pool fail before it is sent. The transaction stays as it is, so code that ignores the error goes on. It is
// for one goroutine.
type Fault struct{ faultTracer }

// NewFault returns a pool on the database of another one, and what lets its requests fail.
func NewFault(t testing.TB, pool *pgxpool.Pool) (*pgxpool.Pool, *Fault) {
	t.Helper()
	f, config := &Fault{}, pool.Config()
	config.ConnConfig.Tracer = f
	failing := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	pgtest.AtEnd(t, failing.Close)
	return failing, f
}

// During calls do, whose n-th request fails; none if n is 0. It returns the number of requests, and whether one failed, after a commit.
func (f *Fault) During(n int, do func()) (requests int, failed, committed bool) {
	f.faultTracer = faultTracer{n: n}
	do()
	f.n = 0
	return f.requests, n > 0 && f.requests >= n, f.committed
}

type faultTracer struct {
	n, requests int
	committed   bool // before the n-th request
}

func (f *faultTracer) next(ctx context.Context, sql string) context.Context {
	if sql == "rollback" || strings.HasPrefix(sql, "SELECT pg_notify(") { // whose failure nobody needs to know
		return ctx
	}
	f.requests++
	f.committed = f.committed || sql == "commit" && f.requests < f.n
	if f.requests == f.n {
		var cancel func()
		ctx, cancel = context.WithDeadline(ctx, time.Unix(0, 0))
		defer cancel()
	}
	return ctx
}

func (f *faultTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return f.next(ctx, data.SQL)
}
func (f *faultTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return f.next(ctx, "")
}
func (f *faultTracer) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	return f.next(ctx, "")
}
func (*faultTracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData)       {}
func (*faultTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData)   {}
func (*faultTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)       {}
func (*faultTracer) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}
