// Package pgtraffic reads and counts what a program sends to Postgres, on the wire: whatever the program uses to send it.
package pgtraffic

import (
	"context"
	"net"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
)

// Counter counts what goes over the connections that it watches.
type Counter struct{ statements, roundTrips, commits, copies atomic.Int64 }

// Counts are numbers of a Counter.
type Counts struct {
	Statements, Commits, Copies int64
	// RoundTrips are how often the program has asked the server for all results so far.
	RoundTrips int64
}

// Now returns the numbers so far.
func (c *Counter) Now() Counts {
	return Counts{
		Statements: c.statements.Load(), RoundTrips: c.roundTrips.Load(), Commits: c.commits.Load(), Copies: c.copies.Load(),
	}
}

// Since returns what was counted since.
func (c *Counter) Since(before Counts) Counts {
	now := c.Now()
	return Counts{
		Statements: now.Statements - before.Statements, RoundTrips: now.RoundTrips - before.RoundTrips,
		Commits: now.Commits - before.Commits, Copies: now.Copies - before.Copies,
	}
}

// Watch makes connections of this configuration count. They are not encrypted.
func (c *Counter) Watch(config *pgconn.Config) {
	config.TLSConfig, config.Fallbacks = nil, nil
	Through(config, func(conn net.Conn) net.Conn { return &watched{Conn: conn, counter: c} })
}

// Through makes connections of this configuration go through what wrap returns.
func Through(config *pgconn.Config, wrap func(net.Conn) net.Conn) {
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return wrap(conn), nil
	}
}

// watched is a connection whose messages to the server are counted.
type watched struct {
	net.Conn
	counter *Counter

	mu       sync.Mutex
	frontend Frontend
	pending  []byte // the beginning of a message
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, b[:n]...)
	for {
		m, size := w.frontend.Next(w.pending)
		if size == 0 {
			return n, err
		}
		w.count(m)
		w.pending = w.pending[size:]
	}
}

// count counts a message.
func (w *watched) count(m Message) {
	switch m.Kind {
	case 'B':
		w.statement(m.Text)
	case 'S': // sync
		w.counter.roundTrips.Add(1)
	case 'Q': // a text by itself
		w.counter.roundTrips.Add(1)
		w.statement(m.Text)
	case 'c': // the end of rows that are copied
		w.counter.copies.Add(1)
		w.counter.roundTrips.Add(1)
	}
}

func (w *watched) statement(text string) {
	w.counter.statements.Add(1)
	if text == "commit" {
		w.counter.commits.Add(1)
	}
}
