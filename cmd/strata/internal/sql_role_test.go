package internal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/cmd/strata/internal/sqlrole"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/version"
	"strata/rig/replay"
)

// The role reads views, tables of versions that were there and of those that come later, and the log without its bodies
// unless they are granted. It changes nothing.
func TestRole(t *testing.T) {
	t.Parallel()
	url := replay.Databases.Fresh(t)
	pool := must.Get(pgxpool.New(t.Context(), url))(t)
	defer pool.Close()
	name := fmt.Sprintf("reader_%d", time.Now().UnixNano()) // roles are of the whole server
	admin := must.Get(pgx.Connect(t.Context(), pgtest.AdminURL(t)))(t)
	defer func() {
		ctx := context.WithoutCancel(t.Context())
		if _, err := admin.Exec(ctx, `DROP OWNED BY `+name+`; DROP ROLE `+name); err != nil {
			t.Error(err)
		}
		_ = admin.Close(ctx)
	}()
	fold := must.Get(chain.New(chain.Recommended, nil))(t)
	lines := projections.Lines{projections.Chain(fold)}
	must.Get(version.Register(t.Context(), pool, lines, false, nil))(t)
	password := filepath.Join(t.TempDir(), "password")
	must.Do(t, os.WriteFile(password, []byte("read 'me\n"), 0o600))
	command := sqlrole.Command{
		Database: database.Flags{DatabaseURL: url}, AdminURL: pgtest.AdminURL(t), Name: name, PasswordFile: password, StatementTimeout: 3 * time.Second, Connections: 2,
		TempFileLimit: 1 << 20,
	}
	must.Do(t, command.Run(t.Context(), &program.Globals{}))
	// A projection that comes later.
	lines = projections.Lines{projections.Chain(fold, balances.New(nil))}
	must.Get(version.Register(t.Context(), pool, lines, true, nil))(t)
	if made, err := version.Rebuild(t.Context(), pool, lines, version.RebuildOptions{Name: "balances"}); err != nil || len(made) != 1 {
		t.Fatalf("rebuild: %v, %v", made, err)
	}

	as := func(query string) error {
		t.Helper()
		config, err := pgx.ParseConfig(url)
		if err != nil {
			t.Fatal(err)
		}
		config.User, config.Password = name, "read 'me"
		var conn *pgx.Conn
		eventually.Holds(t, "the server has noticed that connections before are closed", func() bool {
			conn, err = pgx.ConnectConfig(t.Context(), config)
			var refused *pgconn.PgError
			return !errors.As(err, &refused) || refused.Code != "53300" // too many connections for the role
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(t.Context()) }()
		_, err = conn.Exec(t.Context(), query)
		return err
	}
	may := func(queries ...string) {
		t.Helper()
		for _, query := range queries {
			if err := as(query); err != nil {
				t.Errorf("%s: %v", query, err)
			}
		}
	}
	mayNot := func(code string, queries ...string) {
		t.Helper()
		for _, query := range queries {
			var refused *pgconn.PgError
			if err := as(query); !errors.As(err, &refused) || refused.Code != code {
				t.Errorf("%s: got %v, want code %s", query, err, code)
			}
		}
	}
	newest := projections.Schema{Name: "balances", Version: balances.Version + 1}
	may(`SELECT * FROM blocks`, `SELECT * FROM api.ft_balances`, `SELECT * FROM api.stx_balances_at(3)`, `SELECT * FROM `+chain.Spec().Table("block"),
		`SELECT * FROM `+newest.Table("ledger"), `SELECT seq, sha256, size FROM log.event`, `SELECT log_seq FROM strata.projection`)
	const denied, readOnly, canceled = "42501", "25006", "57014"
	mayNot(denied, `SELECT body FROM log.event`, `SELECT * FROM log.event`, `SELECT * FROM log.delivery`, `SELECT * FROM log.body`)
	mayNot(readOnly, `UPDATE strata.active SET version = 1`, `CREATE TABLE api.mine ()`)
	mayNot(denied, `BEGIN READ WRITE; UPDATE strata.active SET version = 1`, `BEGIN READ WRITE; CREATE TABLE api.mine ()`)
	mayNot(canceled, `SELECT pg_sleep(30)`)
	// What Postgres lets every role do by default, also in a transaction that only reads.
	held := must.Get(pool.Acquire(t.Context()))(t) // a session that it may not end
	defer held.Release()
	mayNot(denied, `SELECT lo_from_bytea(0, 'x')`, `SELECT lo_creat(-1)`, `SELECT lo_put(1, 0, 'x')`, `SELECT pg_logical_emit_message(false, 'x', 'y')`,
		`SELECT pg_advisory_lock(1)`, `SELECT pg_advisory_lock_shared(1, 2)`, `SELECT pg_try_advisory_xact_lock_shared(1)`,
		`BEGIN READ WRITE; CREATE TEMP TABLE mine ()`, `BEGIN READ WRITE; CREATE TABLE public.mine ()`, `BEGIN READ WRITE; CREATE SCHEMA mine`,
		`SET temp_file_limit = -1`, `COPY (SELECT 1) TO PROGRAM 'true'`,
		fmt.Sprintf(`SELECT pg_terminate_backend(%d)`, held.Conn().PgConn().PID()))
	// What other processes wait for.
	mayNot(denied, `BEGIN READ WRITE; LOCK TABLE public.strata_migration IN SHARE UPDATE EXCLUSIVE MODE`, `BEGIN READ WRITE; LOCK TABLE strata.activation IN SHARE UPDATE EXCLUSIVE MODE`,
		`BEGIN READ WRITE; LOCK TABLE strata.projection IN SHARE MODE`, `BEGIN READ WRITE; SELECT FROM strata.projection FOR KEY SHARE`,
		`BEGIN READ WRITE; INSERT INTO strata.lead VALUES ('chain', 1, pg_backend_pid(), now())`)
	const configurationLimit = "53400"
	mayNot(configurationLimit, `SELECT count(*) FROM generate_series(1, 1000000)`) // 14 MB of temporary files
	readers, err := database.Readers(t.Context(), pool)
	if err != nil || len(readers) != 1 || readers[0].Name != name || len(readers[0].May) != 0 {
		t.Errorf("got readers %+v, %v, want one that may only read", readers, err)
	}
	// The program and other owners may still do all that.
	for _, query := range []string{`SELECT pg_advisory_lock(1), pg_advisory_unlock(1)`, `SELECT lo_unlink(lo_creat(-1))`, `CREATE TEMP TABLE mine ()`} {
		if _, err := held.Exec(t.Context(), query); err != nil {
			t.Errorf("the owner: %s: %v", query, err)
		}
	}

	command.WithBodies = true
	must.Do(t, command.Run(t.Context(), &program.Globals{}))
	may(`SELECT body FROM log.event`, `SELECT * FROM log.delivery`, `SELECT * FROM log.body`)
	command.WithBodies, command.PasswordFile = false, ""
	must.Do(t, command.Run(t.Context(), &program.Globals{}))
	may(`SELECT seq, sha256 FROM log.event`)
	mayNot(denied, `SELECT body FROM log.event`, `SELECT * FROM log.delivery`)
}

// Who makes the role need not be a superuser. What only a superuser can take from the role is reported then.
func TestLimitedAdmin(t *testing.T) {
	t.Parallel()
	url := replay.Databases.Fresh(t)
	pool := must.Get(pgxpool.New(t.Context(), url))(t)
	defer pool.Close()
	superuser := must.Get(pgx.Connect(t.Context(), pgtest.AdminURL(t)))(t)
	name := fmt.Sprintf("limited_%d", time.Now().UnixNano())
	maker := name + "_maker"
	defer func() {
		ctx := context.WithoutCancel(t.Context())
		if _, err := superuser.Exec(ctx, `DROP OWNED BY `+name+`, `+maker+`; DROP ROLE `+name+`, `+maker); err != nil {
			t.Error(err)
		}
		_ = superuser.Close(ctx)
	}()
	must.Get(superuser.Exec(t.Context(), `CREATE ROLE `+maker+` LOGIN CREATEROLE`))(t)
	config := must.Get(pgx.ParseConfig(url))(t)
	adminURL := strings.Replace(url, config.User, maker, 1)
	if admin, err := pgx.ParseConfig(adminURL); err != nil || admin.User != maker {
		t.Fatalf("got %v, %v, want a URL of %s", admin, err, maker)
	}
	command := sqlrole.Command{
		Database: database.Flags{DatabaseURL: url}, AdminURL: adminURL, Name: name, StatementTimeout: time.Second, Connections: 1, TempFileLimit: 1 << 20,
	}
	must.Do(t, command.Run(t.Context(), &program.Globals{}))
	readers, err := database.Readers(t.Context(), pool)
	want := []string{"write large objects or messages into the WAL", "take advisory locks until nobody gets any lock", "fill the disk with temporary files"}
	if err != nil || len(readers) != 1 || readers[0].Name != name || !slices.Equal(readers[0].May, want) {
		t.Errorf("got readers %+v, %v, want that it may %q", readers, err, want)
	}
	command.AdminURL = pgtest.AdminURL(t)
	must.Do(t, command.Run(t.Context(), &program.Globals{}))
	if readers, err := database.Readers(t.Context(), pool); err != nil || len(readers) != 1 || len(readers[0].May) != 0 {
		t.Errorf("after a superuser: got readers %+v, %v, want one that may only read", readers, err)
	}
}

// What would not be a reader is refused.
func TestRefused(t *testing.T) {
	t.Parallel()
	url := replay.Databases.Fresh(t)
	config := must.Get(pgx.ParseConfig(url))(t)
	command := sqlrole.Command{Database: database.Flags{DatabaseURL: url}, Name: "reader", StatementTimeout: time.Second, Connections: 1}
	if err := command.Run(t.Context(), &program.Globals{LogLevel: slog.LevelError}); err == nil || !strings.Contains(err.Error(), "name a role with CREATEROLE in --admin-url") {
		t.Errorf("a role that makes no roles: got %v", err)
	}
	command = sqlrole.Command{Database: database.Flags{DatabaseURL: url}, Name: config.User, StatementTimeout: time.Second, Connections: 1}
	if err := command.Run(t.Context(), &program.Globals{LogLevel: slog.LevelError}); err == nil || !strings.Contains(err.Error(), "connects as that role itself") {
		t.Errorf("its own role: got %v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	must.Do(t, os.WriteFile(empty, []byte("\n"), 0o600))
	command.Name, command.PasswordFile = "reader", empty
	if err := command.Run(t.Context(), &program.Globals{}); err == nil || !strings.Contains(err.Error(), "it is empty") {
		t.Errorf("an empty password: got %v", err)
	}
	command = sqlrole.Command{Database: database.Flags{DatabaseURL: pgtest.URL(t)}, Name: "reader", StatementTimeout: time.Second, Connections: 1}
	if err := command.Run(t.Context(), &program.Globals{}); err == nil {
		t.Error("a database without a log: got no error")
	}
}
