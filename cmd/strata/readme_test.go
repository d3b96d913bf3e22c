package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"strata/internal/testkit/must"
	"strata/metadata/refresh"
	"strata/projections/admin"
	"strata/readapi"
	"strata/subscriptions"
)

// repository returns the root of the repository.
func repository(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.Getwd())(t)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("there is no go.mod above this package")
		}
		dir = filepath.Dir(dir)
	}
}

func readme(t testing.TB) string {
	t.Helper()
	return documentText(t, "README.md")
}

// documentText returns the text of a file, named by its path in the repository.
func documentText(t testing.TB, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(filepath.Join(repository(t), path)))(t))
}

// fenced returns the code blocks of a Markdown text, and the rest of the text.
func fenced(text string) (blocks []string, rest string) {
	for i, part := range strings.Split(text, "\n```") {
		if i%2 == 1 {
			_, block, _ := strings.Cut(part, "\n")
			blocks = append(blocks, block)
		} else {
			rest += part
		}
	}
	return blocks, rest
}

// documentedStatus returns the status of an empty server that docs/operating.md shows.
func documentedStatus(t testing.TB) []byte {
	t.Helper()
	answer := regexp.MustCompile(`(?m)^\{"server_version".*$`).FindString(documentText(t, "docs/operating.md"))
	if !json.Valid([]byte(answer)) {
		t.Fatalf("the documented answer of /extended/v1/status is %q", answer)
	}
	return []byte(answer)
}

// readmeExample returns the parts of the README's balance that demo must print, too.
func readmeExample(t testing.TB) []string {
	t.Helper()
	blocks, _ := fenced(readme(t))
	for _, block := range blocks {
		if !strings.Contains(block, "until_block") {
			continue
		}
		var parts []string
		for _, pattern := range []string{`/extended/v1/address/[^']+`, `Strata-Source: \d+`, `"total_sent": "\d+"`, `"balance": "\d+"`} {
			part := regexp.MustCompile(pattern).FindString(block)
			if part == "" {
				t.Fatalf("the README's balance has nothing like %s", pattern)
			}
			parts = append(parts, part)
		}
		return parts
	}
	t.Fatal("the README has no balance at an earlier block")
	return nil
}

// quoted is an argument of make with spaces.
var quoted = regexp.MustCompile(`\w+="[^"]*"`)

// The commands in the documentation are valid.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	root := repository(t)
	makefile := must.Get(os.ReadFile(filepath.Join(root, "Makefile")))(t)
	files := must.Get(filepath.Glob(filepath.Join(root, "docs", "*.md")))(t)
	_, parse := model(t)
	counts := map[string]int{}
	for _, file := range append(files, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text := must.Get(os.ReadFile(file))(t)
		for _, line := range commands(string(text)) {
			words := strings.Fields(line)
			counts[words[0]]++
			switch words[0] {
			case "make":
				for _, target := range strings.Fields(quoted.ReplaceAllString(line, ""))[1:] {
					if !strings.Contains(target, "=") && !strings.Contains(string(makefile), "\n"+target+":") {
						t.Errorf("%s: %q: the Makefile has no %s", filepath.Base(file), line, target)
					}
				}
			case "curl":
				checkCurl(t, filepath.Base(file), line)
			case "strata", "bin/strata":
				help := slices.Contains(words, "--help")
				args := slices.DeleteFunc(words[1:], func(word string) bool { return word == "--help" || strings.Contains(word, "…") })
				err := parse(args...)
				if help && err != nil && strings.Contains(err.Error(), "missing positional arguments") {
					err = nil
				}
				if err != nil && !leftToReader(err) {
					t.Errorf("%s: %q: %v", filepath.Base(file), line, err)
				}
			}
		}
	}
	for _, name := range []string{"make", "curl", "strata", "bin/strata"} {
		if counts[name] == 0 {
			t.Errorf("no %s found in the documentation", name)
		}
	}
}

// leftToReader reports whether a command only lacks what a reader fills in: required arguments, values and files.
func leftToReader(err error) bool {
	return strings.HasPrefix(err.Error(), "expected ") || slices.ContainsFunc(
		[]string{`but got "EOL"`, "missing flags: ", "missing positional arguments ", "no such file or directory", "nothing to import: "},
		func(reason string) bool { return strings.Contains(err.Error(), reason) },
	)
}

// commands returns the lines of code blocks, and the inline code, that begin with a known program. It cuts off comments
// after #.
func commands(text string) (found []string) {
	blocks, rest := fenced(text)
	var candidates []string
	for _, block := range blocks {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, " #")
			candidates = append(candidates, strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		}
	}
	for _, candidate := range append(candidates, code(rest)...) {
		candidate = strings.TrimSpace(candidate)
		for _, program := range []string{"make ", "curl ", "strata ", "bin/strata "} {
			if strings.HasPrefix(candidate, program) {
				found = append(found, candidate)
			}
		}
	}
	return found
}

// checkCurl checks that a request is for a path of the API or the administration API, at its default address.
func checkCurl(t testing.TB, file, line string) {
	t.Helper()
	words := strings.Fields(line)
	raw := strings.Trim(words[len(words)-1], "'")
	if !strings.HasPrefix(raw, "http://") {
		raw = "http://" + raw
	}
	target, err := url.Parse(raw)
	if err != nil {
		t.Errorf("%s: %q: %v", file, line, err)
		return
	}
	paths := readapi.New(readapi.Config{}).OpenAPI().Paths
	switch apiAddr, adminAddr := defaultOf(t, "api-addr"), defaultOf(t, "admin-addr"); target.Host {
	case apiAddr:
	case adminAddr: // where reads are too, and profiles, which net/http/pprof serves
		if strings.HasPrefix(target.Path, "/debug/pprof/") {
			return
		}
		maps.Copy(paths, admin.New(admin.Config{Tokens: refresh.Refresher{}, Operations: []func(huma.API){new(subscriptions.Role).Register}}).OpenAPI().Paths)
	default:
		t.Errorf("%s: %q: the API's address is %s by default, and that of administration %s", file, line, apiAddr, adminAddr)
	}
	method := http.MethodGet
	if slices.Contains(words, "POST") {
		method = http.MethodPost
	}
	op := operationAmong(paths, method, target.Path)
	if op == nil {
		t.Errorf("%s: %q: the API has no such path", file, line)
		return
	}
	for name := range target.Query() {
		if !slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == name }) {
			t.Errorf("%s: %q: the path has no parameter %s", file, line, name)
		}
	}
}

// operationAt returns the operation of the API whose path matches; nil if there is none.
func operationAt(method, path string) *huma.Operation {
	return operationAmong(readapi.New(readapi.Config{}).OpenAPI().Paths, method, path)
}

// operationAmong returns the operation whose path matches; nil if there is none.
func operationAmong(paths map[string]*huma.PathItem, method, path string) *huma.Operation {
	path, _, _ = strings.Cut(path, "?")
	for template, item := range paths {
		pattern := regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(regexp.QuoteMeta(template), `[^/]+`)
		op := item.Get
		if method == http.MethodPost {
			op = item.Post
		}
		if op != nil && regexp.MustCompile("^"+pattern+"$").MatchString(path) {
			return op
		}
	}
	return nil
}

// defaultOf returns the default of a flag of serve.
func defaultOf(t testing.TB, name string) string {
	t.Helper()
	parser, _ := model(t)
	for _, leaf := range parser.Model.Leaves(true) {
		for _, flag := range leaf.Flags {
			if leaf.Name == "serve" && flag.Name == name {
				return flag.Default
			}
		}
	}
	t.Fatalf("serve has no flag --%s", name)
	return ""
}

// The addresses and paths in the README are valid for a server with default settings.
func TestReadmeAddresses(t *testing.T) {
	t.Parallel()
	text := readme(t)
	endpoint := regexp.MustCompile(`endpoint\s*=\s*"([^"]+)"`).FindStringSubmatch(text)
	if endpoint == nil || endpoint[1] != defaultOf(t, "observer-addr") {
		t.Errorf("the README has the endpoint %q, the default is %s", endpoint, defaultOf(t, "observer-addr"))
	}
	api := readapi.New(readapi.Config{})
	_, rest := fenced(text)
	paths := 0
	for _, path := range code(rest) {
		if !strings.HasPrefix(path, "/") {
			continue
		}
		paths++
		if operationAt(http.MethodGet, path) != nil {
			continue
		}
		recorder := httptest.NewRecorder()
		api.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		if recorder.Code != http.StatusOK {
			t.Errorf("%s: got %d, want 200", path, recorder.Code)
		}
	}
	if paths == 0 {
		t.Error("the README names no paths")
	}
}
