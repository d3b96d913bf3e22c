package follow_test

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/follow"
	"strata/rig"
	"strata/rig/replay"
)

// TestFrozenLeader stops the process that leads with SIGSTOP, at random moments while it folds, and expects the standby to
// go on with everything that it held. When the process goes on, it stands by, and nothing is folded twice.
func TestFrozenLeader(t *testing.T) {
	t.Parallel()
	made := synthchain.New(synthchain.Everything(7, synthchain.V3109))
	log := replay.NewLog(t)
	url := replay.Databases.URL(t)
	random := rand.New(rand.NewPCG(7, 7))
	post := func(n int) {
		for range n {
			replay.Append(t, log, made.Next())
		}
	}
	first := startChild(t, url)
	post(20)
	replay.Wait(t, log)
	config := follow.Config{Log: log, Interval: 50 * time.Millisecond, LeaderPatience: 500 * time.Millisecond}
	for round := range short.Form(3, 1) {
		stop := replay.Follow(t, config, killedLine(rig.Chain(t)))
		frozen := make(chan error, 1)
		time.AfterFunc(time.Duration(random.IntN(30_000))*time.Microsecond, func() { // within the folds of the posts below
			frozen <- first.process.Signal(syscall.SIGSTOP)
		})
		post(10)
		if err := <-frozen; err != nil {
			t.Fatal(err)
		}
		post(10)
		began := time.Now()
		replay.Wait(t, log)
		t.Logf("fault: freeze %d of the leader; the standby had folded all after %s", round, time.Since(began).Round(time.Millisecond))
		if err := first.process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		post(10)
		replay.Wait(t, log)
		stop() // the first process leads again
		post(5)
		replay.Wait(t, log)
	}
	rig.CheckState(t, log.Pool(), made.Expected())
	rig.CheckNoQuarantine(t, log.Pool())
}

// A leader whose server makes an index is not frozen, however long that takes. One for which the server does nothing is, and
// loses its transaction too.
func TestLeaderThatWorks(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 5)...)
	replay.Run(t, log, rig.Chain(t))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	leader, err := pgx.Connect(ctx, replay.Databases.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	chain := rig.Chain(t).Spec().Schema
	eventually.Holds(t, "it leads", func() bool { // the server may notice late that the connections of the runner are closed
		leading, err := follow.TryLead(ctx, leader, chain)
		if err != nil {
			t.Fatal(err)
		}
		return leading
	})
	folding, err := pgx.Connect(ctx, replay.Databases.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folding.Exec(ctx, `BEGIN`); err != nil {
		t.Fatal(err)
	}
	if _, err := folding.Exec(ctx, `SELECT FROM strata.projection WHERE name = 'chain' FOR NO KEY UPDATE`); err != nil {
		t.Fatal(err)
	}
	builder, err := pgx.Connect(ctx, replay.Databases.URL(t))
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := log.Pool().Exec(ctx, `SELECT pg_terminate_backend($1)`, int32(builder.PgConn().PID())); err != nil {
		t.Fatal(err)
	}
	<-built
	idle := time.Now()
	eventually.Holds(t, "the leader is ended", func() bool { return !leads() })
	replay.Wait(t, log)
	t.Logf("fault: a leader that makes an index kept leading for %s; idle, it was ended, and another one had folded all, after %s",
		worked.Round(time.Millisecond), time.Since(idle).Round(time.Millisecond))
}
