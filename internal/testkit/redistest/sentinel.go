package redistest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// MasterName is the name under which a sentinel knows its master.
const MasterName = "main"

// Sentinel is a sentinel process that is a quorum of its own, and the servers it watches over.
type Sentinel struct {
	// Master is the server that is the master at first.
	Master *Server
	// Replica follows it, and takes over when the master is gone for a second.
	Replica *Server

	sentinel *Server
}

// NewSentinel starts a master, a replica and a sentinel, and returns when the sentinel knows both. They end with the test.
func NewSentinel(t testing.TB) *Sentinel {
	t.Helper()
	master := New(t)
	replica := New(t, "--replicaof", fmt.Sprintf("127.0.0.1 %d", master.port), "--repl-diskless-sync-delay", "0")
	// A sentinel keeps what it learns in its configuration file, and refuses to start without one.
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor %[1]s 127.0.0.1 %[2]d 1\nsentinel down-after-milliseconds %[1]s 1000\n"+
		"sentinel failover-timeout %[1]s 5000\n", MasterName, master.port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("redistest: %v", err)
	}
	s := &Sentinel{Master: master, Replica: replica}
	s.sentinel = start(t, "?master_name="+MasterName, []string{file, "--sentinel"})
	client := s.sentinel.Client(t)
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	err := eventually(ctx, func() error {
		replicas, err := client.Do(ctx, "SENTINEL", "REPLICAS", MasterName).Slice()
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

// URL is the sentinel's, with the name of the master, as cache.Open reads it.
func (s *Sentinel) URL() string { return s.sentinel.URL() }
