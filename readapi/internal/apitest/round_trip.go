package apitest

import (
	"context"
	"math"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/pgtest"
)

// turns counts how often a connection goes from writing to reading: the round trips.
type Turns struct {
	net.Conn
	mu      sync.Mutex
	writing bool
	n       int
}

func (c *Turns) Write(b []byte) (int, error) {
	c.mu.Lock()
	if !c.writing {
		c.writing = true
		c.n++
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

func (c *Turns) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	c.writing = false
	c.mu.Unlock()
	return n, err
}

// countedPool is a pool of one connection to the database of another one, whose round trips are counted.
func CountedPool(t testing.TB, of *pgxpool.Pool, prepare func(*pgxpool.Config)) (*pgxpool.Pool, *Turns) {
	t.Helper()
	config, err := pgxpool.ParseConfig(of.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	prepare(config)
	counted := &Turns{}
	config.MaxConns = 1
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		counted.Conn = conn
		return counted, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	pgtest.AtEnd(t, pool.Close)
	return pool, counted
}

func (c *Turns) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// during is how many round trips there are while read reads.
func (c *Turns) During(read func()) int {
	before := c.count()
	read()
	return c.count() - before
}

// least is how many round trips a read takes: the fewest of several, as others may come in between on a busy machine. The
// watch looks, and the pool asks a connection that has been idle for long whether it is alive.
func (c *Turns) Least(reads int, read func(n int)) int {
	least := math.MaxInt
	for n := range reads {
		least = min(least, c.During(func() { read(n) }))
	}
	return least
}

// watchRarely is an interval at which the watch hardly ever looks while something is counted, and yet often enough for what it
// has seen to stay known.
const WatchRarely = 500 * time.Millisecond
