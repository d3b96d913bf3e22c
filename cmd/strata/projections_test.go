package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"strata/cmd/strata/internal/folding"
	"strata/eventstore/archive"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/projections/balances"
	"strata/projections/ft"
	"strata/projections/version"
	"strata/rig/schemas"
)

// imported returns a database with the log of a synthetic chain, which is not folded yet.
func imported(t testing.TB, posts int) (dir, url string) {
	t.Helper()
	dir, url = t.TempDir(), pgtest.URL(t)
	file := filepath.Join(dir, "events.tsv")
	writeFile(t, file, chainArchive(t, archive.Copy, 7, posts))
	mustRun(t, dir, "import", "--database-url", url, file)
	return dir, url
}

// execute executes SQL statements in a database.
func execute(t testing.TB, url string, statements ...string) {
	t.Helper()
	conn := pgtest.Connect(t, url)
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// versionsOf returns the statuses of a projection's versions, by number.
func versionsOf(t testing.TB, dir, url, name string) map[int]version.Status {
	t.Helper()
	var all []version.Status
	must.Do(t, json.Unmarshal([]byte(mustRun(t, dir, "projections", "status", "--json", "--database-url", url)), &all))
	byNumber := map[int]version.Status{}
	for _, s := range all {
		if s.Name == name {
			byNumber[s.Version] = s
		}
	}
	return byNumber
}

// While a server serves the active version, a new one is built by that server, verified, compared, read, activated, rolled
// back and dropped. The answers to clients never change.
func TestWholeWay(t *testing.T) {
	t.Parallel()
	dir, url := imported(t, 200)
	s := startServer(t, dir, "--database-url", url, "--admin-addr", "127.0.0.1:0")
	admin := s.announced("serving the administration API")
	s.caughtUp(200)
	projection := func(command string, args ...string) string {
		t.Helper()
		return mustRun(t, dir, append([]string{"projections", command, "--database-url", url}, args...)...)
	}
	const path = "/metadata/v1/ft"
	old, next := ft.Version, ft.Version+1
	number := strings.NewReplacer("{old}", strconv.Itoa(old), "{next}", strconv.Itoa(next)).Replace
	before := s.get(path)
	if before.Status != http.StatusOK {
		t.Fatalf("got %d %s", before.Status, before.Body)
	}

	said := projection("rebuild", "ft")
	if !strings.Contains(said, number("ft_v{next} takes about ")) || !strings.Contains(said, number("ft_v{next} has caught up")) || !strings.Contains(said, number("strata projections diff ft {old} {next}")) {
		t.Errorf("it said %s", said)
	}
	if got := versionsOf(t, dir, url, "ft"); len(got) != 2 || got[next].State != version.StateLive || got[next].Active || !got[old].Active {
		t.Errorf("got %+v, want version %d beside version %d", got, next, old)
	}
	if got := projection("verify", "ft", number("{next}")); got != number("ft_v{next} is fit for readers\n") {
		t.Errorf("verify: got %s", got)
	}
	if got := projection("diff", "ft", number("{old}"), number("{next}")); got != number("versions {old} and {next} of ft have the same rows\n") {
		t.Errorf("diff: got %s", got)
	}
	choice := http.Header{"Strata-Projection": {number("ft={next}")}}
	beside := do(t, http.MethodGet, admin+path, choice, nil)
	if beside.Status != http.StatusOK || string(beside.Body) != string(before.Body) || beside.Header.Get("Strata-Projection") != number("ft={next}") {
		t.Errorf("beside: got %d %v %s, want %s", beside.Status, beside.Header, beside.Body, before.Body)
	}
	if got := do(t, http.MethodGet, s.api+path, choice, nil); got.Header.Get("Strata-Projection") != "" || got.Header.Get("ETag") != before.Header.Get("ETag") {
		t.Errorf("where nobody may choose: got %v", got.Header)
	}

	if got := projection("activate", "ft", number("{next}")); !strings.HasPrefix(got, number("ft: version {next} is active, instead of version {old}\nReaders see this from now on.")) ||
		!strings.Contains(got, "strata projections rollback ft\n") || !strings.HasSuffix(got, number("strata projections drop ft {old}\n")) {
		t.Errorf("activate: got %s", got)
	}
	eventually.Holds(t, "readers see the new version", func() bool {
		if got := s.get(path); got.Status != http.StatusOK || string(got.Body) != string(before.Body) {
			t.Fatalf("got %d %s, want %s", got.Status, got.Body, before.Body)
		}
		return strings.Contains(string(s.get("/audit/v1/trace?path="+path).Body), number(`"ft_v{next}.`))
	})
	s.mustPost("/new_mempool_tx", []byte(`[]`)) // both versions go on
	s.caughtUp(201)
	if got := projection("rollback", "ft"); !strings.HasPrefix(got, number("ft: version {old} is active, instead of version {next}\n")) {
		t.Errorf("rollback: got %s", got)
	}
	if got := projection("drop", "ft", number("{next}")); got != number("ft: version {next} is dropped; readers see version {old}, as before\n") {
		t.Errorf("drop: got %s", got)
	}
	if got := versionsOf(t, dir, url, "ft"); len(got) != 1 || !got[old].Active {
		t.Errorf("got %+v, want version %d alone", got, old)
	}
	if got := do(t, http.MethodGet, admin+path, choice, nil); got.Status != http.StatusNotFound {
		t.Errorf("what is gone: got %d %s", got.Status, got.Body)
	}
	if got := s.get(path); string(got.Body) != string(before.Body) {
		t.Errorf("got %s, want %s", got.Body, before.Body)
	}
}

// Without a server, the command builds by itself. After a kill it resumes, and builds nothing twice.
func TestRebuildAlone(t *testing.T) {
	short.Skip(t, "rebuilds all tables")
	t.Parallel()
	dir, url := imported(t, 300)
	run(t, dir, "projections", "rebuild", "ft", "--database-url", url).fails(t, exitFailure, "strata serve builds the first one")
	mustRun(t, dir, "import", "--wait", "--database-url", url, filepath.Join(dir, "events.tsv"))
	if got := mustRun(t, dir, "projections", "rebuild", "balances", "--no-wait", "--throttle", "10", "--database-url", url); !strings.Contains(got, "A running server") {
		t.Errorf("got %s", got)
	}
	if got := versionsOf(t, dir, url, "balances")[balances.Version+1]; got.Position != 0 || got.Throttle == nil || *got.Throttle != 10 {
		t.Errorf("got %+v, want what waits for somebody", got)
	}
	child := start(t, command(t, dir, nil, "projections", "rebuild", "balances", "--throttle", "10", "--database-url", url))
	eventually.Holds(t, "the build is under way", func() bool { return versionsOf(t, dir, url, "balances")[balances.Version+1].Position > 0 })
	child.signal(syscall.SIGKILL)
	stands := versionsOf(t, dir, url, "balances")[balances.Version+1]
	if stands.Position == 0 || stands.Lag() == 0 {
		t.Fatalf("it stands at %d of %d", stands.Position, stands.Head)
	}
	got := run(t, dir, "projections", "rebuild", "balances", "--database-url", url)
	if got.code != 0 || !strings.Contains(got.stdout, schemas.In("{balances+1} is being built already")) || !strings.Contains(got.stderr, schemas.In("{balances+1}: caught up with 300 events")) {
		t.Errorf("got code %d, %s and %s", got.code, got.stdout, got.stderr)
	}
	after := versionsOf(t, dir, url, "balances")
	if len(after) != 2 || after[balances.Version+1].Lag() != 0 || after[balances.Version+1].Throttle != nil || !after[balances.Version+1].Indexed {
		t.Errorf("got %+v, want version %d to have caught up", after, balances.Version+1)
	}
	mustRun(t, dir, "projections", "diff", "balances", schemas.In("{balances#}"), schemas.In("{balances#+1}"), "--database-url", url)

	// A leader brings along the projections that fold its steps, and these are not built separately as well.
	lines := must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
	line := len(lines[:1].Definitions())
	if got := mustRun(t, dir, "projections", "rebuild", "ft", "chain", "ft", "--database-url", url); strings.Count(got, "takes about") != line || !strings.Contains(got, schemas.In("activate chain {chain#+1}")) || strings.Contains(got, "activate ft") {
		t.Errorf("got %s", got)
	}
	if got := mustRun(t, dir, "projections", "activate", "chain", schemas.In("{chain#+1}"), "--database-url", url); strings.Count(got, "is active, instead of") != line || !strings.Contains(got, schemas.In("drop chain {chain#} --with-followers\n")) {
		t.Errorf("got %s", got)
	}
	run(t, dir, "projections", "drop", "chain", schemas.In("{chain#}"), "--database-url", url).fails(t, exitFailure, schemas.In("{balances}"), "--with-followers")
	run(t, dir, "projections", "drop", "chain", schemas.In("{chain#+1}"), "--with-followers", "--database-url", url).fails(t, exitFailure, "folds its steps; activate another version of chain first")
}

// An interrupted build says that the unfinished versions are kept.
func TestRebuildInterrupted(t *testing.T) {
	short.Skip(t, "rebuilds a table several times")
	t.Parallel()
	dir, url := imported(t, 150)
	mustRun(t, dir, "import", "--wait", "--database-url", url, filepath.Join(dir, "events.tsv"))
	child := start(t, command(t, dir, nil, "projections", "rebuild", "ft", "--throttle", "1", "--database-url", url))
	eventually.Holds(t, "the build is under way", func() bool { return versionsOf(t, dir, url, "ft")[ft.Version+1].Position > 0 })
	child.signal(syscall.SIGINT)
	if code := child.ProcessState.ExitCode(); code != exitFailure || !strings.Contains(child.log.String(), "The unfinished versions are kept") || !strings.Contains(child.log.String(), "strata: interrupted") {
		t.Errorf("got code %d and %s", code, child.log)
	}
}

// Differing rows are printed, and have an exit code of their own.
func TestDifferences(t *testing.T) {
	short.Skip(t, "starts several servers")
	t.Parallel()
	dir, url := imported(t, 150)
	mustRun(t, dir, "import", "--wait", "--database-url", url, filepath.Join(dir, "events.tsv"))
	mustRun(t, dir, "projections", "rebuild", "balances", "--database-url", url)
	execute(t, url, schemas.In(`UPDATE {balances+1}.holding SET balance = balance + 1, sent = 7 WHERE (account, asset) = (SELECT account, asset FROM {balances+1}.holding ORDER BY account, asset LIMIT 1)`))
	execute(t, url, schemas.In(`DELETE FROM {balances+1}.signer_nonce WHERE (signer, height) = (SELECT signer, height FROM {balances+1}.signer_nonce ORDER BY signer DESC, height DESC LIMIT 1)`))
	got := run(t, dir, "projections", "diff", "balances", schemas.In("{balances#}"), schemas.In("{balances#+1}"), "--database-url", url)
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.code != exitDifferences || len(lines) != 4 || !strings.HasPrefix(lines[0], "~ holding account=S") || !strings.Contains(lines[0], "(event ") || !strings.Contains(lines[1], "balance: ") ||
		!strings.Contains(lines[2], "→ 7") || !strings.HasPrefix(lines[3], "- signer_nonce signer=") {
		t.Errorf("got code %d and %s", got.code, got.stdout)
	}
	if !strings.Contains(got.stderr, schemas.In("strata: versions {balances#} and {balances#+1} of balances differ in 2 rows")) {
		t.Errorf("got %s", got.stderr)
	}
	got = run(t, dir, "projections", "diff", "balances", schemas.In("{balances#}"), schemas.In("{balances#+1}"), "--json", "--limit", "1", "--database-url", url)
	var difference version.Difference
	if err := json.Unmarshal([]byte(got.stdout), &difference); err != nil || got.code != exitDifferences || difference.Table != "holding" || len(difference.Columns) != 2 || strings.Count(got.stdout, "\n") != 1 {
		t.Errorf("got code %d and %s (%v)", got.code, got.stdout, err)
	}
	got = run(t, dir, "projections", "verify", "balances", schemas.In("{balances#+1}"), "--database-url", url)
	if got.code != exitDifferences || !strings.Contains(got.stderr, schemas.In("{balances+1} is not fit for readers")) || got.stdout != "" {
		t.Errorf("verify: got code %d, %s and %s", got.code, got.stdout, got.stderr)
	}
	got = run(t, dir, "projections", "verify", "balances", schemas.In("{balances#+1}"), "--json", "--database-url", url)
	var v version.Verification
	if err := json.Unmarshal([]byte(got.stdout), &v); err != nil || got.code != exitDifferences || len(v.Findings) == 0 {
		t.Errorf("verify --json: got code %d and %s (%v)", got.code, got.stdout, err)
	}
	if got := mustRun(t, dir, "projections", "verify", "balances", "--database-url", url); got != schemas.In("{balances} is fit for readers\n") {
		t.Errorf("verify of the active version: got %s", got)
	}
	for _, tc := range []struct{ args, want string }{
		{schemas.In("activate balances {balances#+1}"), "Correct the code, raise the number of its rules"},
		{"activate balances 9", "no such version of this projection"},
		{"activate nothing 1", "no such version of this projection"},
		{"rebuild nothing", "this program has no such projection"},
		{schemas.In("rebuild balances --to {balances#+1}"), "Leave the number out"},
		{"rollback balances", "Activate the version that you want"},
		{schemas.In("drop balances {balances#}"), "Activate another version first"},
		{schemas.In("drop chain {chain#}"), "active version"},
		{"resume balances", "no version of it has failed"},
		{"diff nothing 1 2", "this program has no such projection"},
		{schemas.In("diff balances {balances#} 99"), "no such version"},
		{"verify balances 9", "no such version"},
	} {
		got := run(t, dir, append(append([]string{"projections"}, strings.Fields(tc.args)...), "--database-url", url)...)
		if got.code != exitFailure || !strings.Contains(got.stderr, tc.want) || strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("%s: got code %d, %q and %q, want %q", tc.args, got.code, got.stdout, got.stderr, tc.want)
		}
	}
}
