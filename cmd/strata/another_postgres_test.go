package main

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
)

// The log moves from one private Postgres to another as the runbook says. The events are the same at the same positions, with what
// the server itself has reported, and so are the rows of all read tables and the quarantine.
//
// With STRATA_POSTGRES_NEWER_BIN, the folder of a newer PostgreSQL, the new cluster is of that version; otherwise both are of one.
func TestAnotherPostgres(t *testing.T) {
	short.Skip(t, "moves a log to another cluster")
	t.Parallel()
	world := &outside.World{}
	beyond := httptest.NewServer(world)
	defer beyond.Close()
	dir, older, newer := t.TempDir(), pgtest.DataDir(t), pgtest.DataDir(t)
	s := startServer(t, dir, "--data-dir", older, "--nodes", beyond.URL, "--ipfs-gateways", beyond.URL, "--fetch-allow", "127.0.0.1", "--image-store", "dir",
		"--public-url", "https://tokens.example")
	mustRun(t, dir, "simulate", "--observer", s.observer, "--count", "150", "--seed", "7", "--calm")
	s.mustPost("/new_block", []byte("not \x00 JSON\n\ttwice\\n"))
	eventually.Holds(t, "a token has an image", func() bool {
		var list struct {
			Results []struct {
				Thumbnail string `json:"image_thumbnail_uri"`
			}
		}
		return s.read("/metadata/v1/ft?limit=60", &list).Status == http.StatusOK && len(list.Results) > 0 && list.Results[0].Thumbnail != ""
	})
	s.stop()
	read := func(dataDir string, env ...string) map[string]string {
		t.Helper()
		reader := start(t, command(t, dir, env, "serve", "--data-dir", dataDir, "--roles", "projector,api", "--api-addr", "127.0.0.1:0", "--log-format", "json"))
		reader.api = reader.announced("serving the API")
		reader.caughtUp(151)
		found := contents(t, dataDir)
		reader.stop()
		return found
	}
	want := read(older)

	var env []string
	if bin := os.Getenv("STRATA_POSTGRES_NEWER_BIN"); bin != "" {
		env = []string{"STRATA_POSTGRES_BIN=" + bin}
		got := finish(t, command(t, dir, env, "export", "--data-dir", older, "--out", "log.tsv.gz"))
		if got.code == 0 || !strings.Contains(got.stderr, "strata import with the new ones into another --data-dir") {
			t.Errorf("the old cluster with the new version: got code %d and %q", got.code, got.stderr)
		}
	}
	mustRun(t, dir, "export", "--data-dir", older, "--out", "log.tsv.gz")
	if got := finish(t, command(t, dir, env, "import", "--data-dir", newer, "--any-payload", "--wait", "log.tsv.gz")); got.code != 0 {
		t.Fatalf("import: got code %d: %s", got.code, got.stderr)
	}
	if got := finish(t, command(t, dir, env, "verify", "--data-dir", newer)); got.code != 0 {
		t.Errorf("verify: got code %d: %s %s", got.code, got.stdout, got.stderr)
	}
	got := read(newer, env...)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s: got %s, want %s", name, got[name], want[name])
		}
	}
	if len(got) != len(want) || want["reports"] == "0" || want["strata.quarantine"] == "0 " {
		t.Errorf("got %v, want %v with reports and a quarantine", got, want)
	}
}

// contents returns how many rows each read table, the quarantine and the log of a running private Postgres have, and a digest of
// them. Of the log it leaves out what an archive has no columns for: sources and content types.
func contents(t *testing.T, dataDir string) map[string]string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(dataDir, "postgres", "data", "postmaster.pid")))(t)
	socket := strings.Split(string(text), "\n")[4]
	conn := pgtest.Connect(t, "postgres://strata@/strata?host="+url.QueryEscape(socket))
	found := map[string]string{}
	add := func(name, query string) { found[name] = pgtest.Value[string](t, conn, query) }
	rows := func(name, from string) {
		add(name, `SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, E'\n' ORDER BY x::text)), '') FROM (`+from+`) x`)
	}
	rows("log.event", `SELECT seq, received_at, path, size, sha256, body FROM log.delivery`)
	rows("strata.quarantine", `SELECT name, version, seq, pointer, reason FROM strata.quarantine`)
	add("reports", `SELECT count(*)::text FROM log.event WHERE path = 'strata:fetch'`)
	for _, table := range pgtest.Values[string](t, conn, `
		SELECT format('%I.%I', t.schemaname, t.tablename) FROM strata.active a JOIN pg_tables t ON t.schemaname = a.name || '_v' || a.version`) {
		rows(table, `SELECT * FROM `+table)
	}
	return found
}
