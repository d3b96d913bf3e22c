package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/serverrig"
	"strata/projections/version"
)

// runMain is the environment variable that makes the test program run as strata: the same code as bin/strata, with the
// race detector and coverage of the test run.
const runMain = "STRATA_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// slow is the time after which a test gives up waiting. Nothing comes close to it.
const slow = 2 * time.Minute

// served makes databases whose tables a server has created, which takes it seconds, and which have nothing in them.
var served = pgtest.Template("served", func(ctx context.Context, url string) error {
	cmd, err := commandIn(os.TempDir(), nil, "serve", "--roles", "projector", "--database-url", url)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	p, err := serverrig.Start(cmd)
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	for live := false; !live && ctx.Err() == nil && p.Running(); pause.For(ctx, 20*time.Millisecond) {
		statuses, err := version.StatusesWithoutSizes(ctx, pool)
		live = err == nil && len(statuses) > 0 && !slices.ContainsFunc(statuses, func(s version.Status) bool { return s.State != version.StateLive || !s.Indexed })
	}
	if err := p.End(syscall.SIGINT, slow); err != nil || p.ProcessState.ExitCode() != 0 {
		return fmt.Errorf("a server on an empty database: %w; it said: %s", err, &said)
	}
	return nil
})

// command returns a command that runs strata in a folder, without the STRATA_ settings of the environment.
func command(t testing.TB, dir string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	return must.Get(commandIn(dir, env, args...))(t)
}

func commandIn(dir string, env []string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	// Without the exit sleep, the race detector does not make each process wait a second at its end. The tests' Postgres does not
	// wait for the disk.
	cmd.Env = serverrig.Environment(runMain+"=1", "GORACE=atexit_sleep_ms=0", "STRATA_ALLOW_UNSAFE_DATABASE=true")
	cmd.Env = append(cmd.Env, env...)
	return cmd, nil
}

// outcome is the exit code and the output of a command.
type outcome struct {
	code           int
	stdout, stderr string
}

// fails checks the exit code of a command, and that it said all of this on standard error.
func (o outcome) fails(t testing.TB, code int, said ...string) {
	t.Helper()
	for _, want := range said {
		if o.code != code || !strings.Contains(o.stderr, want) {
			t.Errorf("got code %d and %q, want code %d and %q", o.code, o.stderr, code, want)
		}
	}
}

// run runs strata until it exits.
func run(t testing.TB, dir string, args ...string) outcome {
	t.Helper()
	return finish(t, command(t, dir, nil, args...))
}

// finish runs a command until it exits.
func finish(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	p := must.Get(serverrig.Start(cmd))(t)
	select {
	case <-p.Ended():
	case <-time.After(slow):
		t.Errorf("strata %v was still running after %s", cmd.Args[1:], slow)
		_ = p.End(syscall.SIGKILL, slow)
	}
	checkLog(t, stderr.String())
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// mustRun runs strata, which must succeed, and returns its standard output.
func mustRun(t testing.TB, dir string, args ...string) string {
	t.Helper()
	got := run(t, dir, args...)
	if got.code != 0 {
		t.Fatalf("strata %v: got code %d, want 0; it said:\n%s", args, got.code, got.stderr)
	}
	return got.stdout
}

// checkLog fails the test if the log shows a data race or a panic.
func checkLog(t testing.TB, log string) {
	t.Helper()
	for _, bad := range []string{"DATA RACE", "panic:", "goroutine 1 ["} {
		if strings.Contains(log, bad) {
			t.Errorf("strata said %q:\n%s", bad, log)
		}
	}
}

// server is a running `strata serve`.
type server struct {
	*serverrig.Process
	t             testing.TB
	log           *logbuffer.Buffer
	api, observer string // URLs; empty without the role
}

// startServer starts a server of mainnet on free ports, and returns when it listens. The server is stopped at the end of the test,
// and must exit with code 0.
func startServer(t testing.TB, dir string, args ...string) *server {
	t.Helper()
	return startServerOf(t, "mainnet", dir, args...)
}

// startServerOf starts a server of a network. Without one, the first block tells it, and then the server is away for a moment.
func startServerOf(t testing.TB, network, dir string, args ...string) *server {
	t.Helper()
	if network != "" {
		args = append([]string{"--network", network}, args...)
	}
	s := start(t, command(t, dir, nil, append([]string{"serve", "--api-addr", "127.0.0.1:0", "--observer-addr", "127.0.0.1:0", "--log-format", "json"}, args...)...))
	s.api, s.observer = s.announced("serving the API"), s.announced("receiving events")
	return s
}

// start starts a server. The server may not listen yet when start returns.
func start(t testing.TB, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, log: &logbuffer.Buffer{}}
	cmd.Stderr = s.log
	var err error
	if s.Process, err = serverrig.Start(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.Running() {
			s.stop()
		}
		checkLog(t, s.log.String())
		if t.Failed() {
			t.Logf("strata %v said:\n%s", cmd.Args[1:], s.log)
		}
	})
	return s
}

// announced waits for the log line with this message, and returns its URL.
func (s *server) announced(message string) string {
	s.t.Helper()
	var url string
	eventually.Holds(s.t, "the log says "+message, func() bool {
		if !s.Running() {
			s.t.Fatalf("strata %v ended before it was %s; it said:\n%s", s.Args[1:], message, s.log)
		}
		for line := range strings.Lines(s.log.String()) {
			var entry struct{ Msg, URL string }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == message {
				url = entry.URL
			}
		}
		return url != ""
	})
	return url
}

// stop interrupts the server, as Ctrl-C does, and checks that it exits with code 0.
func (s *server) stop() {
	s.t.Helper()
	s.signal(syscall.SIGINT)
	if code := s.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("strata serve: got code %d after SIGINT, want 0; it said:\n%s", code, s.log)
	}
}

// signal sends a signal that ends the server, and returns when the server has ended.
func (s *server) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.End(sig, slow); err != nil {
		s.t.Error(err)
	}
}

// client opens a connection for each request, as nodes do. It pools none, because a server may be killed and restarted.
var client = &http.Client{Timeout: slow, Transport: &http.Transport{DisableKeepAlives: true}}

func do(t testing.TB, method, url string, header http.Header, body []byte) serverrig.Reply {
	t.Helper()
	return must.Get(serverrig.Ask(context.Background(), slow, method, url, header, body))(t)
}

// get sends a GET request to the API.
func (s *server) get(path string) serverrig.Reply {
	s.t.Helper()
	return do(s.t, http.MethodGet, s.api+path, nil, nil)
}

// read decodes an answer of the API, which must have status 200, into the value into.
func (s *server) read(path string, into any) serverrig.Reply {
	s.t.Helper()
	got := s.get(path)
	if got.Status != http.StatusOK {
		s.t.Fatalf("%s: got %d %s, want 200", path, got.Status, got.Body)
	}
	if err := json.Unmarshal(got.Body, into); err != nil {
		s.t.Fatalf("%s: got %s: %v", path, got.Body, err)
	}
	return got
}

// post delivers an event as a node would.
func (s *server) post(path string, body []byte) serverrig.Reply {
	s.t.Helper()
	return do(s.t, http.MethodPost, s.observer+path, http.Header{"Content-Type": {"application/json"}}, body)
}

// mustPost delivers an event, which must be accepted.
func (s *server) mustPost(path string, body []byte) {
	s.t.Helper()
	if got := s.post(path, body); got.Status != http.StatusOK {
		s.t.Fatalf("%s: got %d %s, want 200", path, got.Status, got.Body)
	}
}

// status holds the fields of /extended/v1/status that tests read.
type status struct {
	ServerVersion string `json:"server_version"`
	ChainTip      struct {
		BlockHeight    int64  `json:"block_height"`
		IndexBlockHash string `json:"index_block_hash"`
	} `json:"chain_tip"`
	Strata struct {
		Network     string `json:"network"`
		LogSize     int64  `json:"log_size"`
		Projections []struct {
			Name, State   string
			Position, Lag int64
		} `json:"projections"`
	} `json:"strata"`
}

func (s *server) status() (now status) {
	s.t.Helper()
	s.read("/extended/v1/status", &now)
	return now
}

// caughtUp waits until the read tables reflect the first size events of the log.
func (s *server) caughtUp(size int64) {
	s.t.Helper()
	eventually.Holds(s.t, "the read tables catch up", func() bool {
		now := s.status()
		behind := now.Strata.LogSize < size || len(now.Strata.Projections) == 0
		for _, p := range now.Strata.Projections {
			if p.State == "failed" {
				s.t.Fatalf("projection %s failed; the server said:\n%s", p.Name, s.log)
			}
			behind = behind || p.Lag > 0
		}
		return !behind
	})
}

// taken returns an address that is in use while the test runs.
func taken(t testing.TB) string {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}
