package enginetest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// Readers follow the active version, without a restart, and back.
func TestActiveVersion(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`CREATE SCHEMA balances_v2`)
	for _, table := range []string{"block", "holding", "entry", "stx_lock"} {
		s.Exec(`CREATE TABLE balances_v2.` + table + ` (LIKE balances_v1.` + table + ` INCLUDING ALL)`)
		s.Exec(`INSERT INTO balances_v2.` + table + ` SELECT * FROM balances_v1.` + table)
	}
	s.Exec(`UPDATE balances_v2.holding SET balance = 1`)
	s.Exec(`INSERT INTO strata.projection SELECT name, 2, input, state, position, 155, 55, $1, $2, 155 FROM strata.projection WHERE name = 'balances'`,
		apitest.ID(apitest.IndexHash, 55), apitest.ID(apitest.BlockHash, 55))
	path := "/extended/v1/address/" + apitest.Alice + "/stx"
	for _, tc := range []struct {
		version       int
		balance, head string
	}{
		{1, "745", "log=160; height=60; index_block_hash=" + apitest.ID(apitest.IndexHash, 60).String()},
		{2, "1", "log=155; height=55; index_block_hash=" + apitest.ID(apitest.IndexHash, 55).String()},
		{1, "745", "log=160; height=60; index_block_hash=" + apitest.ID(apitest.IndexHash, 60).String()},
	} {
		s.Exec(`UPDATE strata.active SET version = $1 WHERE name = 'balances'`, tc.version)
		if got := s.Object(path); got["balance"] != tc.balance {
			t.Errorf("version %d: got balance %v, want %s", tc.version, got["balance"], tc.balance)
		}
		check.Equal(t, fmt.Sprintf("version %d: position", tc.version), s.Get(path).Header.Get("Strata-Position"), tc.head)
	}
}

// While versions are switched and the old one is dropped, no request fails.
func TestSwitchUnderLoad(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for ctx.Err() == nil {
				if got := s.Get("/extended/v1/address/" + apitest.Alice + "/balances"); got.Status != http.StatusOK || !strings.Contains(got.Body, `"balance":"745"`) {
					t.Errorf("got %d %s, want 200", got.Status, got.Body)
					return
				}
			}
		})
	}
	old := "balances_v1"
	for version := 2; version <= 6; version++ {
		schema := strings.Replace(old, old[len(old)-1:], string(rune('0'+version)), 1)
		s.Exec(`CREATE SCHEMA ` + schema)
		for _, table := range []string{"block", "holding", "entry", "stx_lock"} {
			s.Exec(`CREATE TABLE ` + schema + `.` + table + ` (LIKE ` + old + `.` + table + ` INCLUDING ALL)`)
			s.Exec(`INSERT INTO ` + schema + `.` + table + ` SELECT * FROM ` + old + `.` + table)
		}
		s.Exec(`INSERT INTO strata.projection SELECT name, $1, input, state, position, log_seq, block_height, index_block_hash, block_hash, burn_block_height
			FROM strata.projection WHERE name = 'balances' AND version = $1 - 1`, version)
		s.Exec(`UPDATE strata.active SET version = $1 WHERE name = 'balances'`, version)
		time.Sleep(20 * time.Millisecond)
		s.Exec(`DROP SCHEMA ` + old + ` CASCADE`)
		old = schema
	}
	cancel()
	wait.Wait()
}

// All queries of a request see the same state, however much is written meanwhile.
func TestOneSnapshot(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for there := true; ctx.Err() == nil; there = !there { // the tip goes and comes
			change := `INSERT INTO chain_v1.canonical VALUES (60, 160, 160)`
			if there {
				change = `DELETE FROM chain_v1.canonical WHERE height = 60`
			}
			err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
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
		page := s.Blocks("?limit=5")
		if len(page.Results) != 5 || page.Results[0].Height != page.Total+apitest.FirstHeight-1 {
			t.Fatalf("got %s: the page and the tip are of different moments", page)
		}
	}
	cancel()
	<-done
}

// A request costs two round trips and leaves nothing behind.
func TestConnectionsComeBack(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, path := range []string{
		"/extended", "/extended/v2/blocks", "/extended/v2/blocks?cursor=" + apitest.ID(apitest.IndexHash, 1).String(), "/extended/v1/address/" + apitest.Alice + "/stx?until_block=0",
		"/extended/v1/address/" + apitest.Alice + "/balances", "/audit/v1/events/999", "/readyz", "/extended/v1/address/" + apitest.Alice + "/stx?until_block=" + apitest.ID(apitest.IndexHash, 20).String(),
	} {
		s.Get(path)
		if n := s.Pool.Stat().AcquiredConns(); n != 0 {
			t.Errorf("%s keeps %d connections", path, n)
		}
	}
	var open int
	must.Do(t, s.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`).Scan(&open))
	if open != 0 {
		t.Errorf("%d transactions are open", open)
	}
	if s.Pool.Stat().NewConnsCount() > 2 {
		t.Errorf("%d connections were made for requests that came one by one", s.Pool.Stat().NewConnsCount())
	}
}

func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	pool := replay.Databases.New(t)
	s := apitest.NewSiteOn(t, pool, readapi.Config{StatementTimeout: 100 * time.Millisecond})
	s.Projection("chain", "log")
	s.Exec(`CREATE FUNCTION chain_v1.slow() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint FROM pg_catalog.pg_sleep(20)'`)
	s.Exec(`DROP TABLE chain_v1.gap`)
	s.Exec(`CREATE VIEW chain_v1.canonical_slow AS SELECT chain_v1.slow() AS height, 1::bigint AS block_seq, 1::bigint AS source_seq`)
	s.Exec(`ALTER TABLE chain_v1.canonical RENAME TO canonical_fast`)
	s.Exec(`ALTER VIEW chain_v1.canonical_slow RENAME TO canonical`)
	s.Exec(`UPDATE strata.projection SET block_height = 1`)
	got := s.Get("/extended/v2/blocks")
	const want = `{"statusCode":500,"code":"57014","error":"Internal Server Error","message":"canceling statement due to statement timeout"}`
	if got.Status != http.StatusInternalServerError || got.Body != want {
		t.Errorf("got %d %s, want %s", got.Status, got.Body, want)
	}
}

func TestDatabaseUnreachable(t *testing.T) {
	t.Parallel()
	server := pgtest.Dedicated(t)
	must.Do(t, migrations.Up(t.Context(), server.URL()))
	s := apitest.NewSiteOn(t, server.New(t), readapi.Config{RequestTimeout: 3 * time.Second})
	s.Projection("chain", "log")
	paths := []string{"/extended", "/extended/v2/blocks", "/extended/v1/address/" + apitest.Alice + "/stx", "/audit/v1/events/1", "/audit/v1/events/1/body"}
	check := func(moment string, want int) {
		t.Helper()
		for _, path := range paths {
			got := s.Get(path)
			if want == http.StatusServiceUnavailable && (got.Status != want || got.Body != `{"error":"The database service is unavailable"}`) || want == http.StatusOK && got.Status >= 500 {
				t.Errorf("%s: %s: got %d %s, want %d", moment, path, got.Status, got.Body, want)
			}
			if after := got.Header.Get("Retry-After"); want == http.StatusServiceUnavailable && after != "1" {
				t.Errorf("%s: %s: got Retry-After %q, want 1", moment, path, after)
			}
		}
	}
	check("before", http.StatusOK)
	server.Stop(t)
	check("stopped", http.StatusServiceUnavailable)
	s.ExpectTexts("/readyz", http.StatusServiceUnavailable, `"database":{"ok":false`)
	s.ExpectTexts("/healthz", http.StatusOK)
	server.Start(t)
	check("after", http.StatusOK)
}

// A pool that has no connection to give is not waited for longer than the request may take.
func TestPoolExhausted(t *testing.T) {
	t.Parallel()
	config := must.Get(pgxpool.ParseConfig(replay.Databases.URL(t)))(t)
	config.MaxConns = 1
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	defer pool.Close()
	s := apitest.NewSiteOn(t, pool, readapi.Config{RequestTimeout: 50 * time.Millisecond})
	conn := must.Get(pool.Acquire(t.Context()))(t)
	s.ExpectTexts("/extended", http.StatusServiceUnavailable)
	defer conn.Release()
	// A client that goes away while it waits is nobody's error.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	s.API.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/extended", nil).WithContext(ctx))
	if w.Code != 499 {
		t.Errorf("got %d %s, want 499", w.Code, w.Body)
	}
}
