// Package vector reads the shared conformance vectors (one JSON object per line) for tests.
//
// The vectors are outside the repository, in data/vectors of the directory that STRATA_SHARED names or, by default, of
// ../shared next to the repository root. If the directory is missing, the calling test is skipped: every package also
// has its own vectors.
package vector

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// maxLine is the maximum length of a row. The longest rows are raw transactions in hex.
const maxLine = 16 << 20

// Each runs f as a subtest for every row of a vector file. The subtest's name is the row's id or, without one, its line
// number. Each skips t if the vector directory is missing, and fails it if the file is missing or empty.
func Each(t *testing.T, file string, f func(t *testing.T, row json.RawMessage)) {
	t.Helper()
	for i, row := range Rows(t, file) {
		var head struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(row, &head); err != nil {
			t.Fatalf("%s line %d: %v", file, i+1, err)
		}
		if head.ID == "" {
			head.ID = fmt.Sprintf("line-%d", i+1)
		}
		t.Run(head.ID, func(t *testing.T) { f(t, row) })
	}
}

// Rows returns all rows of a vector file. It skips and fails as Each does; benchmarks may call it too.
func Rows(tb testing.TB, file string) []json.RawMessage {
	tb.Helper()
	f, err := os.Open(filepath.Join(Dir(tb), file))
	if err != nil {
		tb.Fatalf("open vector file: %v", err)
	}
	defer func() { _ = f.Close() }() // only read

	var rows []json.RawMessage
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		if line := lines.Bytes(); len(line) > 0 {
			rows = append(rows, json.RawMessage(append([]byte(nil), line...)))
		}
	}
	if err := lines.Err(); err != nil {
		tb.Fatalf("read %s: %v", file, err)
	}
	if len(rows) == 0 {
		tb.Fatalf("%s has no rows", file)
	}
	return rows
}

// Dir returns the directory of the vector files. It skips tb if the directory is missing.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join(shared(tb), "data", "vectors")
	if _, err := os.Stat(dir); err != nil {
		tb.Skipf("no vectors in %s: set STRATA_SHARED to the directory that holds data/vectors", dir)
	}
	return dir
}

// Decode parses a row into a value of the caller's row type, and fails tb if it does not fit.
func Decode[T any](tb testing.TB, row json.RawMessage) T {
	tb.Helper()
	var v T
	if err := json.Unmarshal(row, &v); err != nil {
		tb.Fatalf("row %.200s: %v", row, err)
	}
	return v
}

// Shared returns the directory with data/vectors, data/events and data/expected. It skips tb if data/events is missing.
func Shared(tb testing.TB) string {
	tb.Helper()
	dir := shared(tb)
	if _, err := os.Stat(filepath.Join(dir, "data", "events")); err != nil {
		tb.Skipf("no recordings in %s: set STRATA_SHARED to the directory that holds data/events", dir)
	}
	return dir
}

// Case returns a small input that once went wrong, by its name in data/cases. It skips tb if the file is missing.
func Case(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(shared(tb), "data", "cases", name))
	if os.IsNotExist(err) {
		tb.Skipf("no %s: set STRATA_SHARED to the directory that holds data/cases", name)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func shared(tb testing.TB) string {
	tb.Helper()
	if dir := os.Getenv("STRATA_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join(filepath.Dir(Repository(tb)), "shared")
}

// Repository returns this repository's folder, for tests of any package. It skips tb if there is none.
func Repository(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatalf("working directory: %v", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			tb.Skip("no go.mod above the working directory")
		}
		dir = up
	}
}
