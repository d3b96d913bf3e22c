package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"strata/cmd/strata/internal/folding"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/projections"
)

// emptyFolder returns a folder in which the default data directory, ./.strata, is one that pgtest cleans up.
func emptyFolder(t testing.TB) string {
	t.Helper()
	dir := pgtest.DataDir(t)
	must.Do(t, os.Symlink(".", filepath.Join(dir, ".strata")))
	return dir
}

// privatePostgres returns the process id of the private Postgres of a folder; 0 if none is running.
func privatePostgres(t testing.TB, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	if os.IsNotExist(err) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid := must.Get(strconv.Atoi(first))(t)
	if syscall.Kill(pid, 0) != nil {
		return 0
	}
	return pid
}

// Without configuration, the server runs a private Postgres. Acknowledged events survive a kill of the server.
func TestServeWithoutConfiguration(t *testing.T) {
	short.Skip(t, "starts a server of its own")
	t.Parallel()
	dir := emptyFolder(t)
	began := time.Now()
	s := startServer(t, dir)
	s.status()
	took := time.Since(began).Round(time.Millisecond)
	t.Logf("answered %s after its start in an empty folder", took)
	want := documentedStatus(t)
	eventually.Holds(t, "an empty server answers as documented: "+string(want), func() bool {
		return sameButVersion(t, s.get("/extended/v1/status").Body, want)
	})
	postgres := privatePostgres(t, dir)
	if postgres == 0 {
		t.Fatal("there is no private Postgres")
	}
	s.mustPost("/new_block", []byte(`{"first":1}`))

	// Other commands use the same cluster beside the server, and leave it running.
	statuses := projectionStatuses(t, dir)
	if want := len(definitionsByName(t)); len(statuses) != want {
		t.Errorf("beside a server: got %d projections, want %d", len(statuses), want)
	}
	extra := filepath.Join(dir, "extra.tsv")
	writeFile(t, extra, "1\t2024-03-13T15:34:10.446Z\t/attachments/new\t[]\n")
	mustRun(t, dir, "import", "--append", extra)
	s.caughtUp(2)
	if got := privatePostgres(t, dir); got != postgres {
		t.Errorf("after other commands: got Postgres %d, want still %d", got, postgres)
	}

	s.signal(syscall.SIGKILL)
	if got := privatePostgres(t, dir); got != postgres {
		t.Errorf("after kill -9 of the server: got Postgres %d, want still %d", got, postgres)
	}
	s = startServer(t, dir)
	if got := s.status().Strata.LogSize; got != 2 {
		t.Errorf("after kill -9: got %d events, want 2", got)
	}
	if got := string(s.get("/audit/v1/events/1/body").Body); got != `{"first":1}` {
		t.Errorf("after kill -9: got %s", got)
	}

	// The server starts its Postgres again, and receives events as before.
	killed := time.Now()
	must.Do(t, syscall.Kill(postgres, syscall.SIGKILL))
	eventually.Holds(t, "Postgres is started again", func() bool {
		now := privatePostgres(t, dir)
		return now != 0 && now != postgres
	})
	eventually.Holds(t, "the server takes an event again, as often as the node repeats it", func() bool {
		return s.post("/new_block", []byte(`{"third":1}`)).Status == http.StatusOK
	})
	eventually.Holds(t, "the server answers again", func() bool { return s.get("/extended").Status == http.StatusOK })
	t.Logf("fault: a kill of the private Postgres; ready %s after", time.Since(killed).Round(time.Millisecond))
	s.caughtUp(3)

	s.stop()
	if got := privatePostgres(t, dir); got != 0 {
		t.Errorf("the server ended, and left Postgres %d running", got)
	}
	at3 := func(s projectionStatus) bool { return s.Name == "chain" && s.Position == 3 }
	if statuses := projectionStatuses(t, dir); len(statuses) != len(definitionsByName(t)) || !slices.ContainsFunc(statuses, at3) {
		t.Errorf("without a server: got %v, want chain at 3", statuses)
	}
	if got := privatePostgres(t, dir); got != 0 {
		t.Errorf("projections status left Postgres %d running", got)
	}
}

// sameButVersion compares answers of /extended/v1/status without the version of the server.
func sameButVersion(t testing.TB, got, want []byte) bool {
	t.Helper()
	normal := func(text []byte) string {
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		delete(fields, "server_version")
		return string(must.Get(json.Marshal(fields))(t))
	}
	return normal(got) == normal(want)
}

type projectionStatus struct {
	Name           string  `json:"name"`
	Version        int     `json:"version"`
	Active         bool    `json:"active"`
	Input          string  `json:"input"`
	State          string  `json:"state"`
	Position       int64   `json:"position"`
	Head           int64   `json:"head"`
	LogSeq         int64   `json:"log_seq"`
	BlockHeight    *int64  `json:"block_height"`
	IndexBlockHash *string `json:"index_block_hash"`
	LagSeconds     float64 `json:"lag_seconds"`
	Quarantined    int64   `json:"quarantined"`
	Error          *string `json:"error"`
}

func projectionStatuses(t testing.TB, dir string, args ...string) (statuses []projectionStatus) {
	t.Helper()
	text := mustRun(t, dir, append([]string{"projections", "status", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(text), &statuses); err != nil {
		t.Fatalf("projections status --json printed %s: %v", text, err)
	}
	return statuses
}

func TestProjectionsStatus(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := startServer(t, t.TempDir(), "--database-url", url)
	s.mustPost("/new_block", []byte("not JSON"))
	s.caughtUp(1)
	statuses := projectionStatuses(t, t.TempDir(), "--database-url", url)
	definitions := definitionsByName(t)
	if len(statuses) != len(definitions) {
		t.Fatalf("got %v, want %d projections", statuses, len(definitions))
	}
	schemas := map[string]string{"": "log"}
	for _, d := range definitions {
		schemas[d.Spec.Name] = d.Spec.String()
	}
	for i, d := range definitions {
		want := projectionStatus{Name: d.Spec.Name, Version: d.Spec.Version, Active: true, Input: schemas[d.Leader], State: "live"}
		if d.Leader == "" {
			want.Position, want.Head, want.LogSeq = 1, 1, 1
		}
		if d.Spec.Name == "chain" {
			want.Quarantined = 1
		}
		if statuses[i] != want {
			t.Errorf("got %+v, want %+v", statuses[i], want)
		}
	}
	table := strings.Split(strings.TrimSuffix(mustRun(t, t.TempDir(), "projections", "status", "--database-url", url), "\n"), "\n")
	if len(table) != 1+len(definitions) || !strings.HasPrefix(table[0], "NAME ") {
		t.Fatalf("got the table %q, want a heading and a row for each projection", table)
	}
	for i, d := range definitions {
		if !strings.HasPrefix(table[1+i], d.Spec.Name+" ") {
			t.Errorf("row %d of the table is %q, want that of %s", i, table[1+i], d.Spec.Name)
		}
	}
	run(t, t.TempDir(), "projections", "resume", "chain", "--database-url", url).fails(t, exitFailure, "no version of it has failed")
}

// Several processes with different roles work together as one server.
func TestServeRoles(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	// A process ignores addresses that its role does not need, even if they are in use.
	begin := func(role, api, observer string) *server {
		return start(t, command(t, t.TempDir(), nil, "serve", "--roles", role, "--database-url", url, "--log-format", "json",
			"--api-addr", api, "--observer-addr", observer))
	}
	reading := begin("api", "127.0.0.1:0", taken(t))
	receiving := begin("observer", taken(t), "127.0.0.1:0")
	projecting := begin("projector", taken(t), taken(t))
	describing := begin("metadata", taken(t), taken(t))
	reading.api, receiving.observer = reading.announced("serving the API"), receiving.announced("receiving events")

	receiving.mustPost("/new_block", []byte("{}"))
	reading.caughtUp(1)
	if got := do(t, http.MethodGet, receiving.observer+"/extended/v1/status", nil, nil); got.Status == http.StatusOK {
		t.Errorf("the observer answers for the API: %s", got.Body)
	}
	if got := do(t, http.MethodPost, reading.api+"/new_block", nil, []byte("{}")); got.Status != http.StatusNotFound {
		t.Errorf("the API takes events: got %d %s, want 404", got.Status, got.Body)
	}
	for _, s := range []*server{reading, receiving, projecting, describing} {
		if !s.Running() {
			t.Errorf("strata %v ended", s.Args[1:])
		}
	}
}

// Every setting can be set by an environment variable, and a flag overrides it.
func TestServeEnvironment(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := start(t, command(t, t.TempDir(), []string{
		"STRATA_API_ADDR=" + taken(t), // it would not start
		"STRATA_OBSERVER_ADDR=127.0.0.1:0",
		"STRATA_DATABASE_URL=" + pgtest.URL(t),
		"STRATA_DATA_DIR=" + data,
		"STRATA_NETWORK=testnet",
		"STRATA_ORDHOOK_TOKEN=secret",
		"STRATA_LAG_LIMIT=17",
		"STRATA_LOG_FORMAT=json",
		"STRATA_LOG_LEVEL=info",
		"STRATA_ROLES=observer,projector,api",
		"STRATA_FORK_CHOICE=reference",
	}, "serve", "--api-addr", "127.0.0.1:0"))
	s.api, s.observer = s.announced("serving the API"), s.announced("receiving events")
	if s.observer == "http://"+defaultOf(t, "observer-addr") {
		t.Errorf("STRATA_OBSERVER_ADDR: got the default, %s", s.observer)
	}
	if got := s.status().Strata.Network; got != "testnet" {
		t.Errorf("STRATA_NETWORK: got %s, want testnet", got)
	}
	if _, err := os.Stat(filepath.Join(data, "spool")); err != nil {
		t.Errorf("STRATA_DATA_DIR: %v", err)
	}
	if got := s.post("/payload", []byte("{}")); got.Status != http.StatusForbidden {
		t.Errorf("STRATA_ORDHOOK_TOKEN: got %d without it, want 403", got.Status)
	}
	if got := do(t, http.MethodPost, s.observer+"/payload", http.Header{"Authorization": {"Bearer secret"}}, []byte("{}")); got.Status != http.StatusOK {
		t.Errorf("STRATA_ORDHOOK_TOKEN: got %d with it, want 200", got.Status)
	}
	var ready struct {
		Checks struct {
			Projections []struct {
				LagLimit int64 `json:"lag_limit"`
			}
		}
	}
	if err := json.Unmarshal(s.get("/readyz").Body, &ready); err != nil || len(ready.Checks.Projections) != len(definitionsByName(t)) || ready.Checks.Projections[0].LagLimit != 17 {
		t.Errorf("STRATA_LAG_LIMIT: got %+v, want 17 for each", ready)
	}
	if strings.Contains(s.log.String(), "secret") {
		t.Error("the log tells the token")
	}
}

// An address in use is reported before a database is created.
func TestServeAddressTaken(t *testing.T) {
	t.Parallel()
	address := taken(t)
	for _, flag := range []string{"--api-addr", "--observer-addr"} {
		other := map[string]string{"--api-addr": "--observer-addr", "--observer-addr": "--api-addr"}[flag]
		dir := t.TempDir()
		got := run(t, dir, "serve", flag, address, other, "127.0.0.1:0")
		if got.code != exitFailure || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "address already in use") || !strings.Contains(got.stderr, flag) {
			t.Errorf("%s: got code %d and %q, want 1 and one line that names the flag", flag, got.code, got.stderr)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: it left %v (%v)", flag, left, err)
		}
	}
}

// An interrupt during the start is not a failure.
func TestServeStoppedEarly(t *testing.T) {
	t.Parallel()
	dir := emptyFolder(t)
	s := start(t, command(t, dir, nil, "serve", "--api-addr", "127.0.0.1:0", "--observer-addr", "127.0.0.1:0"))
	eventually.Holds(t, "it makes its cluster", func() bool {
		_, err := os.Stat(filepath.Join(dir, "postgres"))
		return err == nil
	})
	s.stop()
	if got := privatePostgres(t, dir); got != 0 {
		t.Errorf("it left Postgres %d running", got)
	}
}

// definitionsByName returns the definitions of all projections, in the order of their names.
func definitionsByName(t *testing.T) []projections.Definition {
	t.Helper()
	lines := must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
	definitions := lines.Definitions()
	slices.SortFunc(definitions, func(a, b projections.Definition) int { return strings.Compare(a.Spec.Name, b.Spec.Name) })
	return definitions
}
