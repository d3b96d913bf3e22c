package sqlrole_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
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
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/replay"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/version"
)

// The role reads views, tables of versions that were there and of those that come later, and the log without its bodies
// unless they are granted. It changes nothing.
func TestRole(t *testing.T) {
	t.Parallel()
	url := replay.Databases.Fresh(t)
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	name := fmt.Sprintf("reader_%d", time.Now().UnixNano()) // roles are of the whole server
	admin, err := pgx.Connect(t.Context(), pgtest.AdminURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx := context.WithoutCancel(t.Context())
		if _, err := admin.Exec(ctx, `DROP OWNED BY `+name+`; DROP ROLE `+name); err != nil {
			t.Error(err)
		}
		_ = admin.Close(ctx)
	}()
	fold, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := projections.Lines{projections.Chain(fold)}
	if _, err := version.Register(t.Context(), pool, lines, false, nil); err != nil {
		t.Fatal(err)
	}
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("read 'me\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := sqlrole.Command{
		Database: database.Flags{DatabaseURL: url}, AdminURL: pgtest.AdminURL(t), Name: name, PasswordFile: password, StatementTimeout: 3 * time.Second, Connections: 2,
	}
	if err := command.Run(t.Context(), &program.Globals{}); err != nil {
		t.Fatal(err)
	}
	// A projection that comes later.
	lines = projections.Lines{projections.Chain(fold, balances.New(nil))}
	if _, err := version.Register(t.Context(), pool, lines, true, nil); err != nil {
		t.Fatal(err)
	}
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

	command.WithBodies = true
	if err := command.Run(t.Context(), &program.Globals{}); err != nil {
		t.Fatal(err)
	}
	may(`SELECT body FROM log.event`, `SELECT * FROM log.delivery`, `SELECT * FROM log.body`)
	command.WithBodies, command.PasswordFile = false, ""
	if err := command.Run(t.Context(), &program.Globals{}); err != nil {
		t.Fatal(err)
	}
	may(`SELECT seq, sha256 FROM log.event`)
	mayNot(denied, `SELECT body FROM log.event`, `SELECT * FROM log.delivery`)
}

// What would not be a reader is refused.
func TestRefused(t *testing.T) {
	t.Parallel()
	url := replay.Databases.Fresh(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	command := sqlrole.Command{Database: database.Flags{DatabaseURL: url}, Name: "reader", StatementTimeout: time.Second, Connections: 1}
	if err := command.Run(t.Context(), &program.Globals{LogLevel: slog.LevelError}); err == nil || !strings.Contains(err.Error(), "name a role with CREATEROLE in --admin-url") {
		t.Errorf("a role that makes no roles: got %v", err)
	}
	command = sqlrole.Command{Database: database.Flags{DatabaseURL: url}, Name: config.User, StatementTimeout: time.Second, Connections: 1}
	if err := command.Run(t.Context(), &program.Globals{LogLevel: slog.LevelError}); err == nil || !strings.Contains(err.Error(), "connects as that role itself") {
		t.Errorf("its own role: got %v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command.Name, command.PasswordFile = "reader", empty
	if err := command.Run(t.Context(), &program.Globals{}); err == nil || !strings.Contains(err.Error(), "it is empty") {
		t.Errorf("an empty password: got %v", err)
	}
	command = sqlrole.Command{Database: database.Flags{DatabaseURL: pgtest.URL(t)}, Name: "reader", StatementTimeout: time.Second, Connections: 1}
	if err := command.Run(t.Context(), &program.Globals{}); err == nil {
		t.Error("a database without a log: got no error")
	}
}
