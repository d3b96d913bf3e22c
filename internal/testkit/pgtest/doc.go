// Package pgtest gives tests databases on a real PostgreSQL, quickly.
//
// One cluster serves all the tests of a user, also those of packages that go test runs at the same time as
// processes of their own: the first process starts it, the others find it. It lives in a folder of the user's in
// memory, or below the temporary folder where there is too little of it or TMPDIR is set, with fsync off. Every test gets
// a database of its own, dropped when the test ends:
//
//	pool := pgtest.New(t)   // a pool on the test's database
//	url := pgtest.URL(t)    // the same database
//
// A Source makes the databases from a template that is filled once per process:
//
//	var migrated = pgtest.Template("migrated", func(ctx context.Context, url string) error { … })
//
//	func TestX(t *testing.T) { pool := migrated.New(t); … }
//
// A test that stops and starts servers has one of its own, and a standby of it that follows:
//
//	server := pgtest.Dedicated(t)
//	replica := server.Replica(t)   // replica.Pause, Resume, CatchUp
//
// Connections begin with an empty search_path, so that SQL which forgets to name its schema fails. The user is the
// same as in production, strata: owner of the database and no superuser.
//
// # What is left behind
//
// Nothing that lasts, however the tests end. A process holds its databases by an open session whose
// application_name is in their names; what belongs to a session that is gone is dropped by the next process. A
// reaper (the test binary, started again and detached) watches who uses the clusters: the shared one is stopped
// some seconds after its last user, and one of a test's own (Dedicated, DataDir) is stopped and removed when the
// process that made it is gone. It ends when there is nothing left to watch.
package pgtest
