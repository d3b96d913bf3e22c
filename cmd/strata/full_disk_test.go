//go:build linux

package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/serverrig"
	"strata/internal/testkit/short"
)

// smallDisk mounts a disk of its own in the memory. Only root may do that: otherwise the test is skipped.
func smallDisk(t *testing.T, bytes int64) *serverrig.Disk {
	t.Helper()
	disk, err := serverrig.MountDisk(filepath.Join(pgtest.DataDir(t), "disk"), bytes)
	if err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := disk.Unmount(); err != nil {
			t.Errorf("unmount %s: %v", disk.Folder, err)
		}
	})
	return disk
}

// fill leaves this many bytes of a disk free, and returns what gives the space back.
func fill(t *testing.T, disk *serverrig.Disk, leave int64) (empty func()) {
	t.Helper()
	must.Do(t, disk.Leave(leave))
	return func() {
		if err := disk.Restore(); err != nil {
			t.Error(err)
		}
	}
}

// TestFullDisk fills the disk of the private Postgres while a node posts: first up to the floor, where events are refused and reads
// go on; then to the last byte, until Postgres panics. With space, everything goes on by itself, and nothing is lost.
func TestFullDisk(t *testing.T) {
	short.Skip(t, "fills a disk")
	t.Parallel()
	const posts, floor = 150, 40 << 20 // half of it has room for a segment of WAL, of 16 MiB: without it Postgres panics at once
	disk := smallDisk(t, 384<<20)
	data := filepath.Join(disk.Folder, "data")
	s := startServer(t, t.TempDir(), "--data-dir", data, "--disk-floor", fmt.Sprint(floor), "--public-internals")
	node := start(t, command(t, t.TempDir(), nil, "simulate", "--observer", s.observer, "--count", fmt.Sprint(posts), "--seed", "51", "--rate", "20"))
	eventually.Holds(t, "there are blocks", func() bool { return s.status().ChainTip.BlockHeight > 2 })

	empty := fill(t, disk, floor/2)
	began := time.Now()
	// Not before, or events fill the rest of the disk.
	eventually.Holds(t, "the server has looked at the disk", func() bool { return strings.Contains(string(s.get("/readyz").Body), "events are refused") })
	refused := s.post("/attachments/new", []byte(`["no room"]`))
	if refused.Status != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" {
		t.Errorf("got %d %s without a time to come again", refused.Status, refused.Body)
	}
	for _, path := range []string{"/extended/v1/status", "/extended/v2/blocks?limit=5", "/extended/v2/blocks/latest", "/audit/v1/events/1"} {
		if got := s.get(path); got.Status != http.StatusOK {
			t.Errorf("%s, with little space: got %d %s", path, got.Status, got.Body)
		}
	}
	empty()
	eventually.Holds(t, "events are taken again", func() bool { return s.post("/attachments/new", []byte(`["room"]`)).Status == http.StatusOK })
	first := time.Since(began)

	empty = fill(t, disk, 2<<20)
	began = time.Now()
	panicked := panicPostgres(t, data)
	const full = 3 * time.Second // in which Postgres can't start, if it panicked
	eventually.Stays(t, "events are refused", full, func() bool {
		return s.post("/attachments/new", []byte(`["no room"]`)).Status == http.StatusServiceUnavailable
	})
	empty()
	eventually.Holds(t, "events are taken again", func() bool { return s.post("/attachments/new", []byte(`["room again"]`)).Status == http.StatusOK })
	eventually.Holds(t, "the server is ready again", func() bool { return s.get("/readyz").Status == http.StatusOK })
	second := time.Since(began) - full
	<-node.Ended()
	if code := node.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("simulate: got code %d; it said:\n%s", code, node.log)
	}
	s.caughtUp(posts + 2)
	s.checkState(expected(simulate.Command{Seed: 51, Forks: 0.05}, posts))
	s.stop()
	mustRun(t, t.TempDir(), "verify", "--data-dir", data)
	if t.Failed() {
		return
	}
	t.Logf("fault: a full disk, twice, beside %d events; up to the floor: %s until events were taken again; up to the last byte: Postgres %s, %s until the server was ready; lost 0",
		posts, first.Round(time.Millisecond), panicked, second.Round(time.Millisecond))
}

// panicPostgres writes to the WAL until there is no space for it, and returns what became of Postgres.
func panicPostgres(t *testing.T, data string) string {
	t.Helper()
	pid := privatePostgres(t, data)
	conn, err := pgx.Connect(t.Context(), "postgres://postgres@/strata?host="+filepath.Join(data, "postgres", "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	const messages = 200 // of a megabyte each
	if _, err = conn.Exec(t.Context(), `SELECT pg_logical_emit_message(false, 'full', repeat('x', 1000000)) FROM generate_series(1, $1)`, messages); err == nil {
		t.Fatal("there was space for it")
	}
	if conn.IsClosed() { // it ends all sessions when it panics
		eventually.Holds(t, "Postgres ends", func() bool { return privatePostgres(t, data) != pid })
		return fmt.Sprintf("ended (%v)", err)
	}
	return fmt.Sprintf("went on (%v)", err)
}
