package redistest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// MasterName is the sentinel's name of its master.
const MasterName = "main"

// Sentinel is a sentinel process that is a quorum by itself, with the servers that it monitors.
type Sentinel struct {
	// Master is the first master.
	Master *Server
	// Replica replicates the master, and takes over when the master is gone for a second.
	Replica *Server

	sentinel *Server
}

// NewSentinel starts a master, a replica and a sentinel, and returns when the sentinel knows both servers. All of them
// end with the test.
func NewSentinel(t testing.TB) *Sentinel {
	t.Helper()
	master := New(t)
	host, port := portOf(master.address)
	replica := New(t, "--replicaof", host+" "+port, "--repl-diskless-sync-delay", "0")
	// A sentinel writes its state to its configuration file, and refuses to start without one.
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor %[1]s %[2]s %[3]s 1\nsentinel down-after-milliseconds %[1]s 1000\n"+
		"sentinel failover-timeout %[1]s 5000\n", MasterName, host, port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("redistest: %v", err)
	}
	s := &Sentinel{Master: master, Replica: replica}
	s.sentinel = start(t, "?master_name="+MasterName, []string{file, "--sentinel"})
	client := Client(t, s.sentinel)
	err := eventually(func() error {
		replicas, err := client.Do(t.Context(), "SENTINEL", "REPLICAS", MasterName).Slice()
		if err == nil && len(replicas) == 0 {
			err = errors.New("the sentinel knows no replica")
		}
		return err
	})
	if err != nil {
		t.Fatalf("redistest: %v", s.sentinel.process.failure(err))
	}
	return s
}

// URL returns the sentinel's URL with the name of the master, for cache.Open.
func (s *Sentinel) URL() string { return s.sentinel.URL() }
