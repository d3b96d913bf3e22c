package pgtest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Replica is a standby of a Server, which can be read while it follows. It knows the Server by its socket, and may be
// stopped, killed and started like one.
type Replica struct {
	*Server
	primary *Server
}

// replicaTimeout bounds the copy of a server, and how long a replica may take to do what it is told.
const replicaTimeout = time.Minute

// Replica makes a streaming standby of the server, which must be running, and starts it. It ends with the test, before
// the server does. All that the server had at the call is there when it returns.
func (s *Server) Replica(t testing.TB) *Replica {
	t.Helper()
	r := &Replica{Server: &Server{dir: DataDir(t)}, primary: s}
	r.copyPrimary(t)
	r.Start(t)
	t.Cleanup(func() { r.Stop(t) })
	r.CatchUp(t)
	return r
}

// copyPrimary fills the home of the standby. What root copies is given to the user who runs the server when that
// starts.
func (r *Replica) copyPrimary(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), replicaTimeout)
	defer cancel()
	home := filepath.Join(r.dir, "postgres")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatalf("pgtest: make the folder of a replica: %v", err)
	}
	program := filepath.Join(ask[string](ctx, t, r.primary, `SELECT setting FROM pg_catalog.pg_config() WHERE name = 'BINDIR'`), "pg_basebackup")
	cmd := exec.CommandContext(ctx, program, "--dbname="+r.primary.AdminURL(), "--pgdata="+filepath.Join(home, "data"),
		"--wal-method=stream", "--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--no-password")
	cmd.Dir = home
	cmd.Env = withoutClientSettings(os.Environ())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("pgtest: copy the server in %s with %s: %v: %s", r.primary.dir, program, err, bytes.TrimSpace(out.Bytes()))
	}
}

// withoutClientSettings drops the variables that libpq takes for defaults (PGOPTIONS, PGSSLMODE, …).
func withoutClientSettings(environment []string) (kept []string) {
	for _, variable := range environment {
		if !strings.HasPrefix(variable, "PG") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// Pause returns when the replica does not replay any more. It goes on receiving, and it can be read.
func (r *Replica) Pause(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), replicaTimeout)
	defer cancel()
	ask[string](ctx, t, r.Server, `SELECT pg_catalog.pg_wal_replay_pause()::text`)
	r.until(ctx, t, "replay is paused", `SELECT pg_catalog.pg_get_wal_replay_pause_state() = 'paused'`)
}

// Resume lets a paused replica replay what it has received, and go on.
func (r *Replica) Resume(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), replicaTimeout)
	defer cancel()
	ask[string](ctx, t, r.Server, `SELECT pg_catalog.pg_wal_replay_resume()::text`)
}

// CatchUp returns when the replica shows all that was committed at the primary before the call.
func (r *Replica) CatchUp(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), replicaTimeout)
	defer cancel()
	// A commit that does not wait for the disk is sent once it is there: what has been inserted counts, not what has
	// been flushed.
	end := ask[string](ctx, t, r.primary, `SELECT pg_catalog.pg_current_wal_insert_lsn()::text`)
	r.until(ctx, t, "the replica has replayed up to "+end, `SELECT pg_catalog.pg_last_wal_replay_lsn() >= $1::text::pg_catalog.pg_lsn`, end)
}

// until waits for a condition that the replica is asked for.
func (r *Replica) until(ctx context.Context, t testing.TB, what, sql string, arguments ...any) {
	t.Helper()
	for !ask[bool](ctx, t, r.Server, sql, arguments...) {
		select {
		case <-ctx.Done():
			t.Fatalf("pgtest: wait until %s: %v", what, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// ask asks a server, as its superuser, for one value.
func ask[T any](ctx context.Context, t testing.TB, s *Server, sql string, arguments ...any) (value T) {
	t.Helper()
	conn, err := pgx.Connect(ctx, s.AdminURL())
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // it has its answer
	if err := conn.QueryRow(ctx, sql, arguments...).Scan(&value); err != nil {
		t.Fatalf("pgtest: %s: %v", sql, err)
	}
	return value
}
