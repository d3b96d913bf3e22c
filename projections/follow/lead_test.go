package follow_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/projections/mempool"
	"strata/projections/pox"
	"strata/rig"
	"strata/rig/replay"
)

// TestOneLeadsAll starts two processes at the same time, several times, and expects one of them to lead all projections:
// only then they fold in one transaction.
func TestOneLeadsAll(t *testing.T) {
	t.Parallel()
	for range 3 {
		log := replay.NewLogApart(t)
		registries := []*prometheus.Registry{prometheus.NewRegistry(), prometheus.NewRegistry()}
		for _, registry := range registries {
			config := follow.Config{Log: log, Interval: 50 * time.Millisecond, Registry: registry}
			replay.Follow(t, config, projections.Chain(rig.Chain(t), balances.New(nil), mempool.New(), pox.New()))
		}
		eventually.Holds(t, "all are members in one process", func() bool {
			first, second := rig.Metric(t, registries[0], "strata_projection_on_board"), rig.Metric(t, registries[1], "strata_projection_on_board")
			return first == 3 && second == 0 || first == 0 && second == 3
		})
		replay.Append(t, log, rig.Blocks(0, 10)...)
		replay.Wait(t, log)
	}
}

// TestStandbyOpensNoConnections lets a process stand by: it looks again and again whether the leader is gone, and the database starts
// no process for that.
func TestStandbyOpensNoConnections(t *testing.T) {
	t.Parallel()
	url := replay.Databases.Fresh(t)
	start := func(tracer *leadTracer) {
		config := must.Get(pgxpool.ParseConfig(url))(t)
		config.ConnConfig.Tracer = tracer
		pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
		pgtest.AtEnd(t, pool.Close)
		log := eventstore.Open(pool, eventstore.Config{})
		pgtest.AtEnd(t, log.Close)
		registry := prometheus.NewRegistry()
		replay.Follow(t, follow.Config{Log: log, Registry: registry, LeaderPatience: 200 * time.Millisecond},
			projections.Chain(rig.Chain(t), balances.New(nil), mempool.New(), pox.New()))
		if tracer.first {
			eventually.Holds(t, "it leads", func() bool { return rig.Metric(t, registry, "strata_projection_on_board") == 3 })
		}
	}
	start(&leadTracer{first: true})
	standby := &leadTracer{}
	start(standby)
	const versions, rounds = 4, 6
	tried := func(n int64) func() bool { return func() bool { return standby.tries.Load() >= n } }
	eventually.Holds(t, "each version was tried", tried(2*versions))
	connects, tries := standby.connects.Load(), standby.tries.Load()
	eventually.Holds(t, "each version was tried again and again", tried(tries+rounds*versions))
	if opened := standby.connects.Load() - connects; opened > versions {
		t.Errorf("%d connections were opened", opened)
	}
}

// leadTracer counts the connections that a pool opens, and how often the lead of a version is tried to be had over them.
type leadTracer struct {
	first           bool
	connects, tries atomic.Int64
}

func (l *leadTracer) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	l.connects.Add(1)
	return ctx
}

func (l *leadTracer) TraceConnectEnd(context.Context, pgx.TraceConnectEndData) {}

func (l *leadTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if strings.Contains(data.SQL, "INSERT INTO strata.lead") {
		l.tries.Add(1)
	}
	return ctx
}

func (l *leadTracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
