package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/load"
	"strata/internal/pause"
	"strata/internal/testkit/serverrig"
	"strata/projections/version"
)

// patience is how long a server may take to answer, or to end.
const patience = 30 * time.Second

// Server is a running `strata serve`.
type Server struct {
	API, Observer string // URLs
	process       *serverrig.Process
}

// Serve starts a server on a database and waits until it answers. more are further arguments.
func (b *Bench) Serve(ctx context.Context, url string, more ...string) *Server {
	return b.ServeBy(ctx, b.Program, url, more...)
}

// ServeBy is Serve with another program.
func (b *Bench) ServeBy(ctx context.Context, program, url string, more ...string) *Server {
	api := Must(serverrig.FreeAddress())
	observer := Must(serverrig.FreeAddress())
	command := exec.CommandContext(ctx, program, append([]string{
		"serve", "--database-url", url, "--data-dir", filepath.Join(b.Dir, "serve"), "--log-level", "WARN", "--public-internals",
		"--api-addr", api, "--observer-addr", observer,
	}, more...)...)
	command.Stderr, command.Env = os.Stderr, serverrig.Environment()
	s := &Server{API: "http://" + api, Observer: "http://" + observer}
	s.process = Must(serverrig.Start(command))
	b.servers = append(b.servers, s)
	answers := func() bool { // its roles decide which of them does
		return serverrig.Probe(ctx, s.API+"/healthz") != 0 || serverrig.Probe(ctx, s.Observer+"/status") != 0
	}
	if !serverrig.WaitFor(ctx, patience, answers) {
		Check(fmt.Errorf("strata serve did not answer on %s", s.API))
	}
	return s
}

// UntilFolded returns when everything in the log is folded, and read tables have their indexes.
func UntilFolded(ctx context.Context, pool *pgxpool.Pool) {
	for registered := false; !registered; pause.For(ctx, 20*time.Millisecond) {
		Check(pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM strata.active)`).Scan(&registered))
	}
	Check(version.WaitUntilCaughtUp(ctx, pool, func([]version.Status) {}, time.Hour))
}

// Pid returns the id of the process.
func (s *Server) Pid() int { return s.process.Process.Pid }

// Contender returns a contender that makes the requests to the server's API.
func (s *Server) Contender(ctx context.Context, list *load.Requests) load.Contender {
	return load.NewContender(ctx, strings.TrimPrefix(s.API, "http://"), list)
}

// Metrics returns the metrics of the server, by their names with labels.
func (s *Server) Metrics(ctx context.Context) map[string]float64 {
	return serverrig.Metrics(ctx, s.API+"/metrics")
}

// Stop ends the process.
func (s *Server) Stop() { _ = s.process.End(os.Interrupt, patience) }
