package readapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/replay"
	"strata/migrations"
	"strata/readapi"
)

// Readers follow the active version, without a restart, and back.
func TestActiveVersion(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.exec(`CREATE SCHEMA balances_v2`)
	for _, table := range []string{"block", "holding", "ledger", "stx_lock"} {
		s.exec(`CREATE TABLE balances_v2.` + table + ` (LIKE balances_v1.` + table + ` INCLUDING ALL)`)
		s.exec(`INSERT INTO balances_v2.` + table + ` SELECT * FROM balances_v1.` + table)
	}
	s.exec(`UPDATE balances_v2.holding SET balance = 1`)
	s.exec(`INSERT INTO strata.projection SELECT name, 2, input, state, position, 155, 55, $1, $2, 155 FROM strata.projection WHERE name = 'balances'`,
		id(indexHash, 55), id(blockHash, 55))
	path := "/extended/v1/address/" + alice + "/stx"
	for _, tc := range []struct {
		version       int
		balance, head string
	}{
		{1, "745", "log=160; height=60; index_block_hash=" + id(indexHash, 60).String()},
		{2, "1", "log=155; height=55; index_block_hash=" + id(indexHash, 55).String()},
		{1, "745", "log=160; height=60; index_block_hash=" + id(indexHash, 60).String()},
	} {
		s.exec(`UPDATE strata.active SET version = $1 WHERE name = 'balances'`, tc.version)
		if got := s.object(path); got["balance"] != tc.balance {
			t.Errorf("version %d: got balance %v, want %s", tc.version, got["balance"], tc.balance)
		}
		if got := s.get(path).header.Get("Strata-Position"); got != tc.head {
			t.Errorf("version %d: got position %q, want %q", tc.version, got, tc.head)
		}
	}
}

// While versions are switched and the old one is dropped, no request fails.
func TestSwitchUnderLoad(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for ctx.Err() == nil {
				if got := s.get("/extended/v1/address/" + alice + "/balances"); got.status != http.StatusOK || !strings.Contains(got.body, `"balance":"745"`) {
					t.Errorf("got %d %s, want 200", got.status, got.body)
					return
				}
			}
		})
	}
	old := "balances_v1"
	for version := 2; version <= 6; version++ {
		schema := strings.Replace(old, old[len(old)-1:], string(rune('0'+version)), 1)
		s.exec(`CREATE SCHEMA ` + schema)
		for _, table := range []string{"block", "holding", "ledger", "stx_lock"} {
			s.exec(`CREATE TABLE ` + schema + `.` + table + ` (LIKE ` + old + `.` + table + ` INCLUDING ALL)`)
			s.exec(`INSERT INTO ` + schema + `.` + table + ` SELECT * FROM ` + old + `.` + table)
		}
		s.exec(`INSERT INTO strata.projection SELECT name, $1, input, state, position, log_seq, block_height, index_block_hash, block_hash, burn_block_height
			FROM strata.projection WHERE name = 'balances' AND version = $1 - 1`, version)
		s.exec(`UPDATE strata.active SET version = $1 WHERE name = 'balances'`, version)
		time.Sleep(20 * time.Millisecond)
		s.exec(`DROP SCHEMA ` + old + ` CASCADE`)
		old = schema
	}
	cancel()
	wait.Wait()
}

// All queries of a request see the same state, however much is written meanwhile.
func TestOneSnapshot(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for there := true; ctx.Err() == nil; there = !there { // the tip goes and comes
			change := `INSERT INTO chain_v1.canonical VALUES (60, 160, 160)`
			if there {
				change = `DELETE FROM chain_v1.canonical WHERE height = 60`
			}
			err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, change); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, `UPDATE strata.projection SET block_height = (SELECT max(height) FROM chain_v1.canonical) WHERE name = 'chain'`)
				return err
			})
			if err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 200 {
		page := s.blocks("?limit=5")
		if len(page.Results) != 5 || page.Results[0].Height != page.Total+firstHeight-1 {
			t.Fatalf("got %s: the page and the tip are of different moments", page)
		}
	}
	cancel()
	<-done
}

// A request costs two round trips and leaves nothing behind.
func TestConnectionsComeBack(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	for _, path := range []string{
		"/extended", "/extended/v2/blocks", "/extended/v2/blocks?cursor=" + id(indexHash, 1).String(), "/extended/v1/address/" + alice + "/stx?until_block=0",
		"/extended/v1/address/" + alice + "/balances", "/audit/v1/events/999", "/readyz", "/extended/v1/address/" + alice + "/stx?until_block=" + id(indexHash, 20).String(),
	} {
		s.get(path)
		if n := s.pool.Stat().AcquiredConns(); n != 0 {
			t.Errorf("%s keeps %d connections", path, n)
		}
	}
	var open int
	if err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`).Scan(&open); err != nil {
		t.Fatal(err)
	}
	if open != 0 {
		t.Errorf("%d transactions are open", open)
	}
	if s.pool.Stat().NewConnsCount() > 2 {
		t.Errorf("%d connections were made for requests that came one by one", s.pool.Stat().NewConnsCount())
	}
}

func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	pool := replay.Databases.New(t)
	s := newSiteOn(t, pool, readapi.Config{StatementTimeout: 100 * time.Millisecond})
	s.projection("chain", "log")
	s.exec(`CREATE FUNCTION chain_v1.slow() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint FROM pg_catalog.pg_sleep(20)'`)
	s.exec(`DROP TABLE chain_v1.gap`)
	s.exec(`CREATE VIEW chain_v1.canonical_slow AS SELECT chain_v1.slow() AS height, 1::bigint AS block_seq, 1::bigint AS source_seq`)
	s.exec(`ALTER TABLE chain_v1.canonical RENAME TO canonical_fast`)
	s.exec(`ALTER VIEW chain_v1.canonical_slow RENAME TO canonical`)
	s.exec(`UPDATE strata.projection SET block_height = 1`)
	got := s.get("/extended/v2/blocks")
	const want = `{"statusCode":500,"code":"57014","error":"Internal Server Error","message":"canceling statement due to statement timeout"}`
	if got.status != http.StatusInternalServerError || got.body != want {
		t.Errorf("got %d %s, want %s", got.status, got.body, want)
	}
}

func TestDatabaseUnreachable(t *testing.T) {
	t.Parallel()
	server := pgtest.Dedicated(t)
	if err := migrations.Up(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	s := newSiteOn(t, server.New(t), readapi.Config{RequestTimeout: 3 * time.Second})
	s.projection("chain", "log")
	paths := []string{"/extended", "/extended/v2/blocks", "/extended/v1/address/" + alice + "/stx", "/audit/v1/events/1", "/audit/v1/events/1/body"}
	check := func(moment string, want int) {
		t.Helper()
		for _, path := range paths {
			got := s.get(path)
			if want == http.StatusServiceUnavailable && (got.status != want || got.body != `{"error":"The database service is unavailable"}`) || want == http.StatusOK && got.status >= 500 {
				t.Errorf("%s: %s: got %d %s, want %d", moment, path, got.status, got.body, want)
			}
		}
	}
	check("before", http.StatusOK)
	server.Stop(t)
	check("stopped", http.StatusServiceUnavailable)
	if got := s.get("/readyz"); got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, `"database":{"ok":false`) {
		t.Errorf("/readyz: got %d %s, want 503", got.status, got.body)
	}
	if got := s.get("/healthz"); got.status != http.StatusOK {
		t.Errorf("/healthz: got %d, want 200", got.status)
	}
	server.Start(t)
	check("after", http.StatusOK)
}

// A pool that has no connection to give is not waited for longer than the request may take.
func TestPoolExhausted(t *testing.T) {
	t.Parallel()
	config, err := pgxpool.ParseConfig(replay.Databases.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s := newSiteOn(t, pool, readapi.Config{RequestTimeout: 50 * time.Millisecond})
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.get("/extended"); got.status != http.StatusServiceUnavailable {
		t.Errorf("got %d %s, want 503", got.status, got.body)
	}
	conn.Release()
	// A client that goes away while it waits is nobody's error.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/extended", nil).WithContext(ctx))
	if w.Code != 499 {
		t.Errorf("got %d, want 499", w.Code)
	}
}
