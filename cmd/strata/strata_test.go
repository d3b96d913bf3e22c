package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// runMain is set for a copy of the test program that is to be strata: the same code as bin/strata, with the race
// detector and coverage of the test run.
const runMain = "STRATA_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// slow is how long anything may take before a test gives up; nothing comes close to it.
const slow = time.Minute

// command prepares to run strata in a folder, with none of the settings of whoever runs the tests.
func command(t testing.TB, dir string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "STRATA_") || strings.HasPrefix(setting, "STRATA_POSTGRES_BIN=") {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	// The race detector would make each process wait a second at its end.
	cmd.Env = append(cmd.Env, runMain+"=1", "GORACE=atexit_sleep_ms=0")
	// Who wants administration says where: the default address is one for the whole machine.
	cmd.Env = append(cmd.Env, "STRATA_ADMIN_ADDR=")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// outcome is what a command left behind.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs strata to its end.
func run(t testing.TB, dir string, args ...string) outcome {
	t.Helper()
	return finish(t, command(t, dir, nil, args...))
}

// finish runs a command to its end.
func finish(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(slow, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !late.Stop() {
		t.Errorf("strata %v was still running after %s", cmd.Args[1:], slow)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	checkLog(t, stderr.String())
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// must runs strata to its end, which has to be a good one, and returns what it printed.
func must(t testing.TB, dir string, args ...string) string {
	t.Helper()
	got := run(t, dir, args...)
	if got.code != 0 {
		t.Fatalf("strata %v: got code %d, want 0; it said:\n%s", args, got.code, got.stderr)
	}
	return got.stdout
}

// checkLog fails the test for what no log may hold.
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
	t             testing.TB
	cmd           *exec.Cmd
	log           *lines
	ended         chan struct{}
	api, observer string // URLs; empty without the role
}

// serve starts a server on free ports and returns when it listens. It is stopped, and must end well, with the test.
func serve(t testing.TB, dir string, args ...string) *server {
	t.Helper()
	s := start(t, command(t, dir, nil, append([]string{"serve", "--api-addr", "127.0.0.1:0", "--observer-addr", "127.0.0.1:0", "--log-format", "json"}, args...)...))
	s.api, s.observer = s.announced("serving the API"), s.announced("receiving events")
	return s
}

// start starts a server. It need not listen yet when this returns.
func start(t testing.TB, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, cmd: cmd, log: &lines{}, ended: make(chan struct{})}
	cmd.Stderr = s.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		if s.running() {
			s.stop()
		}
		checkLog(t, s.log.String())
		if t.Failed() {
			t.Logf("strata %v said:\n%s", cmd.Args[1:], s.log)
		}
	})
	return s
}

// announced waits for the line of the log that names an address.
func (s *server) announced(message string) string {
	s.t.Helper()
	var url string
	s.eventually("the log says "+message, func() bool {
		if !s.running() {
			s.t.Fatalf("strata %v ended before it was %s; it said:\n%s", s.cmd.Args[1:], message, s.log)
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

func (s *server) running() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// stop asks the server to end, as Ctrl-C does, and checks that it ends well.
func (s *server) stop() {
	s.t.Helper()
	s.signal(syscall.SIGINT)
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("strata serve: got code %d after SIGINT, want 0; it said:\n%s", code, s.log)
	}
}

// signal sends a signal that ends the server, and returns when it has.
func (s *server) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.ended:
	case <-time.After(slow):
		_ = s.cmd.Process.Kill()
		<-s.ended
		s.t.Errorf("strata serve still ran %s after the signal %s", slow, sig)
	}
}

// eventually waits until a condition holds.
func (s *server) eventually(what string, holds func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(slow); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("it never came to pass: %s", what)
		}
	}
}

// reply is a response, read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// client opens a connection for each request, as nodes do, so that none is left in a dead server's pool.
var client = &http.Client{Timeout: slow, Transport: &http.Transport{DisableKeepAlives: true}}

func do(t testing.TB, method, url string, header http.Header, body []byte) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		request.Header = header
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return reply{response.StatusCode, response.Header, read}
}

// get asks the API.
func (s *server) get(path string) reply {
	s.t.Helper()
	return do(s.t, http.MethodGet, s.api+path, nil, nil)
}

// read asks the API for an answer that has to be there.
func (s *server) read(path string, into any) reply {
	s.t.Helper()
	got := s.get(path)
	if got.status != http.StatusOK {
		s.t.Fatalf("%s: got %d %s, want 200", path, got.status, got.body)
	}
	if err := json.Unmarshal(got.body, into); err != nil {
		s.t.Fatalf("%s: got %s: %v", path, got.body, err)
	}
	return got
}

// post delivers an event as a node would.
func (s *server) post(path string, body []byte) reply {
	s.t.Helper()
	return do(s.t, http.MethodPost, s.observer+path, http.Header{"Content-Type": {"application/json"}}, body)
}

// mustPost delivers an event that has to be accepted.
func (s *server) mustPost(path string, body []byte) {
	s.t.Helper()
	if got := s.post(path, body); got.status != http.StatusOK {
		s.t.Fatalf("%s: got %d %s, want 200", path, got.status, got.body)
	}
}

// status is what the tests read of /extended/v1/status.
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
	s.eventually("the read tables catch up", func() bool {
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

// lines is a log that one process writes and tests read.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// taken is an address that somebody listens on, while the test runs.
func taken(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}
