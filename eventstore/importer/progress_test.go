package importer_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"strata/eventstore/importer"
	"strata/internal/pause"
	"strata/internal/testkit/must"
)

func TestLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	l := importer.NewLines(&b, 5*time.Second)
	for i := range int64(61) {
		l.Update(importer.Status{File: "a.tsv.gz", BytesDone: i << 20, BytesTotal: 600 << 20, Events: i * 1000, Known: 50, Elapsed: time.Duration(i) * 200 * time.Millisecond})
	}
	l.Done(importer.Result{Files: []importer.FileResult{
		{Name: "old.tsv", Known: 1234567, Finished: true}, {Name: "a.tsv.gz", Events: 60_000, Finished: true},
	}, Events: 60_000, Bytes: 3 << 30}, nil)
	got := strings.Split(b.String(), "\n")
	want := []string{
		"a.tsv.gz: 25.0 MiB of 600.0 MiB (4.2 %), 25,000 events (after 50 there before), 5,010 events/s, 1m55s left",
		"a.tsv.gz: 50.0 MiB of 600.0 MiB (8.3 %), 50,000 events (after 50 there before), 5,000 events/s, 1m50s left",
		"old.tsv: imported before (1,234,567 events), nothing to do",
		"imported 60,000 events, 3.0 GiB in ",
	}
	if len(got) != len(want)+1 {
		t.Fatalf("got %d lines: %q", len(got), got)
	}
	for i, w := range want {
		if !strings.HasPrefix(got[i], w) {
			t.Errorf("line %d: got %q, want %q", i+1, got[i], w)
		}
	}
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	done := importer.FileResult{Name: "old.tsv", Known: 3, Finished: true}
	for _, tt := range []struct {
		name   string
		result importer.Result
		err    error
		want   string
	}{
		{"nothing to do", importer.Result{Files: []importer.FileResult{done}}, nil, "old.tsv: imported before (3 events), nothing to do\n"},
		{"stopped", importer.Result{Events: 10, Bytes: 100}, errors.New("x"), "stopped after 10 events, 100 B in "},
		{"empty file", importer.Result{Files: []importer.FileResult{{Finished: true}}}, nil, "imported 0 events, 0 B in "},
	} {
		var b strings.Builder
		importer.NewLines(&b, time.Second).Done(tt.result, tt.err)
		if got := b.String(); !strings.HasPrefix(got, tt.want) || !strings.HasSuffix(got, "\n") {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestBar(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testBar)
}

func testBar(t *testing.T) {
	for _, total := range []int64{100 << 20, 0} {
		var b strings.Builder
		bar := importer.NewBar(&b)
		for i := range int64(3) {
			bar.Update(importer.Status{File: "a-file-with-a-rather-long-name.tsv.gz", BytesDone: i * 50 << 20, BytesTotal: total, Events: i * 1000, Elapsed: time.Duration(i) * time.Second})
			pause.For(t.Context(), 110*time.Millisecond) // the bar draws no faster
		}
		bar.Done(importer.Result{Events: 2000}, nil)
		got := b.String()
		if !strings.Contains(got, "…rather-long-name.tsv.gz 2,000 events, 1,000/s") {
			t.Errorf("got %q", got)
		}
		if !strings.Contains(got, "imported 2,000 events") {
			t.Errorf("got %q", got)
		}
	}
}

func TestNewProgressWithoutTerminal(t *testing.T) {
	t.Parallel()
	file := must.Get(os.CreateTemp(t.TempDir(), ""))(t)
	defer func() { _ = file.Close() }()
	if _, ok := importer.NewProgress(file).(*importer.Lines); !ok {
		t.Error("a file is no terminal")
	}
}

// An import reports what it did to its Progress.
func TestProgressOfAnImport(t *testing.T) {
	t.Parallel()
	text := synthetic(500, 30)
	o := files(writeFile(t, "a.tsv", text))
	seen := &progressRecorder{}
	o.Progress = seen
	mustImport(t, openLog(t), o)
	if s := seen.last; s.Events != 500 || s.BytesDone != int64(len(text)) || s.BytesTotal != int64(len(text)) || seen.result.Events != 500 || seen.err != nil {
		t.Errorf("got %+v", seen)
	}
	o = files("/nowhere")
	o.Progress = seen
	mustFail(t, o)
	if seen.err == nil {
		t.Error("Done did not hear of the error")
	}
}

type progressRecorder struct {
	last   importer.Status
	result importer.Result
	err    error
}

func (r *progressRecorder) Update(s importer.Status)               { r.last = s }
func (r *progressRecorder) Done(result importer.Result, err error) { r.result, r.err = result, err }

func mustFail(t testing.TB, o importer.Options) {
	t.Helper()
	if _, err := importer.Import(t.Context(), openLog(t), o); err == nil {
		t.Error("no error")
	}
}
