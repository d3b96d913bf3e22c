// Package pgtest gives tests databases on a real PostgreSQL, quickly.
//
// One cluster with fsync off serves all tests of a user, including those of packages that go test runs in parallel
// processes: the first process starts it, the others find it. Its folder is in memory, or below the temporary folder if
// memory is scarce or TMPDIR is set. Every test gets its own database, which is dropped when the test ends:
//
//	pool := pgtest.New(t)   // a pool on the test's database
//	url := pgtest.URL(t)    // the same database
//
// A Source creates databases from a template that is filled once per process:
//
//	var migrated = pgtest.Template("migrated", func(ctx context.Context, url string) error { … })
//
//	func TestX(t *testing.T) { pool := migrated.New(t); … }
//
// A test that stops and starts servers uses a dedicated one, with a streaming standby if it needs that:
//
//	server := pgtest.Dedicated(t)
//	replica := server.Replica(t)   // replica.Pause, Resume, CatchUp
//
// Connections start with an empty search_path, so SQL that does not name its schema fails. The user is strata, as in
// production: it owns the database and is no superuser.
//
// # Cleaning up
//
// Nothing stays behind for long, even if the tests are killed. Each process keeps one session open, and the names of
// its databases contain the application_name of that session; the next process drops databases whose session is gone. A
// reaper, which is the test binary started again and detached, watches who uses the clusters. It stops the shared
// cluster some seconds after its last user has left, and stops and removes the cluster of a single test (Dedicated,
// DataDir) when the process that started it is gone. The reaper exits when there is nothing left to watch.
package pgtest
