package register_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/projections"
	"strata/projections/internal/register"
)

// One session leads a version as long as it exists. Locks of strangers and sessions of the past change nothing.
func TestLead(t *testing.T) {
	t.Parallel()
	pool := pgtest.Template("register", migrations.Up).New(t)
	ctx := t.Context()
	version, other := projections.Schema{Name: "chain", Version: 1}, projections.Schema{Name: "chain", Version: 2}
	connect := func() *pgx.Conn {
		t.Helper()
		conn := must.Get(register.LeadingConn(ctx, pool))(t)
		pgtest.AtEnd(t, func() { _ = conn.Close(ctx) })
		return conn
	}
	try := func(conn *pgx.Conn, version projections.Schema) bool {
		t.Helper()
		return must.Get(register.TryLead(ctx, conn, version))(t)
	}
	first, second := connect(), connect()
	// A session from before a restart of the server may have had the pid of one that leads nothing.
	must.Get(pool.Exec(ctx, `INSERT INTO strata.lead VALUES ('chain', 1, $1, now() - interval '1 day')`, int32(second.PgConn().PID())))(t)
	once, again := try(first, version), try(first, version)
	if !once || !again || try(second, version) {
		t.Error("a version is not led by the one session that tried first")
	}
	if !try(second, other) {
		t.Error("two versions can't be led by two sessions")
	}
	leaders, err := register.Leaders(ctx, pool)
	if err != nil || len(leaders) != 2 || leaders[version] != int32(first.PgConn().PID()) || leaders[other] != int32(second.PgConn().PID()) {
		t.Errorf("got leaders %v, %v", leaders, err)
	}
	if err := register.Resign(ctx, second, version); err != nil { // it does not lead this one
		t.Fatal(err)
	}
	if try(second, version) {
		t.Error("a session ended the lead of another one")
	}
	must.Do(t, register.Resign(ctx, first, version))
	if !try(second, version) || try(first, version) {
		t.Error("after the first has resigned, the second does not lead alone")
	}
	_ = second.Close(ctx)
	eventually.Holds(t, "the lead ends with the session", func() bool { return try(first, version) })
}
