package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"strata/internal/testkit/must"
)

// A wrong command line prints the error and the usage to stderr, and starts nothing.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ args, want string }{
		{"serve --nope", "unknown flag --nope"},
		{"serve extra", "unexpected argument extra"},
		{"nope", "unexpected argument nope"},
		{"serve --roles observer,cook", `"cook"`},
		{"serve --network moonnet", "--network must be one of"},
		{"serve --fork-choice mine", "--fork-choice must be one of"},
		{"serve --lag-limit many", "--lag-limit"},
		{"serve --drain-delay 3", "--drain-delay"},
		{"serve --shutdown-grace=3s", "--shutdown-grace is fixed now (30s)"},
		{"serve --log-level LOUD", "--log-level"},
		{"serve --log-format xml", "--log-format must be one of"},
		{"import", "nothing to import"},
		{"import --dialect csv x", "--dialect must be one of"},
		{"export --from x", "--from"},
		{"projections", `expected one of "status", "rebuild", "verify", "diff", "activate", ...`},
		{"projections resume", `expected "<name>"`},
		{"projections rebuild", `expected "<name> ..."`},
		{"projections rebuild ft nft --to 3", "one projection at a time"},
		{"projections rebuild ft --throttle -1", "--throttle"},
		{"projections activate ft", `expected "<version>"`},
		{"projections diff ft 1", `expected "<v2>"`},
		{"simulate --count -1", "--count"},
		{"simulate --ordinals --epoch-2", "--ordinals"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got := run(t, dir, strings.Fields(tc.args)...)
			if got.code != exitUsage || got.stdout != "" {
				t.Errorf("got code %d and output %q, want %d and none", got.code, got.stdout, exitUsage)
			}
			if !strings.HasPrefix(got.stderr, "Usage: strata ") || !strings.Contains(lastLine(got.stderr), tc.want) {
				t.Errorf("got %q, want the usage, and %q in the last line", got.stderr, tc.want)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("it left %v (%v)", left, err)
			}
		})
	}
}

// A failure prints one line, which names what was tried.
func TestFailure(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args string
		want []string
	}{
		{"projections status --database-url postgres://strata:hunter2@127.0.0.1:1/x", []string{"127.0.0.1:1", "connection refused", "--database-url"}},
		{"serve --database-url postgres://strata:hunter2@127.0.0.1:1/x --api-addr 127.0.0.1:0 --observer-addr 127.0.0.1:0", []string{"127.0.0.1:1", "connection refused", "--database-url"}},
		{"import --database-url host=/nowhere x.tsv", []string{"/nowhere", "--database-url"}},
		{"export --database-url nonsense", []string{"database url", "nonsense"}},
		{"simulate --observer nonsense", []string{"nonsense", "http://host:port"}},
		{"simulate --observer http://192.0.2.1:1", []string{"not on this machine"}},
	} {
		t.Run(tc.args, func(t *testing.T) {
			t.Parallel()
			got := run(t, t.TempDir(), strings.Fields(tc.args)...)
			if got.code != exitFailure || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.HasPrefix(got.stderr, "strata: ") {
				t.Errorf("got code %d, output %q and %q, want %d, none and one line", got.code, got.stdout, got.stderr, exitFailure)
			}
			for _, want := range tc.want {
				if !strings.Contains(got.stderr, want) {
					t.Errorf("got %q, want %q in it", got.stderr, want)
				}
			}
			if strings.Contains(got.stderr, "hunter2") {
				t.Errorf("it tells the password: %q", got.stderr)
			}
		})
	}
}

// model returns the parser of the command line, for tests that inspect flags. parse parses a command line without running it.
func model(t testing.TB) (*kong.Kong, func(args ...string) error) {
	t.Helper()
	parser := newParser(context.Background(), &cli{})
	parser.Exit = func(int) { t.Errorf("the parser ended the program") }
	return parser, func(args ...string) error {
		_, err := parser.Parse(args)
		return err
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--help"}} {
		got := run(t, t.TempDir(), args...)
		if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, "Usage: strata <command>") {
			t.Errorf("strata %v: got code %d, %q and %q, want 0 and the usage", args, got.code, got.stdout, got.stderr)
		}
	}
	if got := mustRun(t, t.TempDir(), "--version"); got != build().String()+"\n" {
		t.Errorf("--version: got %q, want %q", got, build())
	}
	parser, _ := model(t)
	for _, leaf := range parser.Model.Leaves(true) {
		if leaf.Help == "" || !strings.HasSuffix(leaf.Help, ".") {
			t.Errorf("%s: the help is %q, want a sentence", leaf.Path(), leaf.Help)
		}
		for _, flags := range leaf.AllFlags(false) {
			for _, flag := range flags {
				if flag.Help == "" || !strings.HasSuffix(flag.Help, ".") {
					t.Errorf("%s --%s: the help is %q, want a sentence", leaf.Path(), flag.Name, flag.Help)
				}
			}
		}
	}
}

// The help of a server fits two screens, and says how to see the rest.
func TestServeHelp(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"serve", "check-config"} {
		short, long := mustRun(t, t.TempDir(), command, "--help"), mustRun(t, t.TempDir(), command, "--help-all")
		if n := strings.Count(short, "\n"); n > 100 || !strings.Contains(short, "--help-all") || !strings.Contains(short, "--nodes=") || strings.Contains(short, "--otlp-url") {
			t.Errorf("%s --help: got %d lines:\n%s", command, n, short)
		}
		for line := range strings.Lines(mustRun(t, t.TempDir(), "settings")) {
			flag, _, named := strings.Cut(line, " (--")
			if named && !strings.Contains(long, "--"+flag) && !strings.Contains(long, "--[no-]"+flag) {
				t.Errorf("%s --help-all lacks --%s", command, flag)
			}
		}
	}
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	var fromJSON, fromYAML map[string]any
	dir := t.TempDir()
	must.Do(t, json.Unmarshal([]byte(mustRun(t, dir, "openapi")), &fromJSON))
	text := mustRun(t, dir, "openapi", "--yaml")
	must.Do(t, yaml.Unmarshal([]byte(text), &fromYAML))
	again := must.Get(json.Marshal(fromYAML))(t) // numbers of the same type
	clear(fromYAML)
	must.Do(t, json.Unmarshal(again, &fromYAML))
	if !reflect.DeepEqual(fromJSON, fromYAML) {
		t.Error("JSON and YAML say different things")
	}
	paths, _ := fromJSON["paths"].(map[string]any)
	for _, path := range []string{
		"/extended", "/extended/v1/status", "/extended/v2/blocks", "/extended/v2/blocks/{height_or_hash}",
		"/extended/v1/address/{principal}/stx", "/extended/v1/address/{principal}/balances", "/extended/v2/addresses/{principal}/balances/stx",
		"/audit/v1/events/{seq}", "/audit/v1/events/{seq}/body", "/audit/v1/quarantine", "/audit/v1/negative-balances",
		"/healthz", "/readyz", "/metrics",
	} {
		if paths[path] == nil {
			t.Errorf("the description lacks %s; it has %v", path, slices.Sorted(maps.Keys(paths)))
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
}

// The documented settings exist, with their variables and defaults.
func TestDocumentedSettings(t *testing.T) {
	t.Parallel()
	text := must.Get(os.ReadFile(filepath.Join(repository(t), "docs", "operating.md")))(t)
	_, section, found := strings.Cut(string(text), "\n## Settings\n")
	if !found {
		t.Fatal("docs/operating.md has no section Settings")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	parser, _ := model(t)
	flags := map[string]*kong.Flag{}
	for _, leaf := range parser.Model.Leaves(true) {
		if leaf.Name == "serve" {
			for _, level := range leaf.AllFlags(false) {
				for _, flag := range level {
					flags["--"+flag.Name] = flag
				}
			}
		}
	}
	rows := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.Contains(cells[1], "`--") {
			continue
		}
		rows++
		names, variables := code(cells[1]), code(cells[2])
		for i, name := range names {
			flag := flags[name]
			if flag == nil || i >= len(variables) || !slices.Contains(flag.Envs, variables[i]) {
				t.Errorf("the documentation has %s with %v, strata serve has not", name, variables)
				continue
			}
			if _, value, ok := strings.Cut(cells[3], "default `"); ok {
				value, _, _ = strings.Cut(value, "`")
				if flag.Default != value {
					t.Errorf("%s: the documentation says its default is %s, it is %s", name, value, flag.Default)
				}
			}
		}
	}
	if rows < 10 {
		t.Errorf("got %d rows, want the table of settings", rows)
	}
}

// code returns the parts of a text between backquotes.
func code(text string) (parts []string) {
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			parts = append(parts, part)
		}
	}
	return parts
}
