package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/eventstore/archive"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/projections/balances"
)

// fewConnections is the max_connections of a small server.
const fewConnections = 40

// A server, a build of a read table, a verification and readers fit into a Postgres with few connections, with the default
// settings, and nobody is refused.
func TestFewConnections(t *testing.T) {
	short.Skip(t, "makes a chain of its own and many requests")
	t.Parallel()
	database := pgtest.DedicatedWith(t, map[string]string{"max_connections": fmt.Sprint(fewConnections)})
	dir, url := t.TempDir(), database.URL()
	file := filepath.Join(dir, "events.tsv")
	writeFile(t, file, chainArchive(t, archive.Copy, 7, 300))
	mustRun(t, dir, "import", "--wait", "--database-url", url, file)
	s := startServer(t, dir, "--database-url", url)
	s.caughtUp(300)

	ctx, stop := context.WithCancel(t.Context())
	var beside sync.WaitGroup
	var most, answers atomic.Int64
	beside.Go(func() { watchConnections(ctx, t, database.AdminURL(), &most) })
	for reader := range 16 {
		beside.Go(func() {
			for n := reader; ctx.Err() == nil; n += 16 {
				// None of these has been asked for before, so each is read from the tables.
				got := s.get(fmt.Sprintf("/extended/v1/tx?limit=%d&offset=%d", n%50+1, n))
				if got.Status != http.StatusOK {
					t.Errorf("got %d %s, want 200", got.Status, got.Body)
					return
				}
				answers.Add(1)
			}
		})
	}
	eventually.Holds(t, "there are answers", func() bool { return answers.Load() > 0 })
	var commands sync.WaitGroup
	commands.Go(func() { mustRun(t, dir, "projections", "rebuild", "balances", "--database-url", url) })
	commands.Go(func() { mustRun(t, dir, "verify", "--database-url", url, "--data-dir", dir) })
	commands.Wait()
	stop()
	beside.Wait()
	if log := s.log.String(); strings.Contains(log, "53300") || strings.Contains(log, "too many clients") {
		t.Errorf("the server was refused connections: %s", log)
	}
	if got := versionsOf(t, dir, url, "balances")[balances.Version+1]; got.Lag() != 0 || !got.Indexed {
		t.Errorf("got %+v, want a version that is built", got)
	}
	t.Logf("%d answers; at most %d connections", answers.Load(), most.Load())
}

// watchConnections keeps the largest number of connections of clients to a server, besides its own.
func watchConnections(ctx context.Context, t testing.TB, url string, most *atomic.Int64) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for looks := time.NewTicker(10 * time.Millisecond); ctx.Err() == nil; <-looks.C {
		var n int64
		if err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&n); err == nil {
			most.Store(max(most.Load(), n))
		}
	}
}

// One address has a quarter of the connections to the observer at most. Others are closed at once.
func TestObserverConnections(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t))
	address := strings.TrimPrefix(s.observer, "http://")
	dial := func() net.Conn {
		t.Helper()
		conn := must.Get(net.Dial("tcp", address))(t)
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	// closed reports whether the server closes a connection within a time.
	closed := func(conn net.Conn, within time.Duration) bool {
		_ = conn.SetReadDeadline(time.Now().Add(within))
		_, err := conn.Read(make([]byte, 1))
		return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
	}
	eventually.Holds(t, "one connection more than a quarter is closed, before the server gives up the others", func() bool {
		var quarter []net.Conn
		for range 256 {
			quarter = append(quarter, dial())
		}
		refused := closed(dial(), time.Minute) && !closed(quarter[0], time.Millisecond)
		for _, conn := range quarter {
			_ = conn.Close()
		}
		return refused
	})
	eventually.Holds(t, "events are taken", func() bool {
		response, err := client.Post(s.observer+"/attachments/new", "application/json", strings.NewReader(`[]`))
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}
