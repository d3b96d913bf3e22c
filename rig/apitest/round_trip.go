package apitest

import (
	"math"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtraffic"
)

// Turns counts how often connections go from writing to reading: the round trips.
type Turns struct{ n atomic.Int64 }

// turnsConn is a connection whose round trips are counted.
type turnsConn struct {
	net.Conn
	turns   *Turns
	writing atomic.Bool
}

func (c *turnsConn) Write(b []byte) (int, error) {
	if c.writing.CompareAndSwap(false, true) {
		c.turns.n.Add(1)
	}
	return c.Conn.Write(b)
}

func (c *turnsConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.writing.Store(false)
	return n, err
}

// CountedPool is a pool of one connection to the database of another one. Its round trips are counted, also those of pools with its
// configuration.
func CountedPool(t testing.TB, of *pgxpool.Pool, prepare func(*pgxpool.Config)) (*pgxpool.Pool, *Turns) {
	t.Helper()
	config := must.Get(pgxpool.ParseConfig(of.Config().ConnString()))(t)
	prepare(config)
	counted := &Turns{}
	config.MaxConns = 1
	pgtraffic.Through(&config.ConnConfig.Config, func(conn net.Conn) net.Conn { return &turnsConn{Conn: conn, turns: counted} })
	return openPool(t, config), counted
}

// During is how many round trips there are while read reads.
func (c *Turns) During(read func()) int {
	before := c.n.Load()
	read()
	return int(c.n.Load() - before)
}

// Least is how many round trips a read takes: the fewest of several, as others may come in between on a busy machine. The
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
