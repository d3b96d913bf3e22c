package pgtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Replica is a streaming standby of a Server. It can be read while it replays, and stopped, killed and started like a
// Server. It reaches its primary through the primary's socket.
type Replica struct {
	*Server
	primary *Server
}

// replicaTimeout bounds the copy of the primary, and every command to a replica.
const replicaTimeout = time.Minute

// Replica creates and starts a streaming standby of the server, which must be running. When Replica returns, the
// standby has everything that the server had at the call. It is stopped when the test ends, before the server is.
func (s *Server) Replica(t testing.TB) *Replica {
	t.Helper()
	r := &Replica{Server: &Server{dir: DataDir(t), settings: s.settings}, primary: s}
	r.copyPrimary(t)
	r.Start(t)
	t.Cleanup(func() { r.Stop(t) })
	r.CatchUp(t)
	return r
}

// copyPrimary copies the primary's data into the standby's data directory. If root copies the files, Start gives them
// to the user that runs the server.
func (r *Replica) copyPrimary(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), replicaTimeout)
	defer cancel()
	home := filepath.Join(r.dir, "postgres")
	check(t, "create the folder of a replica", os.Mkdir(home, 0o700))
	bin := queryValue[string](t, r.primary, `SELECT setting FROM pg_catalog.pg_config() WHERE name = 'BINDIR'`)
	program := filepath.Join(bin, "pg_basebackup")
	cmd := exec.CommandContext(ctx, program, "--dbname="+r.primary.AdminURL(), "--pgdata="+filepath.Join(home, "data"),
		"--wal-method=stream", "--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--no-password")
	cmd.Dir = home
	// libpq would use PGOPTIONS, PGSSLMODE and the like as defaults.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "PG") })
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("pgtest: copy the server in %s with %s: %v: %s", r.primary.dir, program, err, bytes.TrimSpace(out.Bytes()))
	}
}

// Pause stops replay and returns when it has stopped. The replica still receives the log, and can be read.
func (r *Replica) Pause(t testing.TB) {
	t.Helper()
	queryValue[string](t, r.Server, `SELECT pg_catalog.pg_wal_replay_pause()::text`)
	r.waitUntil(t, "replay is paused", `SELECT pg_catalog.pg_get_wal_replay_pause_state() = 'paused'`)
}

// Resume makes a paused replica replay what it has received, and continue.
func (r *Replica) Resume(t testing.TB) {
	t.Helper()
	queryValue[string](t, r.Server, `SELECT pg_catalog.pg_wal_replay_resume()::text`)
}

// CatchUp returns when the replica shows everything that the primary had committed before the call.
func (r *Replica) CatchUp(t testing.TB) {
	t.Helper()
	// The end of a record of our own: between the last record and the insert position may be the header of a page, which
	// is not replayed before the next record, and an idle server writes one every 15 seconds. The commit is flushed here,
	// with all before it, also those with synchronous_commit = off, and waits for no standby.
	end := queryValue[string](t, r.primary, `
		SELECT pg_catalog.pg_logical_emit_message(true, 'pgtest', 'caught up')::text
		FROM pg_catalog.set_config('synchronous_commit', 'local', false)`)
	r.waitUntil(t, "the replica has replayed up to "+end,
		`SELECT pg_catalog.pg_last_wal_replay_lsn() >= $1::text::pg_catalog.pg_lsn`, end)
}

// waitUntil repeats a query on the replica until it returns true. condition describes it in the error.
func (r *Replica) waitUntil(t testing.TB, condition, sql string, arguments ...any) {
	t.Helper()
	inSession(t, r.Server, func(ctx context.Context, conn *pgx.Conn) {
		for !scan[bool](ctx, t, conn, sql, arguments...) {
			select {
			case <-ctx.Done():
				t.Fatalf("pgtest: wait until %s: %v", condition, ctx.Err())
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
}

// queryValue runs a query as the superuser and returns its single value.
func queryValue[T any](t testing.TB, s *Server, sql string, arguments ...any) (value T) {
	t.Helper()
	inSession(t, s, func(ctx context.Context, conn *pgx.Conn) { value = scan[T](ctx, t, conn, sql, arguments...) })
	return value
}

// inSession calls do with a session of the superuser.
func inSession(t testing.TB, s *Server, do func(context.Context, *pgx.Conn)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), replicaTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.AdminURL())
	check(t, "connect", err)
	defer conn.Close(ctx) //nolint:errcheck // what was written is committed
	do(ctx, conn)
}

// scan runs a query and returns its single value.
func scan[T any](ctx context.Context, t testing.TB, conn *pgx.Conn, sql string, arguments ...any) (value T) {
	t.Helper()
	if err := conn.QueryRow(ctx, sql, arguments...).Scan(&value); err != nil {
		t.Fatalf("pgtest: %s: %v", sql, err)
	}
	return value
}

// Received returns how much of the primary's write-ahead log the replica has, in bytes from its beginning.
func (r *Replica) Received(t testing.TB) int64 {
	t.Helper()
	return queryValue[int64](t, r.Server, `
		SELECT pg_catalog.pg_wal_lsn_diff(greatest(pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn()), '0/0')::bigint`)
}

// Promote makes the replica a primary, and returns when it can be written to.
func (r *Replica) Promote(t testing.TB) {
	t.Helper()
	if !queryValue[bool](t, r.Server, `SELECT pg_catalog.pg_promote(true, 60)`) {
		t.Fatal("pgtest: the replica was not promoted in time")
	}
}

// Follow makes the replica stream from another primary, which was promoted.
func (r *Replica) Follow(t testing.TB, primary *Server) {
	t.Helper()
	to, err := pgx.ParseConfig(primary.AdminURL())
	check(t, "read the primary's URL", err)
	r.primary = primary
	r.Set(t, "primary_conninfo", fmt.Sprintf("host=%s port=%d user=%s", to.Host, to.Port, to.User))
}

// Set changes a setting of the server while it runs.
func (s *Server) Set(t testing.TB, setting, value string) {
	t.Helper()
	inSession(t, s, func(ctx context.Context, conn *pgx.Conn) {
		for _, sql := range []string{
			`ALTER SYSTEM SET ` + pgx.Identifier{setting}.Sanitize() + ` = '` + strings.ReplaceAll(value, `'`, `''`) + `'`, `SELECT pg_catalog.pg_reload_conf()`,
		} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				t.Fatalf("pgtest: %s: %v", sql, err)
			}
		}
	})
}
