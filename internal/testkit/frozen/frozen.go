// Package frozen stops a process's connections to the database, as if the process were stopped.
package frozen

import (
	"bytes"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/pgtraffic"
)

// Process is how a pool's connections look to the server while the process that has them is stopped.
type Process struct {
	Pool *pgxpool.Pool
	// Frozen is closed once the process is stopped.
	Frozen <-chan struct{}

	text   []byte
	freeze func()
	thawed chan struct{}
	thaw   func()
}

// New returns a process with a pool to the database of another pool. It freezes before it sends the first statement that
// contains text: from then on, nothing is sent on any connection until the test ends or thaws it.
func New(t testing.TB, of *pgxpool.Pool, text string) *Process {
	t.Helper()
	frozen := make(chan struct{})
	p := &Process{Frozen: frozen, text: []byte(text), thawed: make(chan struct{})}
	p.freeze = sync.OnceFunc(func() { close(frozen) })
	p.thaw = sync.OnceFunc(func() { close(p.thawed) })
	config := of.Config()
	pgtraffic.Through(&config.ConnConfig.Config, func(conn net.Conn) net.Conn { return connection{conn, p} })
	var err error
	if p.Pool, err = pgxpool.NewWithConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Thaw()
		p.Pool.Close()
	})
	return p
}

// Thaw lets the process go on.
func (p *Process) Thaw() { p.thaw() }

type connection struct {
	net.Conn
	process *Process
}

func (c connection) Write(b []byte) (int, error) {
	if bytes.Contains(b, c.process.text) {
		c.process.freeze()
	}
	select {
	case <-c.process.Frozen:
		<-c.process.thawed
	default:
	}
	return c.Conn.Write(b)
}
