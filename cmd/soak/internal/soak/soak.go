package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/pause"
	"strata/internal/postgres"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/serverrig"
)

// Config describes a run.
type Config struct {
	Program   string        // path of the strata program
	Duration  time.Duration // of the load
	KillEvery time.Duration // time between two kills of the server; 0 for none
	Rate      float64       // events per second
	Readers   int
	Attackers int // of each kind
	Flood     int // connections that are held open without a whole request
	Seed      uint64
	Progress  io.Writer // gets a line for each kill
}

// recovery bounds the time until the server is ready again after a kill. A soak that waits for longer has failed.
const recovery = 2 * time.Minute

// soak is a run.
type soak struct {
	Config
	dir      string // temporary
	database *postgres.Cluster
	outside  *httptest.Server // node and gateway
	server   *serverrig.Process
	args     []string // of the server
	api      string   // URL
	metrics  string   // URL

	feed      feed
	readers   readers
	costly    readers
	attacks   attacks
	figures   []*figure
	began     time.Time
	ended     time.Time
	recovered []time.Duration // until the server was ready, after each kill
	followed  time.Duration   // until all events were in the read tables, at the end
	checked   checked

	mu         sync.Mutex
	down       []span
	violations []string
}

// span is a time in which the server was killed and not ready again.
type span struct{ from, to time.Time } // to is zero while it lasts

// grace is the time after a span in which its effects still count as its own.
const grace = time.Second

// wasDown reports whether the time between from and to meets one in which the server was down.
func (s *soak) wasDown(from, to time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.down {
		if !to.Before(d.from) && (d.to.IsZero() || !from.After(d.to.Add(grace))) {
			return true
		}
	}
	return false
}

// broken notes that a rule was broken.
func (s *soak) broken(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.logf("BROKEN: %s", text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violations = append(s.violations, text)
}

// check notes an error as a broken rule. It reports whether there was none.
func (s *soak) check(what string, err error) bool {
	if err != nil {
		s.broken("%s: %v", what, err)
	}
	return err == nil
}

// await waits until a condition holds, and notes a broken rule where it does not in time. It returns false then, and at the end of the run.
func (s *soak) await(ctx context.Context, what string, condition func() bool) bool {
	if serverrig.WaitFor(ctx, recovery, condition) {
		return true
	}
	if ctx.Err() == nil {
		s.broken("not within %s: %s; the server said:\n%s", recovery, what, s.said())
	}
	return false
}

// ready reports whether the server says that it is ready.
func (s *soak) ready(ctx context.Context) bool {
	return serverrig.Probe(ctx, s.api+"/readyz") == http.StatusOK
}

// inDatabase gives do a session of the superuser.
func (s *soak) inDatabase(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.database.AdminURL())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return do(conn)
}

func (s *soak) logf(format string, args ...any) {
	at := time.Duration(0)
	if !s.began.IsZero() {
		at = time.Since(s.began)
	}
	_, _ = fmt.Fprintf(s.Progress, "%6.1fs %s\n", at.Seconds(), fmt.Sprintf(format, args...))
}

// Run soaks a server, and returns what came of it. An error means that the run itself failed.
func Run(ctx context.Context, config Config) (report *Report, err error) {
	s := &soak{Config: config, figures: newFigures()}
	s.readers.soak, s.costly.soak = s, s
	if s.dir, err = postgres.MkdirTemp("strata-soak-*"); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(s.dir) }()
	defer s.stopAll()
	if err := s.startAll(ctx); err != nil {
		return nil, err
	}
	s.load(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.inspect(ctx)
	return s.report(), ctx.Err()
}

// startAll starts Postgres, a node that is a gateway too, and the server.
func (s *soak) startAll(ctx context.Context) (err error) {
	if s.database, err = postgres.Start(ctx, postgres.Config{DataDir: s.dir}); err != nil {
		return err
	}
	s.outside = httptest.NewServer(&outside.World{LastTokenID: func(string) uint64 { return 30 }})
	var addresses [3]string
	for i := range addresses {
		if addresses[i], err = serverrig.FreeAddress(); err != nil {
			return err
		}
	}
	s.api, s.metrics = "http://"+addresses[0], "http://"+addresses[2]+"/metrics"
	s.attacks = attacks{api: addresses[0], observer: addresses[1], each: s.Attackers, flood: s.Flood}
	s.args = []string{
		"serve", "--database-url", s.database.URL(), "--data-dir", filepath.Join(s.dir, "server"), "--log-level", "WARN",
		"--api-addr", addresses[0], "--observer-addr", addresses[1], "--metrics-addr", addresses[2],
		"--nodes", s.outside.URL, "--ipfs-gateways", s.outside.URL, "--fetch-allow", "127.0.0.1",
	}
	if err := s.startServer(); err != nil {
		return err
	}
	// It is not ready before the first block.
	if !serverrig.WaitFor(ctx, recovery, func() bool { return serverrig.Probe(ctx, s.api+"/healthz") == http.StatusOK }) {
		return errors.Join(ctx.Err(), fmt.Errorf("the server did not answer; it said:\n%s", s.said()))
	}
	return nil
}

func (s *soak) logFile() string { return filepath.Join(s.dir, "strata.log") }

// said returns the end of what the server wrote.
func (s *soak) said() string {
	text, _ := os.ReadFile(s.logFile())
	return string(text[max(0, len(text)-4000):])
}

func (s *soak) startServer() error {
	output, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer output.Close() //nolint:errcheck // the process has its own descriptor
	command := exec.Command(s.Program, s.args...)
	command.Dir, command.Stdout, command.Stderr, command.Env = s.dir, output, output, serverrig.Environment()
	s.server, err = serverrig.Start(command)
	return err
}

// killRepeatedly kills the server with SIGKILL and starts it again, every so often, until ctx is done.
func (s *soak) killRepeatedly(ctx context.Context) {
	for s.KillEvery > 0 {
		if pause.For(ctx, s.KillEvery); ctx.Err() != nil {
			return
		}
		s.logf("kill the server")
		if !s.server.Running() {
			s.broken("the server ended by itself; it said:\n%s", s.said())
		}
		s.mu.Lock()
		s.down = append(s.down, span{from: time.Now()})
		now := &s.down[len(s.down)-1]
		s.mu.Unlock()
		_ = s.server.End(syscall.SIGKILL, recovery)
		if !s.check("start the server", s.startServer()) {
			return
		}
		if s.await(ctx, "the server is ready after a kill", func() bool { return s.ready(ctx) }) {
			s.recovered = append(s.recovered, time.Since(now.from))
		}
		s.mu.Lock()
		now.to = time.Now()
		s.mu.Unlock()
	}
}

// load feeds, reads, attacks and kills for the duration.
func (s *soak) load(ctx context.Context) {
	s.began = time.Now()
	loaded, cancel := context.WithTimeout(ctx, s.Duration)
	defer cancel()
	known := &scout{api: s.api}
	var group sync.WaitGroup
	for _, do := range []func(){
		func() { s.feed.run(loaded, "http://"+s.attacks.observer, s.Rate, s.Seed) },
		func() { known.run(loaded) },
		func() { s.readers.run(loaded, s.Readers, readerPause, s.Seed, known, (*subjects).target) },
		func() { s.costly.run(loaded, s.Attackers, 0, s.Seed+1, known, (*subjects).costly) },
		func() { s.attacks.run(loaded) },
		func() { s.sample(loaded, min(2*time.Second, s.Duration/30)) },
		func() { s.killRepeatedly(loaded) },
	} {
		group.Go(do)
	}
	group.Wait()
	s.ended = time.Now()
	s.logf("the load has ended")
}

// stopAll ends what the soak has started.
func (s *soak) stopAll() {
	if s.server != nil {
		_ = s.server.End(syscall.SIGKILL, recovery)
	}
	if s.outside != nil {
		s.outside.Close()
	}
	if s.database != nil {
		if err := s.database.Stop(context.Background()); err != nil {
			s.logf("stop Postgres: %v", err)
		}
	}
}
