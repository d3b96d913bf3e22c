package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/cmd/strata/internal/database"
	"strata/domain/transaction"
	"strata/eventstore"
	"strata/eventstore/network"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/redistest"
	"strata/internal/wholeness"
	"strata/migrations"
	"strata/projections/version"
)

// examined are the checks of a command.
type examined struct {
	t      testing.TB
	checks []Check
}

func examine(t testing.TB, c *Command) examined {
	t.Helper()
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	return examined{t, c.examine(t.Context(), slog.New(slog.DiscardHandler))}
}

// want fails the test unless there is a check of this level on this subject whose text or advice contains a text.
func (e examined) want(level Level, subject, text string) {
	e.t.Helper()
	for _, check := range e.checks {
		if check.Level == level && check.Subject == subject && strings.Contains(check.Found+"\n"+check.Advice, text) {
			return
		}
	}
	e.t.Errorf("want %s of %s with %q; got %+v", level, subject, text, e.checks)
}

// none fails the test if there is a check of this level on this subject.
func (e examined) none(level Level, subject string) {
	e.t.Helper()
	for _, check := range e.checks {
		if check.Level == level && check.Subject == subject {
			e.t.Errorf("unwanted: %+v", check)
		}
	}
}

// Before the first start there is nothing, nothing is created, and that is no failure.
func TestNothingYet(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "there")
	got := examine(t, &Command{Database: database.Flags{DataDir: dir}, DiskFloor: 1})
	got.want(Note, "database", "strata serve creates one with PostgreSQL")
	got.want(OK, "disk", "free in")
	got.want(Note, "nodes", "--nodes")
	if files, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(dir)), "*")); err != nil || len(files) != 0 {
		t.Errorf("got %v (%v), want nothing created", files, err)
	}
	got = examine(t, &Command{Database: database.Flags{DataDir: dir}, DiskFloor: 1 << 60})
	got.want(Failure, "disk", "events are refused")
	got = examine(t, &Command{Database: database.Flags{DataDir: dir}, DiskFloor: 1, DiskFolder: t.TempDir()})
	got.want(OK, "disk", "free in")
	got = examine(t, &Command{Database: database.Flags{DataDir: dir}, DiskFloor: 1, DiskFolder: dir})
	got.want(Failure, "disk", "does not start")
	got = examine(t, &Command{Database: database.Flags{DatabaseURL: "postgres://127.0.0.1:1/none", DataDir: dir}})
	got.want(Failure, "database", "--database-url")
}

// The settings of a server are judged, and a database without a log stays without one.
func TestServerSettings(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	got := examine(t, &Command{Database: database.Flags{DatabaseURL: url, DataDir: t.TempDir()}})
	got.want(Failure, "database", "fsync is off") // as in all tests
	got.want(OK, "database", "PostgreSQL")
	got.want(OK, "clock", "the database")
	got.want(Note, "log", "none yet")
	if exists, err := migrations.Exists(t.Context(), url); err != nil || exists {
		t.Errorf("got a log: %v (%v), want none", exists, err)
	}
}

// fakeNode answers /v2/info.
func fakeNode(t testing.TB, info map[string]any, date time.Time) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", date.UTC().Format(http.TimeFormat))
		if info == nil {
			http.NotFound(w, nil)
			return
		}
		_ = json.NewEncoder(w).Encode(info)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Nodes are compared with the log: their network, their tip, whether their events arrive.
func TestNodes(t *testing.T) {
	t.Parallel()
	ctx, logger := t.Context(), slog.New(slog.DiscardHandler)
	flags := database.Flags{DatabaseURL: pgtest.URL(t), DataDir: t.TempDir()}
	db := must.Get(flags.Create(ctx, logger))(t)
	pgtest.AtEnd(t, func() { db.Close(logger) })
	must.Do(t, network.Settle(ctx, db.Log, transaction.Testnet))
	info := func(height int64, changes ...any) map[string]any {
		all := map[string]any{"network_id": transaction.Testnet.ChainID, "stacks_tip_height": height, "burn_block_height": 7, "server_version": "stacks-node 1", "is_fully_synced": true}
		for i := 0; i < len(changes); i += 2 {
			all[changes[i].(string)] = changes[i+1]
		}
		return all
	}
	check := func(node string) examined {
		t.Helper()
		return examine(t, &Command{Database: flags, Nodes: []string{"n=" + node}})
	}
	at := fakeNode(t, info(100), time.Now())
	got := check(at)
	got.want(Note, "log", "no event has arrived")
	got.want(Failure, "node n", "events_observer")

	appendEvent := func(received time.Time) {
		t.Helper()
		must.Get(db.Log.Append(ctx, eventstore.Incoming{ReceivedAt: received, Source: "test", Path: "/x", Body: eventstore.NewBody([]byte(fmt.Sprint(received)))}))(t)
	}
	appendEvent(time.Now().Add(-time.Hour))
	for _, sql := range []string{
		`INSERT INTO strata.projection (name, version, input, state, block_height) VALUES ('chain', 9, 'log', 'live', 90)`,
		`INSERT INTO strata.active (name, version) VALUES ('chain', 9)`,
		`INSERT INTO strata.projection (name, version, input, state, error, error_position) VALUES ('ft', 9, 'chain_v9', 'failed', 'a bug', 3)`,
	} {
		must.Get(db.Pool.Exec(ctx, sql))(t)
	}
	got = check(at)
	got.want(OK, "log", "1 events of testnet")
	got.want(OK, "projections", "the tip is block 90")
	got.want(Failure, "projections", "ft_v9 has stopped at position 3: a bug")
	got.want(Failure, "node n", "no event has arrived for 1h0m")
	got.want(Note, "log's key", "no checkpoint")

	for _, sql := range []string{
		`CREATE SCHEMA ft_v9`, `CREATE TABLE ft_v9.unrecognised (contract_id text)`, `INSERT INTO strata.active (name, version) VALUES ('ft', 9)`,
	} {
		must.Get(db.Pool.Exec(ctx, sql))(t)
	}
	examine(t, &Command{Database: flags}).none(Warning, "interfaces")
	must.Get(db.Pool.Exec(ctx, `INSERT INTO ft_v9.unrecognised VALUES ('a.b')`))(t)
	check(at).none(Warning, "interfaces")
	examine(t, &Command{Database: flags}).want(Warning, "interfaces", "abi is null")

	// Contracts that are called, and that nothing in the log deploys. What only waiting transactions call may not exist.
	must.Get(db.Pool.Exec(ctx, `DELETE FROM ft_v9.unrecognised; CREATE SCHEMA chain_v9; CREATE TABLE chain_v9.undeployed (interface_seq bigint, proven boolean);
		INSERT INTO chain_v9.undeployed VALUES (NULL, false), (7, true)`))(t)
	examine(t, &Command{Database: flags}).none(Warning, "interfaces")
	must.Get(db.Pool.Exec(ctx, `INSERT INTO chain_v9.undeployed VALUES (NULL, true)`))(t)
	check(at).none(Warning, "interfaces")
	examine(t, &Command{Database: flags}).want(Warning, "interfaces", "nothing in the log deploys")

	appendEvent(time.Now())
	got = check(at)
	got.want(Warning, "node n", "10 blocks behind, and events arrive")
	got.none(Failure, "node n")

	check(fakeNode(t, info(92), time.Now())).want(OK, "node n", "2 blocks behind")
	check(fakeNode(t, info(92, "network_id", 1), time.Now())).want(Failure, "node n", "its chain id is 0x1, and that of the log 0x80000000")
	check(fakeNode(t, info(92, "is_fully_synced", false), time.Now())).want(Warning, "node n", "not caught up")
	check(fakeNode(t, info(92), time.Now().Add(-10*time.Minute))).want(Warning, "clock", "apart from that of node n")
	check(fakeNode(t, nil, time.Now())).want(Failure, "node n", "404")
	check("http://127.0.0.1:1").want(Failure, "node n", "Start the node")
	examine(t, &Command{Database: flags, Nodes: []string{"gopher://x"}}).want(Failure, "nodes", "--nodes")
}

// A version that has stopped has one advice: to resume one that has met another chain does not help.
func TestStopped(t *testing.T) {
	t.Parallel()
	bug, other := "a bug", "projection chain_v9 stopped: "+wholeness.AnotherChain+": its genesis block contradicts the one in the log"
	for _, tc := range []struct {
		name, text, advice string
		active             bool
	}{
		{"ft", bug, "resume ft", true},
		{"chain", bug, "resume chain", true},
		{"chain", other, "strata reset", false}, // while it is built
		{"chain", other, "", true},              // the check of the history says it
	} {
		x := &examination{command: &Command{}}
		x.stopped(&version.Status{Name: tc.name, Version: 9, Active: tc.active, Error: &tc.text})
		if tc.advice == "" {
			if len(x.checks) != 0 || !x.seen.anotherChain {
				t.Errorf("another chain: got %+v", x.checks)
			}
			continue
		}
		examined{t, x.checks}.want(Failure, "projections", tc.advice)
		if tc.text == other && strings.Contains(x.checks[0].Advice, "resume") {
			t.Errorf("got %+v", x.checks[0])
		}
	}
}

// Accounts that differ from a node's are a failure, unless somebody has accepted how.
func TestComparison(t *testing.T) {
	t.Parallel()
	ctx, logger := t.Context(), slog.New(slog.DiscardHandler)
	flags := database.Flags{DatabaseURL: pgtest.URL(t), DataDir: t.TempDir()}
	db := must.Get(flags.Create(ctx, logger))(t)
	pgtest.AtEnd(t, func() { db.Close(logger) })
	after := func(sql string) examined {
		t.Helper()
		must.Get(db.Pool.Exec(ctx, sql))(t)
		return examine(t, &Command{Database: flags})
	}
	after(`SELECT`).want(Note, "comparison", "--nodes")
	got := after(`INSERT INTO log.comparison (height, holder, held_until) VALUES (60, 'x', now())`)
	got.want(OK, "comparison", "up to block 60")
	got.none(Failure, "comparison")
	got = after(`INSERT INTO log.difference (account, what, table_value, node_value, height) SELECT 'SP' || n, 'balance', 1, 2, 60 FROM generate_series(1, 7) n`)
	got.want(Failure, "comparison", "7 accounts differ")
	got.want(Failure, "comparison", "strata differences accept")
	got.want(Failure, "comparison", "account SP1: the balance is 1 in the tables, 2 at the node")
	got.want(Note, "comparison", "2 more accounts differ")
	got = after(`UPDATE log.difference SET accepted_difference = 1, reason = 'a schedule', accepted_at = '2026-01-02 03:04Z'`)
	got.want(Note, "comparison", "; accepted on 2026-01-02: a schedule")
	got.want(OK, "comparison", "up to block 60")
	got.none(Failure, "comparison")
}

func TestRedis(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := redistest.New(t).URL()
	got := examine(t, &Command{Database: database.Flags{DataDir: dir}, RedisURL: url})
	got.want(OK, "redis", "maxmemory")
	got = examine(t, &Command{Database: database.Flags{DataDir: dir}, RedisURL: "redis://127.0.0.1:1"})
	got.want(Warning, "redis", "each process caches for itself")
}

// The table has a line for each check, and its advice below.
func TestPrint(t *testing.T) {
	t.Parallel()
	checks := []Check{{"database", OK, "PostgreSQL 15", ""}, {"node n", Failure, "silent", "Do this.\nThen that."}}
	var table, encoded strings.Builder
	must.Do(t, (&Command{}).print(&table, checks))
	want := "OK       database  PostgreSQL 15\nFAILURE  node n    silent\n                   → Do this.\n                   → Then that.\n"
	if table.String() != want {
		t.Errorf("got\n%swant\n%s", table.String(), want)
	}
	var back []Check
	if err := (&Command{JSON: true}).print(&encoded, checks); err != nil || json.Unmarshal([]byte(encoded.String()), &back) != nil || len(back) != 2 || back[1] != checks[1] {
		t.Errorf("got %s (%v)", encoded.String(), err)
	}
}

// Roles that read are asked whether they can only read.
func TestReaders(t *testing.T) {
	t.Parallel()
	flags := database.Flags{DatabaseURL: pgtest.URL(t), DataDir: t.TempDir()}
	db := must.Get(flags.Create(t.Context(), slog.New(slog.DiscardHandler)))(t)
	pgtest.AtEnd(t, func() { db.Close(slog.New(slog.DiscardHandler)) })
	superuser := must.Get(pgx.Connect(t.Context(), pgtest.AdminURL(t)))(t)
	name := fmt.Sprintf("doctor_%d", time.Now().UnixNano())
	exec := func(sql string) {
		t.Helper()
		must.Get(superuser.Exec(context.WithoutCancel(t.Context()), sql))(t)
	}
	defer func() {
		exec(`DROP OWNED BY ` + name + `; DROP ROLE ` + name)
		_ = superuser.Close(context.WithoutCancel(t.Context()))
	}()
	exec(`CREATE ROLE ` + name + ` LOGIN; GRANT USAGE ON SCHEMA api TO ` + name + `; GRANT CREATE ON SCHEMA log TO ` + name)
	got := examine(t, &Command{Database: flags})
	for _, may := range []string{"make temporary tables", "make tables in schema log", "write large objects", "take advisory locks", "fill the disk", "take all connections", "strata sql-role --name " + name} {
		got.want(Warning, "role "+name, may)
	}
	exec(`REVOKE CREATE ON SCHEMA log FROM ` + name + `; ALTER ROLE ` + name + ` CONNECTION LIMIT 3; ALTER ROLE ` + name + ` SET temp_file_limit = '1GB'`)
	must.Do(t, database.Withhold(t.Context(), superuser))
	examine(t, &Command{Database: flags}).want(OK, "role "+name, "can only read")
}
