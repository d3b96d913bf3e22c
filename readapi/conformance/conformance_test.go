package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
	"strata/rig/schemas"
)

// full also asks each request again: with the tag of its answer, without a body, and with a slash at the end.
var full = flag.Bool("full", false, "also check revalidation and HEAD of each request, and slashes at the end")

func TestConformance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.names["p1"], w.names["p2"], w.names["n1"] = apitest.P1, apitest.P2, apitest.N1
	server := httptest.NewServer(w.API)
	t.Cleanup(server.Close)
	golden, seen := map[string]*bytes.Buffer{}, map[string]bool{}
	var operations []string
	cursors := 0
	for _, r := range table() {
		seen[r.operation] = true
		got := w.ask(server.URL, r)
		if r.varying == streaming {
			eventually.Holds(t, "streams are served", func() bool {
				if got.status == http.StatusServiceUnavailable {
					got = w.ask(server.URL, r)
				}
				return got.status != http.StatusServiceUnavailable
			})
		}
		name := r.operation + ": " + r.method + " " + got.target
		if got.status != r.status {
			t.Errorf("%s: got %d %.600s, want %d", name, got.status, got.body, r.status)
			continue
		}
		for _, fact := range r.facts {
			if problem := check(got.body, w.fill(fact, false)); problem != "" {
				t.Errorf("%s: %s in %.1500s", name, problem, got.body)
			}
		}
		for _, cursor := range cursorsIn(got.body) {
			if len(cursor) > apitest.CursorMax {
				t.Errorf("%s: a cursor has %d bytes: %.300s", name, len(cursor), cursor)
			}
			cursors++
		}
		w.checkTrace(server.URL, r, got)
		w.checkShape(r, got)
		if *full && r.varying == "" {
			w.again(server.URL, r, got)
		}
		if r.varying != "" {
			continue
		}
		if golden[r.operation] == nil {
			golden[r.operation] = &bytes.Buffer{}
			operations = append(operations, r.operation)
		}
		_, _ = fmt.Fprintf(golden[r.operation], "%s %s\n%d %s\n%s\n\n", r.method, got.target, got.status, got.header.Get("Content-Type"), readable(got.body))
	}
	if cursors < 50 {
		t.Errorf("got %d cursors in the answers of all lists", cursors)
	}
	for _, operation := range operations {
		compare(t, operation, golden[operation].Bytes())
	}
	if stale := staleFiles(t, golden); len(stale) > 0 {
		t.Errorf("no operation has the golden answers %v: remove them", stale)
	}
	w.checkDescription()
	for _, operation := range described(t, w) {
		if !seen[operation] {
			t.Errorf("operation %s has no row in the table", operation)
		}
	}
}

// cursorsIn returns the cursors of a page.
func cursorsIn(body []byte) (cursors []string) {
	var page map[string]any
	if json.Unmarshal(body, &page) != nil {
		return nil
	}
	places := []any{page["cursor"], page["next_cursor"], page["prev_cursor"]}
	if object, ok := page["cursor"].(map[string]any); ok {
		places = slices.Collect(maps.Values(object))
	}
	for _, place := range places {
		if text, ok := place.(string); ok {
			cursors = append(cursors, text)
		}
	}
	return cursors
}

// answer is the answer to a row's request.
type answer struct {
	target string
	status int
	header http.Header
	body   []byte
}

// ask makes the request of a row. Of a stream it reads until all facts are there, or some seconds have passed.
func (w *world) ask(base string, r row, header ...string) answer {
	w.T.Helper()
	path, query, asked := strings.Cut(r.target, "?")
	target := w.fill(path, false)
	if asked {
		target += "?" + w.fillQuery(query)
	}
	ctx, cancel := context.WithTimeout(w.T.Context(), time.Minute)
	defer cancel()
	request := must.Get(http.NewRequestWithContext(ctx, r.method, base+target, strings.NewReader(w.fillBody(r.body))))(w.T)
	request.Header.Set("Accept-Encoding", "identity")
	if r.body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := apitest.Plain.Transport.RoundTrip(request) // does not follow redirects
	if err != nil {
		w.T.Fatalf("%s: %v", target, err)
	}
	defer func() { _ = response.Body.Close() }()
	got := answer{target: target, status: response.StatusCode, header: response.Header}
	if r.varying != streaming {
		if got.body, err = io.ReadAll(response.Body); err != nil {
			w.T.Fatalf("%s: %v", target, err)
		}
		return got
	}
	piece := make([]byte, 1<<16)
	for {
		n, err := response.Body.Read(piece)
		got.body = append(got.body, piece[:n]...)
		missing := false
		for _, fact := range r.facts {
			missing = missing || check(got.body, w.fill(fact, false)) != ""
		}
		if err != nil || !missing {
			return got
		}
	}
}

// fillQuery puts names in the place of {name} in a query; {} is an empty JSON object.
func (w *world) fillQuery(query string) string {
	return strings.ReplaceAll(w.fill(strings.ReplaceAll(query, "{}", "\x00"), true), "\x00", "%7B%7D")
}

// fillBody puts names in the place of {name} in a JSON body, which is an object or has no brace at all.
func (w *world) fillBody(body string) string {
	for name, value := range w.names {
		body = strings.ReplaceAll(body, `"{`+name+`}"`, strconv.Quote(value))
	}
	return body
}

// again makes the request of a row in other ways, and checks the answers against the first.
func (w *world) again(base string, r row, first answer) {
	w.T.Helper()
	if r.method != http.MethodGet {
		return
	}
	name := r.operation + ": " + first.target
	if tag := first.header.Get("ETag"); tag != "" {
		if got := w.ask(base, r, "If-None-Match", tag); got.status != http.StatusNotModified || len(got.body) != 0 || got.header.Get("ETag") != tag {
			w.T.Errorf("%s: got %d with tag %s for its own tag %s", name, got.status, got.header.Get("ETag"), tag)
		}
	}
	head := r
	head.method = http.MethodHead
	if got := w.ask(base, head); got.status != first.status || len(got.body) != 0 || got.header.Get("Content-Type") != first.header.Get("Content-Type") {
		w.T.Errorf("%s: got %d %s for HEAD", name, got.status, got.header.Get("Content-Type"))
	}
	if !strings.HasPrefix(r.target, "/extended/") {
		return // a slash at the end counts in some of the other families
	}
	slashed := r
	path, query, asked := strings.Cut(r.target, "?")
	if slashed.target = path + "/"; asked {
		slashed.target += "?" + query
	}
	if got := w.ask(base, slashed); got.status != first.status || !bytes.Equal(got.body, first.body) {
		w.T.Errorf("%s: got %d %.300s with a slash at the end", name, got.status, got.body)
	}
}

// check returns what is wrong with a fact about a body; empty if it holds.
func check(body []byte, fact string) string {
	if part, ok := strings.CutPrefix(fact, "~ "); ok {
		if !bytes.Contains(body, []byte(part)) {
			return fmt.Sprintf("no %q", part)
		}
		return ""
	}
	path, want, operator := fact, "", ""
	for _, o := range []string{" = ", " # ", " > "} {
		if before, after, ok := strings.Cut(fact, o); ok {
			path, want, operator = before, after, o
			break
		}
	}
	absent := strings.HasPrefix(path, "!")
	value, err := member(body, strings.TrimPrefix(path, "!"))
	switch {
	case absent && (err != nil || value == nil):
		return ""
	case absent:
		return fmt.Sprintf("%s is %v, want none", path[1:], value)
	case err != nil:
		return err.Error()
	case value == nil:
		return path + " is null"
	case operator == " = " && fmt.Sprint(value) != want:
		return fmt.Sprintf("%s is %v, want %s", path, value, want)
	case operator == " # ":
		if list, ok := value.([]any); !ok || strconv.Itoa(len(list)) != want {
			return fmt.Sprintf("%s has %d entries, want %s", path, len(list), want)
		}
	case operator == " > ":
		n, ok := new(big.Rat).SetString(fmt.Sprint(value))
		bound, _ := new(big.Rat).SetString(want)
		if !ok || n.Cmp(bound) <= 0 {
			return fmt.Sprintf("%s is %v, want more than %s", path, value, want)
		}
	}
	return ""
}

// member returns the value at a path of a JSON body, whose names and indexes are separated by slashes.
func member(body []byte, path string) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	for name := range strings.SplitSeq(path, "/") {
		switch parent := value.(type) {
		case map[string]any:
			child, ok := parent[name]
			if !ok {
				return nil, fmt.Errorf("no %s of %s", name, path)
			}
			value = child
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(parent) {
				return nil, fmt.Errorf("no %s of %s", name, path)
			}
			value = parent[i]
		default:
			return nil, fmt.Errorf("no %s of %s", name, path)
		}
	}
	return value, nil
}

// readable returns a JSON body with one member a line, and any other body as it is.
func readable(body []byte) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", " "); err != nil {
		return body
	}
	return out.Bytes()
}

// goldenFile returns the path of the golden answers of an operation.
func goldenFile(operation string) string { return filepath.Join("testdata", operation+".txt") }

// compare compares the answers of an operation with the golden ones, or writes these anew. The golden ones name no versions of
// read tables.
func compare(t *testing.T, operation string, got []byte) {
	t.Helper()
	got = []byte(withoutVersions(string(got)))
	file := goldenFile(operation)
	if apitest.Update() {
		must.Do(t, os.MkdirAll("testdata", 0o755))
		must.Do(t, os.WriteFile(file, got, 0o644))
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%v (run go test with -update)", err)
		return
	}
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		var now, before string
		if i < len(gotLines) {
			now = gotLines[i]
		}
		if i < len(wantLines) {
			before = wantLines[i]
		}
		if now != before {
			t.Errorf("%s:%d: got %.300s, want %.300s (if it is meant to change, run go test with -update and read the diff)", file, i+1, now, before)
			return
		}
	}
}

// numbered is a projection with the number of its version.
var numbered = regexp.MustCompile(`("name": "([a-z0-9]+)",\n\s*"version": )([0-9]+)`)

// withoutVersions replaces the versions of read tables, which change with their rules.
func withoutVersions(text string) string {
	return numbered.ReplaceAllStringFunc(schemas.Out(text), func(found string) string {
		parts := numbered.FindStringSubmatch(found)
		if placeholder := "{" + parts[2] + "#}"; schemas.In(placeholder) == parts[3] {
			return parts[1] + placeholder
		}
		return found
	})
}

// staleFiles returns the golden files that belong to no row.
func staleFiles(t *testing.T, golden map[string]*bytes.Buffer) (stale []string) {
	t.Helper()
	files := must.Get(filepath.Glob(goldenFile("*")))(t)
	for _, file := range files {
		if operation := strings.TrimSuffix(filepath.Base(file), ".txt"); golden[operation] == nil {
			stale = append(stale, file)
		}
	}
	return stale
}

// described returns the ids of the operations of the API's description.
func described(t *testing.T, w *world) (operations []string) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	must.Do(t, json.Unmarshal([]byte(w.Get("/openapi.json").Body), &document))
	for _, methods := range document.Paths {
		for _, operation := range methods {
			operations = append(operations, operation.OperationID)
		}
	}
	if len(operations) < 100 {
		t.Fatalf("the description has %d operations only", len(operations))
	}
	return operations
}

// checkTrace compares an answer's Strata-Source with its trace: each event that the header names is one that a row of the trace
// comes from.
func (w *world) checkTrace(base string, r row, got answer) {
	w.T.Helper()
	sources := got.header.Get("Strata-Source")
	if r.method != http.MethodGet || sources == "" || r.operation == "get-trace" {
		return
	}
	traced := w.ask(base, row{method: http.MethodGet, target: "/audit/v1/trace?limit=200&path=" + url.QueryEscape(got.target)})
	var body struct {
		Cursor struct{ Next *string }
		Events []struct{ Seq int64 }
	}
	if err := json.Unmarshal(traced.body, &body); err != nil || traced.status != http.StatusOK {
		if !strings.Contains(string(traced.body), "has no rows to trace") {
			w.T.Errorf("trace of %s: got %d %.600s, %v", got.target, traced.status, traced.body, err)
		}
		return
	}
	behind := map[string]bool{"...": true}
	for _, e := range body.Events {
		behind[strconv.FormatInt(e.Seq, 10)] = true
	}
	for seq := range strings.SplitSeq(sources, ",") {
		if !behind[seq] && body.Cursor.Next == nil {
			w.T.Errorf("%s: Strata-Source names event %s, from which no row of its trace comes", got.target, seq)
		}
	}
}
