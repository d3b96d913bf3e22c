package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/internal/testkit/must"
)

// The reference in docs/operating.md is what the flags say.
func TestSettingsDocumented(t *testing.T) {
	t.Parallel()
	document := filepath.Join("..", "..", "docs", "operating.md")
	content := must.Get(os.ReadFile(document))(t)
	path := filepath.Join(t.TempDir(), "operating.md")
	writeFile(t, path, string(content))
	if got := run(t, t.TempDir(), "settings", "--check", path); got.code != 0 {
		t.Errorf("got code %d and %s", got.code, got.stderr)
	}
	stale := strings.Replace(string(content), "`STRATA_API_ADDR` | `127.0.0.1:3999`", "`STRATA_API_ADDR` | `127.0.0.1:4000`", 1)
	if stale == string(content) {
		t.Fatal("the reference lacks the address of the API")
	}
	writeFile(t, path, stale)
	run(t, t.TempDir(), "settings", "--check", path).fails(t, exitFailure, "make generate")
	mustRun(t, t.TempDir(), "settings", "--write", path)
	if written, err := os.ReadFile(path); err != nil || string(written) != string(content) {
		t.Errorf("what was written is not what stands in %s, %v", document, err)
	}
	if text := mustRun(t, t.TempDir(), "settings"); !strings.Contains(text, "api-addr (--api-addr, STRATA_API_ADDR) = 127.0.0.1:3999\n") {
		t.Errorf("got %s", text)
	}
}

// A file has the settings of flags; a variable wins over the file, and a flag over both.
func TestConfigurationFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "strata.toml")
	write := func(text string) { writeFile(t, file, text) }
	write(`
# a comment
network = "testnet"
roles = ["api", "projector"]
node-concurrency = 17
strict-parameters = true
drain-delay = "10s"
ordinals-tx-id-prefix = false
access-log = 0.25
database-url = "postgres://strata:hunter2@db/strata"
database-read-url = ["postgres://a/strata", "postgres://b,c/strata"]
observer-secret = "hunter3"
lag-limit = 5
`)
	got := finish(t, command(t, dir, []string{"STRATA_NODE_CONCURRENCY=18", "STRATA_CONFIG=" + file}, "check-config", "--lag-limit", "7"))
	if got.code != 0 {
		t.Fatalf("got code %d and %s", got.code, got.stderr)
	}
	for _, want := range []string{
		"network = testnet\n", "roles = api,projector\n", "node-concurrency = 18\n", "strict-parameters = true\n", "drain-delay = 10s\n", "access-log = 0.25\n",
		"lag-limit = 7\n", "ordinals-tx-id-prefix = false\n", "postgres://a/strata;postgres://b,c/strata", "observer-secret = (a secret)\n", "database-url = postgres://strata:xxxxx@db/strata\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("got %s, want %q in it", got.stdout, want)
		}
	}
	if strings.Contains(got.stdout, "hunter") || strings.Contains(got.stdout, "data-dir") || strings.Contains(got.stdout, "nats-stream") {
		t.Errorf("it tells a secret, or a default: %s", got.stdout)
	}
	for _, tc := range []struct{ text, want string }{
		{`databse-url = "x"`, "did you mean database-url?"},
		{`config = "other.toml"`, "unknown setting config"},
		{`node-concurrency = "many"`, "--node-concurrency"},
		{`node-concurrency = [1]`, "it is a list"},
		{`roles = ["cook"]`, "cook"},
		{`network = `, "line 1"},
		{"[serve]\nnetwork = 'testnet'", "unknown setting serve"},
		{`drain-delay = 1979-05-27`, "no setting is a date"},
		{`nodes = ["nonsense"]`, "nonsense"},
		{`api-addr = "nowhere"`, "--api-addr"},
		{`roles = ["fanout"]`, "--nats-url"},
		{`roles = ["mirror"]`, "mirror"},
		{`nats-replicas = 3`, "unknown setting nats-replicas, which is fixed now ("},
		{`mirror-of = "postgres://a/b"`, "unknown setting mirror-of"},
		{`database-read-url = "postgres://%"`, "database url"},
	} {
		write(tc.text)
		got := run(t, dir, "check-config", "--config", file)
		if got.code == 0 || !strings.Contains(got.stderr, tc.want) {
			t.Errorf("%s: got code %d and %q, want %q", tc.text, got.code, got.stderr, tc.want)
		}
	}
	if got := run(t, dir, "check-config", "--config", filepath.Join(dir, "none.toml")); got.code == 0 || !strings.Contains(got.stderr, "none.toml") {
		t.Errorf("a file that is not there: got code %d and %q", got.code, got.stderr)
	}
	// Other commands take what they know of it.
	write("network = 'testnet'\ndatabase-url = 'postgres://127.0.0.1:1/x'")
	run(t, dir, "projections", "status", "--config", file).fails(t, exitFailure, "127.0.0.1:1")
}
