package archive_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"

	"strata/eventstore/archive"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

func TestRecordings(t *testing.T) {
	t.Parallel()
	dir := vector.Shared(t)
	files, err := filepath.Glob(filepath.Join(dir, "data", "events", "*.tsv.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %v, %v", files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want struct {
				Rows   int            `json:"rows"`
				Counts map[string]int `json:"counts"`
			}
			expected := must.Get(os.ReadFile(filepath.Join(dir, "data", "expected", name[:len(name)-len(".tsv.gz")]+".json")))(t)
			must.Do(t, json.Unmarshal(expected, &want))
			packed := must.Get(os.ReadFile(file))(t)
			r := archive.NewReader(bytes.NewReader(packed), archive.Options{Name: name})
			recs, bad := readAll(t, r)
			if len(bad) > 0 {
				t.Fatal(bad)
			}
			counts := map[string]int{}
			for _, rec := range recs {
				counts[rec.Path]++
			}
			if len(recs) != want.Rows {
				t.Errorf("got %d records, want %d", len(recs), want.Rows)
			}
			for path, n := range want.Counts {
				if counts[path] != n {
					t.Errorf("%s: got %d, want %d", path, counts[path], n)
				}
			}
			if len(counts) != len(want.Counts) {
				t.Errorf("got %v, want %v", counts, want.Counts)
			}
			z := must.Get(gzip.NewReader(bytes.NewReader(packed)))(t)
			plain := must.Get(io.ReadAll(z))(t)
			if write(t, r.Dialect(), recs) != string(plain) {
				t.Error("written differently")
			}
			if write(t, archive.Raw, recs) != string(plain) {
				t.Error("written differently in the raw dialect")
			}
		})
	}
}
