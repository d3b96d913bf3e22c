package follow_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/follow"
	"strata/rig"
	"strata/rig/replay"
)

// A leader whose server makes an index is not frozen, however long that takes. One for which the server does nothing is, and
// loses its transaction too.
func TestLeaderThatWorks(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 5)...)
	replay.Run(t, log, rig.Chain(t))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	leader := must.Get(pgx.Connect(ctx, replay.Databases.URL(t)))(t)
	chain := rig.Chain(t).Spec().Schema
	eventually.Holds(t, "it leads", func() bool { // the server may notice late that the connections of the runner are closed
		return must.Get(follow.TryLead(ctx, leader, chain))(t)
	})
	folding := must.Get(pgx.Connect(ctx, replay.Databases.URL(t)))(t)
	must.Get(folding.Exec(ctx, `BEGIN`))(t)
	must.Get(folding.Exec(ctx, `SELECT FROM strata.projection WHERE name = 'chain' FOR NO KEY UPDATE`))(t)
	builder := must.Get(pgx.Connect(ctx, replay.Databases.URL(t)))(t)
	built := make(chan struct{})
	go func() {
		defer close(built)
		_, _ = builder.Exec(ctx, `DO $$ BEGIN CREATE INDEX held ON `+chain.Table("step")+` (kind); PERFORM pg_sleep(600); END $$`)
	}()
	const patience = 300 * time.Millisecond
	replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond, LeaderPatience: patience}, projections.Chain(rig.Chain(t)))
	replay.Append(t, log, rig.Blocks(5, 5)...)
	leads := func() bool {
		return rig.Query[bool](t, log, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)`, int32(leader.PgConn().PID()))
	}
	began := time.Now()
	eventually.Stays(t, "a leader that makes an index leads", 5*patience, leads)
	worked := time.Since(began)
	must.Get(log.Pool().Exec(ctx, `SELECT pg_terminate_backend($1)`, int32(builder.PgConn().PID())))(t)
	<-built
	idle := time.Now()
	eventually.Holds(t, "the leader is ended", func() bool { return !leads() })
	replay.Wait(t, log)
	t.Logf("fault: a leader that makes an index kept leading for %s; idle, it was ended, and another one had folded all, after %s",
		worked.Round(time.Millisecond), time.Since(idle).Round(time.Millisecond))
}
