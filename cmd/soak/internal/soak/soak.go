package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/postgres"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/serverrig"
)

// Config describes a run.
type Config struct {
	Program   string        // path of the strata program
	Duration  time.Duration // of the load
	KillEvery time.Duration // time between two kills of the server; 0 for none
	FlapFor   time.Duration // for which a node is down, failing or slow
	Rate      float64       // events per second
	Readers   int
	Attackers int // of each kind
	Flood     int // connections that are held open without a whole request
	Seed      uint64
	Progress  io.Writer // gets a line for each fault
}

// soak is a run.
type soak struct {
	Config
	dir         string          // temporary
	databaseDir string          // the data directory of Postgres
	disk        *serverrig.Disk // that it is on; nil where no disk can be mounted
	noDisk      string          // why
	diskUsed    int64           // at the end of the load, in bytes

	api      string // URL
	metrics  string // URL
	server   *process
	redis    *process // nil where redis-server is not installed
	nodes    []*node
	gateway  *gateway
	timeline timeline

	databaseMu sync.Mutex
	cluster    *postgres.Cluster

	restarting sync.Mutex // held while the server is ended and started
	flapping   sync.Mutex // held while nodes are not well

	feed       feed
	readers    readers
	costly     readers
	attacks    attacks
	figures    []*figure
	began      time.Time
	ended      time.Time
	kills      int
	exits      int // of the server by itself, while its database was away
	redisStops int
	flaps      int
	recovered  struct {
		process, database recoveries
		floor, disk       recoveries    // after the disk was full, to the floor and to the last byte
		refused           int64         // attempts to post an event, while the disk was full to the floor
		panicked          bool          // Postgres ended when the disk was full to the last byte
		log               time.Duration // until all events were in the read tables, at the end
	}
	checked checked
	fetched fetched

	violationsMu sync.Mutex
	violations   []string
}

// broken notes that a rule was broken.
func (s *soak) broken(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.logf("BROKEN: %s", text)
	s.violationsMu.Lock()
	defer s.violationsMu.Unlock()
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
		s.broken("not within %s: %s", recovery, what)
	}
	return false
}

// ready reports whether the server says that it is ready.
func (s *soak) ready(ctx context.Context) bool {
	return serverrig.Probe(ctx, s.api+"/readyz") == http.StatusOK
}

// inDatabase gives do a session of the superuser.
func (s *soak) inDatabase(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.running().AdminURL())
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

// lastTokenID is the highest number of a token that each collection has, besides those that it has minted.
const lastTokenID = 30

// startAll starts Postgres, Redis, the nodes and the server.
func (s *soak) startAll(ctx context.Context) error {
	s.mountDatabase()
	if err := s.startDatabase(ctx); err != nil {
		return err
	}
	var addresses [3]string
	for i := range addresses {
		var err error
		if addresses[i], err = serverrig.FreeAddress(); err != nil {
			return err
		}
	}
	s.api, s.metrics = "http://"+addresses[0], "http://"+addresses[2]+"/metrics"
	s.attacks = attacks{api: addresses[0], observer: addresses[1], each: s.Attackers, flood: s.Flood}
	args := []string{
		"serve", "--database-url", s.cluster.URL(), "--data-dir", filepath.Join(s.dir, "server"), "--log-level", "WARN",
		"--api-addr", addresses[0], "--observer-addr", addresses[1], "--metrics-addr", addresses[2],
	}
	if s.disk != nil {
		args = append(args, "--disk-folder", s.disk.Folder, "--disk-floor", fmt.Sprint(diskFloor))
	}
	// Documents come from the gateway alone, which is on this machine: no public address is asked.
	world := &outside.World{LastTokenID: func(string) uint64 { return lastTokenID }}
	s.gateway = newGateway(world)
	args = append(args, "--ipfs-gateways", s.gateway.server.URL, "--fetch-allow", "127.0.0.1")
	for range 2 {
		n, err := newNode(&s.feed.tip, world)
		if err != nil {
			return err
		}
		s.nodes = append(s.nodes, n)
	}
	args = append(args, "--nodes", "http://"+s.nodes[0].address+",http://"+s.nodes[1].address)
	if path, redisArgs, address, err := serverrig.Redis(); err == nil {
		s.redis = &process{path: path, log: filepath.Join(s.dir, "redis.log"), args: redisArgs}
		if err := s.redis.start(); err != nil {
			return err
		}
		args = append(args, "--redis-url", "redis://"+address)
	}
	s.server = &process{path: s.Program, args: args, log: filepath.Join(s.dir, "strata.log")}
	if err := s.server.start(); err != nil {
		return err
	}
	// It is not ready before the first block.
	if !serverrig.WaitFor(ctx, recovery, func() bool { return serverrig.Probe(ctx, s.api+"/healthz") == http.StatusOK }) {
		return errors.Join(ctx.Err(), fmt.Errorf("the server did not answer; it said:\n%s", s.server.said()))
	}
	return nil
}

// load feeds, reads, attacks and disturbs for the duration.
func (s *soak) load(ctx context.Context) {
	s.began = time.Now()
	loaded, cancel := context.WithTimeout(ctx, s.Duration)
	defer cancel()
	names := &scout{api: s.api}
	var group sync.WaitGroup
	for _, do := range []func(){
		func() { s.feed.run(loaded, "http://"+s.attacks.observer, s.Rate, s.Seed) },
		func() { names.run(loaded) },
		func() { s.readers.run(loaded, s.Readers, readerPause, s.Seed, names, (*subjects).target) },
		func() {
			s.costly.run(loaded, s.Attackers, 0, s.Seed+1, names, func(n *subjects, random *rand.Rand) (string, bool) { return n.costly(random), false })
		},
		func() { s.attacks.run(loaded) },
		func() { s.flap(loaded) },
		func() { s.disturb(loaded) },
		func() { s.superviseServer(loaded) },
		func() { s.sample(loaded, min(2*time.Second, s.Duration/30)) },
		func() {
			if s.KillEvery > 0 {
				s.killRepeatedly(loaded)
			}
		},
	} {
		group.Go(do)
	}
	group.Wait()
	s.ended = time.Now()
	if s.disk != nil {
		var err error
		s.diskUsed, err = s.disk.Used()
		s.check("look at the disk", err)
	}
	s.logf("the load has ended")
}

// stopAll ends what the soak has started.
func (s *soak) stopAll() {
	for _, p := range []*process{s.server, s.redis} {
		if p != nil {
			_ = p.end(syscall.SIGKILL, recovery)
		}
	}
	for _, n := range s.nodes {
		n.down()
	}
	if s.gateway != nil {
		s.gateway.server.Close()
	}
	if err := s.stopDatabase(context.Background()); err != nil {
		s.logf("stop Postgres: %v", err)
	}
	if s.disk != nil {
		if err := s.disk.Unmount(); err != nil {
			s.logf("unmount %s: %v", s.disk.Folder, err)
		}
	}
}
