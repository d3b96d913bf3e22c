package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"strata/internal/testkit/serverrig"

	"github.com/redis/go-redis/v9"
)

const (
	// startTimeout bounds the start of a server on a busy machine.
	startTimeout = 2 * time.Minute
	// attempts is the number of attempts to start a server. Each uses another port, because another process may take a
	// free port before the server listens on it.
	attempts = 5
)

// Server is a Redis of one test. Its methods fail the test if they fail.
type Server struct {
	t         testing.TB
	program   string
	dir       string
	address   string // host:port
	arguments []string
	query     string // of the URL
	process   *process
}

// New starts a server with further arguments, such as "--maxmemory", "2mb". The server ends with the test.
func New(t testing.TB, arguments ...string) *Server {
	t.Helper()
	return start(t, "", append([]string{"--save", "", "--appendonly", "no"}, arguments...))
}

// NewCluster starts a cluster of one node, which has all slots.
func NewCluster(t testing.TB, arguments ...string) *Server {
	t.Helper()
	_, bus := portOf(freeAddress(t)) // the default, 10000 above the other port, may be too high
	s := New(t, append([]string{"--cluster-enabled", "yes", "--cluster-port", bus}, arguments...)...)
	s.query = "?cluster=true"
	client := Client(t, s)
	if err := client.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatalf("redistest: assign all slots to the node: %v", err)
	}
	err := eventually(func() error {
		info, err := client.ClusterInfo(t.Context()).Result()
		if err == nil && !strings.Contains(info, "cluster_state:ok") {
			err = errors.New("the cluster is not ready: " + info)
		}
		return err
	})
	if err != nil {
		t.Fatalf("redistest: %v", s.process.failure(err))
	}
	return s
}

// start starts a server on a free port. The address and the port come after the arguments, because a sentinel's
// configuration file must be the first argument.
func start(t testing.TB, query string, arguments []string) *Server {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		const missing = "redistest: redis-server is not in PATH: install Debian's package redis-server (scripts/tools.sh redis), or your system's"
		if testing.Short() { // make check installs nothing, and says what is missing
			t.Skip(missing)
		}
		t.Fatal(missing)
	}
	s := &Server{t: t, program: program, dir: t.TempDir(), arguments: arguments, query: query}
	for range attempts {
		s.address = freeAddress(t)
		if err = s.launch(); err == nil {
			t.Cleanup(s.Stop)
			return s
		}
	}
	t.Fatalf("redistest: start a server, in %d attempts: %v", attempts, err)
	return nil
}

func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := serverrig.FreeAddress()
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	return address
}

func portOf(address string) (host, port string) {
	host, port, _ = net.SplitHostPort(address)
	return host, port
}

// errEnded is final: the process will never answer.
var errEnded = errors.New("the process has ended")

// eventually calls f until it succeeds, until it fails with errEnded or an authentication error, or for startTimeout.
func eventually(f func() error) (err error) {
	serverrig.WaitFor(context.Background(), startTimeout, func() bool {
		err = f()
		return err == nil || errors.Is(err, errEnded) || redis.IsAuthError(err)
	})
	return err
}

func (s *Server) launch() error {
	host, port := portOf(s.address)
	process, err := launch(s.program, s.dir, slices.Concat(s.arguments, []string{"--bind", host, "--port", port}))
	if err != nil {
		return err
	}
	client := redis.NewClient(&redis.Options{Addr: s.Addr(), MaxRetries: -1, DialerRetries: 1})
	defer client.Close() //nolint:errcheck // it was only used to check the server
	err = eventually(func() error {
		if !process.Running() {
			return errEnded
		}
		// Dial without the client first, because go-redis prints a line for each failed dial.
		connection, err := net.Dial("tcp", s.Addr())
		if err != nil {
			return err
		}
		_ = connection.Close() // nothing was sent
		info, err := client.Info(context.Background(), "server").Result()
		if err == nil && !strings.Contains(info, fmt.Sprintf("process_id:%d\r\n", process.Cmd.Process.Pid)) {
			err = errors.New("another server uses the port")
		}
		return err
	})
	if redis.IsAuthError(err) {
		err = nil // the server runs, and requires a password
	}
	if err != nil {
		_ = process.kill() // the reason of the failed start matters more
		return process.failure(fmt.Errorf("wait for redis-server on %s: %w", s.Addr(), err))
	}
	s.process = process
	return nil
}

// Addr returns the server's host:port. It stays the same when the server is stopped and started.
func (s *Server) Addr() string { return s.address }

// URL returns the server's URL for cache.Open. That of a cluster contains cluster=true.
func (s *Server) URL() string { return "redis://" + s.Addr() + s.query }

// Client returns a client of a server with go-redis's defaults, which retry patiently. It is closed when test t ends. It is no
// method: packages that see a type with a method that returns a redis.Client compile eight thousand methods of that anew.
func Client(t testing.TB, s *Server) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: s.Addr()})
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("redistest: close the client of %s: %v", s.Addr(), err)
		}
	})
	return client
}

// Stop ends the server like a crash: connections break, new ones are refused, and all data is lost. It does nothing if
// the server is stopped.
func (s *Server) Stop() {
	s.t.Helper()
	if s.process == nil {
		return
	}
	if err := s.process.kill(); err != nil {
		s.t.Errorf("redistest: stop the server on %s: %v", s.Addr(), err)
	}
	s.process = nil
}

// Start starts a stopped server again, without data, on the same port, and returns when it answers.
func (s *Server) Start() {
	s.t.Helper()
	if s.process != nil {
		return
	}
	if err := s.launch(); err != nil {
		s.t.Fatalf("redistest: start the server again: %v", err)
	}
}

// Pause freezes the server: connections stay open, and the kernel accepts new ones, but nothing answers.
func (s *Server) Pause() {
	s.t.Helper()
	s.signal(syscall.SIGSTOP)
}

// Resume continues a paused server, which then processes what it has received meanwhile.
func (s *Server) Resume() {
	s.t.Helper()
	s.signal(syscall.SIGCONT)
}

func (s *Server) signal(sig os.Signal) {
	s.t.Helper()
	if s.process == nil {
		s.t.Fatalf("redistest: send %s to the server on %s: it is stopped", sig, s.Addr())
	}
	if err := s.process.Signal(sig); err != nil {
		s.t.Fatalf("redistest: send %s to the server on %s: %v", sig, s.Addr(), err)
	}
}
