package soak

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"syscall"
	"time"

	"strata/internal/pause"
	"strata/internal/postgres"
	"strata/internal/testkit/serverrig"
)

const (
	// recovery bounds the time until the server is ready again after a fault. A soak that waits for longer has failed.
	recovery = 2 * time.Minute
	// databaseDowntime is how long Postgres stays stopped.
	databaseDowntime = 2 * time.Second
	nodesDowntime    = 3 * time.Second
)

// recoveries are the times that it took to be ready again after a kind of fault.
type recoveries []time.Duration

func (r recoveries) String() string {
	if len(r) == 0 {
		return "never necessary"
	}
	sorted := slices.Sorted(slices.Values(r))
	return fmt.Sprintf("%s median, %s at most", sorted[len(sorted)/2].Round(10*time.Millisecond), sorted[len(sorted)-1].Round(10*time.Millisecond))
}

// killRepeatedly kills the server with SIGKILL and starts it again, every so often, until ctx is done.
func (s *soak) killRepeatedly(ctx context.Context) {
	for {
		if pause.For(ctx, s.KillEvery); ctx.Err() != nil {
			return
		}
		s.restarting.Lock()
		s.kills++
		s.logf("kill the server")
		s.revive(ctx, func() { _ = s.server.end(syscall.SIGKILL, recovery) })
		s.restarting.Unlock()
	}
}

// revive ends the server with end, starts it again, and waits until it is ready. The caller holds s.restarting.
func (s *soak) revive(ctx context.Context, end func()) {
	dead, unready := s.timeline.begin(processDead), s.timeline.begin(starting)
	began := time.Now()
	end()
	for attempt := 0; ; attempt++ {
		if !s.check("start the server", s.server.start()) {
			return
		}
		if s.waitReady(ctx, dead) {
			unready()
			s.recovered.process = append(s.recovered.process, time.Since(began))
			return
		}
		if ctx.Err() != nil {
			return
		}
		// It ended: whoever supervises it would start it again, since its database may have been away.
		if s.server.current().Running() || attempt == 20 {
			s.broken("the server was not ready %s after it was started; it said:\n%s", time.Since(began).Round(time.Second), s.server.said())
			return
		}
		pause.For(ctx, time.Second)
	}
}

// waitReady waits until the server is ready, and calls alive when it answers anything. It returns false when the server ends.
func (s *soak) waitReady(ctx context.Context, alive func()) bool {
	process, ready := s.server.current(), false
	serverrig.WaitFor(ctx, recovery, func() bool {
		status := serverrig.Probe(ctx, s.api+"/readyz")
		if status != 0 {
			alive()
		}
		ready = status == http.StatusOK
		return ready || !process.Running()
	})
	return ready
}

// superviseServer starts a server again that ended by itself. It may do so only while its database is away.
func (s *soak) superviseServer(ctx context.Context) {
	for ; ctx.Err() == nil; pause.For(ctx, 50*time.Millisecond) {
		if s.server.current().Running() {
			continue
		}
		s.restarting.Lock()
		if !s.server.current().Running() && ctx.Err() == nil {
			now := time.Now()
			if !s.timeline.during(databaseDown, now.Add(-time.Second), now) && !s.timeline.during(diskFull, now.Add(-time.Second), now) {
				s.broken("the server ended by itself; it said:\n%s", s.server.said())
			}
			s.exits++
			s.revive(ctx, func() {})
		}
		s.restarting.Unlock()
	}
}

// restartDatabase stops Postgres and starts it again.
func (s *soak) restartDatabase(ctx context.Context) {
	s.logf("restart Postgres")
	end := s.timeline.begin(databaseDown)
	if !s.check("stop Postgres", s.stopDatabase(ctx)) {
		return
	}
	pause.For(ctx, databaseDowntime)
	if !s.check("start Postgres", s.startDatabase(context.WithoutCancel(ctx))) {
		return
	}
	began := time.Now()
	if s.await(ctx, "the server is ready after Postgres is back", func() bool { return s.ready(ctx) }) {
		end()
		s.recovered.database = append(s.recovered.database, time.Since(began))
	}
}

func (s *soak) startDatabase(ctx context.Context) error {
	cluster, err := postgres.Start(ctx, postgres.Config{DataDir: s.databaseDir})
	if err != nil {
		return err
	}
	s.databaseMu.Lock()
	defer s.databaseMu.Unlock()
	s.cluster = cluster
	return nil
}

func (s *soak) stopDatabase(ctx context.Context) error {
	s.databaseMu.Lock()
	defer s.databaseMu.Unlock()
	if s.cluster == nil {
		return nil
	}
	return s.cluster.Stop(context.WithoutCancel(ctx))
}

func (s *soak) running() *postgres.Cluster {
	s.databaseMu.Lock()
	defer s.databaseMu.Unlock()
	return s.cluster
}

// disturb restarts Postgres twice and Redis twice, fills the disk and takes all nodes down once, at fixed shares of the duration.
func (s *soak) disturb(ctx context.Context) {
	began := time.Now()
	for _, step := range []struct {
		share float64
		what  string
		do    func(context.Context)
	}{
		{0.08, "stop Redis", s.stopRedis},
		{0.18, "start Redis", s.startRedis},
		{0.25, "", s.restartDatabase},
		{0.40, "", s.fillDisk},
		{0.65, "stop Redis", s.stopRedis},
		{0.72, "start Redis", s.startRedis},
		{0.77, "", s.restartDatabase},
		{0.88, "", s.allNodesDown},
	} {
		if pause.For(ctx, time.Until(began.Add(time.Duration(step.share*float64(s.Duration))))); ctx.Err() != nil {
			return
		}
		if step.what != "" && s.redis != nil {
			s.logf("%s", step.what)
		}
		step.do(ctx)
	}
}

func (s *soak) stopRedis(context.Context) {
	if s.redis != nil {
		s.check("end Redis", s.redis.end(syscall.SIGKILL, recovery))
		s.redisStops++
	}
}

func (s *soak) startRedis(context.Context) {
	if s.redis != nil {
		s.check("start Redis", s.redis.start())
	}
}

// flap lets one node after the other be down, fail or be slow. Another is always well, except in allNodesDown.
func (s *soak) flap(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		n := s.nodes[i%len(s.nodes)]
		s.flapping.Lock()
		switch i % 3 {
		case 0:
			n.down()
		case 1:
			n.mood.Store(failing)
		case 2:
			n.mood.Store(slow)
		}
		s.flaps++
		pause.For(ctx, s.FlapFor)
		n.mood.Store(well)
		s.check("start a node", n.up())
		s.flapping.Unlock()
		pause.For(ctx, 2*s.FlapFor) // until the node is trusted again
	}
}

func (s *soak) allNodesDown(ctx context.Context) {
	s.flapping.Lock()
	defer s.flapping.Unlock()
	s.logf("take all nodes down")
	end := s.timeline.begin(nodesDown)
	for _, n := range s.nodes {
		n.down()
	}
	pause.For(ctx, nodesDowntime)
	for _, n := range s.nodes {
		s.check("start a node", n.up())
	}
	if serverrig.WaitFor(ctx, recovery, func() bool { return serverrig.Probe(ctx, s.api+"/v2/pox") == http.StatusOK }) {
		end()
	}
}
