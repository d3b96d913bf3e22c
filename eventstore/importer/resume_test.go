package importer_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/eventstore/importer"
	"strata/internal/testkit/must"
)

func lines(text string) []string { return strings.SplitAfter(text, "\n") }

func firstLines(text string, n int) string { return strings.Join(lines(text)[:n], "") }

func TestStopsAtABadLine(t *testing.T) {
	t.Parallel()
	text := synthetic(1000, 4)
	whole := openLog(t)
	mustImport(t, whole, files(writeFile(t, "a.tsv", text)))

	for _, tt := range []struct {
		name, bad string
		err       error
	}{
		{"not four columns", "1\tx\n", nil},
		{"not JSON", "1\t2024-03-13 15:34:10+00\t/x\t{\n", archive.ErrNotJSON},
		{"too long", "1\t2024-03-13 15:34:10+00\t/" + strings.Repeat("x", eventstore.RecordMax) + "\t{}\n", eventstore.ErrRecordTooLong},
		{"path that is not UTF-8", "1\t2024-03-13 15:34:10+00\t/x\xff\t{}\n", nil},
		{"truncated", "1\t2024-03-13 15:34:10+00\t/x\t{", archive.ErrTruncatedLine},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			log := openLog(t)
			name := writeFile(t, "a.tsv", firstLines(text, 700)+tt.bad)
			for range 2 { // the second time it finds the same
				_, err := importer.Import(context.Background(), log, files(name).WithBatchEvents(64))
				var line *archive.LineError
				if !errors.As(err, &line) || line.Line != 701 || line.Name != name || tt.err != nil && !errors.Is(err, tt.err) {
					t.Fatalf("got %v, want line 701 of %s", err, name)
				}
				if !strings.Contains(err.Error(), "700 events before it are stored") {
					t.Errorf("got %v", err)
				}
				wantSize(t, log, 700)
			}
			must.Do(t, os.WriteFile(name, []byte(text), 0o600))
			result := mustImport(t, log, files(name))
			if f := result.Files[0]; f.Known != 700 || f.Events != 300 || !f.Finished || f.AlreadyImported() {
				t.Errorf("got %+v", f)
			}
			if got, want := checkpoint(t, log), checkpoint(t, whole); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestTruncatedDownload(t *testing.T) {
	t.Parallel()
	text := synthetic(6000, 5)
	z := packed(t, text)
	name := writeFile(t, "a.tsv.gz", z[:len(z)/2])
	log := openLog(t)
	result, err := importer.Import(context.Background(), log, files(name).WithBatchEvents(30))
	if !errors.Is(err, archive.ErrTruncatedGzip) {
		t.Fatalf("got %v, want ErrTruncatedGzip", err)
	}
	if result.Events == 0 {
		t.Error("nothing was kept")
	}
	must.Do(t, os.WriteFile(name, []byte(z), 0o600))
	mustImport(t, log, files(name))
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), text)
}

func TestGrownFile(t *testing.T) {
	t.Parallel()
	text := synthetic(1000, 6)
	name := writeFile(t, "a.tsv", firstLines(text, 600))
	log := openLog(t)
	mustImport(t, log, files(name))
	if result := mustImport(t, log, files(name)); !result.Files[0].AlreadyImported() {
		t.Errorf("got %+v", result)
	}
	must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	mustImport(t, log, files(name))
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), text)

	// Not when other events came between.
	other := writeFile(t, "b.tsv", synthetic(10, 7))
	mustImport(t, log, files(name, other))
	must.Do(t, os.WriteFile(name, []byte(text+firstLines(synthetic(10, 8), 5)), 0o600))
	if _, err := importer.Import(context.Background(), log, files(name, other)); !errors.Is(err, importer.ErrNotEmpty) || !strings.Contains(err.Error(), "line 1001") {
		t.Errorf("got %v, want ErrNotEmpty", err)
	}
	wantSize(t, log, 1010)
	o := files(name, other)
	o.Append = true
	mustImport(t, log, o)
	wantSize(t, log, 1015)
}

func TestChangedFile(t *testing.T) {
	t.Parallel()
	text := synthetic(1000, 9)
	all := lines(text)
	for _, tt := range []struct {
		name, text string
	}{
		{"another byte", all[0] + strings.Replace(all[1], "new_block", "new_blocj", 1) + strings.Join(all[2:], "")},
		{"a line less", all[0] + strings.Join(all[2:], "")},
		{"a line more", all[0] + all[1] + all[1] + strings.Join(all[2:], "")},
		{"shorter", firstLines(text, 500)},
		{"unreadable", all[0] + "x\n" + strings.Join(all[1:], "")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			log := openLog(t)
			name := writeFile(t, "a.tsv", text)
			mustImport(t, log, files(name))
			must.Do(t, os.WriteFile(name, []byte(tt.text), 0o600))
			_, err := importer.Import(context.Background(), log, files(name))
			if !errors.Is(err, importer.ErrChanged) || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want ErrChanged", err)
			}
			wantSize(t, log, 1000)
		})
	}
}

func TestPreconditions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := writeFile(t, "a.tsv", synthetic(100, 10))
	b := writeFile(t, "b.tsv", synthetic(100, 11))
	half := writeFile(t, "half.tsv", firstLines(synthetic(100, 12), 50)+"bad\n")
	want := func(t *testing.T, log *eventstore.Log, o importer.Options, want error, text string, size int64) {
		t.Helper()
		_, err := importer.Import(ctx, log, o)
		if err == nil || want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %v with %q", err, want, text)
		}
		wantSize(t, log, size)
	}
	log := openLog(t)
	want(t, log, importer.Options{}, nil, "no file", 0)
	want(t, log, files(a, a+"x"), os.ErrNotExist, a+"x", 0)
	want(t, log, files(a, t.TempDir()), nil, "folder", 0)
	want(t, log, files(a, b, a), nil, "same archive", 0)
	want(t, log, files(a, writeFile(t, "c.gz", "\x1f\x8bnot gzip at all")), nil, "c.gz", 0)
	mustImport(t, log, files(a))
	want(t, log, files(b), importer.ErrNotEmpty, "--append", 100)
	want(t, log, files(b, a), importer.ErrNotEmpty, "not complete", 100)
	mustImport(t, log, files(a, b))
	wantSize(t, log, 200)
	mustImport(t, log, files(a, b))
	want(t, log, files(b, a), importer.ErrNotEmpty, "in the order", 200)
	want(t, log, files(a), importer.ErrNotEmpty, "200 events, of which 100", 200)
	wrong := files(a, b)
	wrong.Dialect = archive.Raw
	want(t, log, wrong, importer.ErrDialect, "copy, not raw", 200)

	live := openLog(t)
	must.Get(live.Append(ctx, eventstore.Incoming{Path: "/x", Source: "observer:x", Body: eventstore.NewBody([]byte("x"))}))(t)
	want(t, live, files(a), importer.ErrNotEmpty, "1 events, of which 0", 1)
	o := files(a, b)
	o.Append = true
	mustImport(t, live, o)
	wantSize(t, live, 201)

	stopped := openLog(t)
	want(t, stopped, files(half, a), nil, "line 51", 50)
	want(t, stopped, files(a, half), importer.ErrNotEmpty, "not complete", 50)
	want(t, stopped, files(half, a), nil, "line 51", 50)
}

func TestDiskSpace(t *testing.T) {
	t.Parallel()
	text := synthetic(4000, 13)
	plain, z := writeFile(t, "a.tsv", text), writeFile(t, "b.tsv.gz", packed(t, text))
	log := openLog(t)
	o := files(plain, z).WithFreeSpace(1000)
	o.DataDir = t.TempDir()
	_, err := importer.Import(context.Background(), log, o)
	if !errors.Is(err, importer.ErrNoSpace) || !strings.Contains(err.Error(), "1000 B left") || !strings.Contains(err.Error(), o.DataDir) {
		t.Errorf("got %v, want ErrNoSpace with the figures", err)
	}
	wantSize(t, log, 0)
	real := files(plain, z)
	real.DataDir = o.DataDir
	mustImport(t, log, real)
	mustImport(t, log, o) // nothing to do needs no room
}

func TestConcurrentImports(t *testing.T) {
	t.Parallel()
	text := synthetic(3000, 14)
	name := writeFile(t, "a.tsv", text)
	url := migrated.Fresh(t)
	results := make(chan error, 3)
	for range cap(results) {
		log := logAt(t, url)
		go func() {
			_, err := importer.Import(context.Background(), log, files(name).WithBatchEvents(50))
			results <- err
		}()
	}
	for range cap(results) {
		if err := <-results; err != nil && !errors.Is(err, importer.ErrConcurrent) && !errors.Is(err, importer.ErrNotEmpty) {
			t.Errorf("got %v, want ErrConcurrent", err)
		}
	}
	log := logAt(t, url)
	mustImport(t, log, files(name))
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), text)
}

// appendOnce appends a live event between two batches.
type appendOnce struct {
	t    testing.TB
	log  *eventstore.Log
	done bool
}

func (a *appendOnce) Update(s importer.Status) {
	if !a.done && s.Events > 0 {
		a.done = true
		if _, err := a.log.Append(context.Background(), eventstore.Incoming{Path: "/x", Source: "observer:x", Body: eventstore.NewBody([]byte("x"))}); err != nil {
			a.t.Error(err)
		}
	}
}

func (a *appendOnce) Done(importer.Result, error) {}

func TestLiveEventsDuringAnImport(t *testing.T) {
	t.Parallel()
	text := synthetic(15_000, 15)
	name := writeFile(t, "a.tsv", text)
	log := openLog(t)
	o := files(name).WithBatchEvents(5)
	o.Progress = &appendOnce{t: t, log: log}
	_, err := importer.Import(context.Background(), log, o)
	if !errors.Is(err, importer.ErrConcurrent) || errors.Is(err, eventstore.ErrUnavailable) {
		t.Fatalf("got %v, want ErrConcurrent", err)
	}
	_, err = importer.Import(context.Background(), log, files(name))
	if !errors.Is(err, importer.ErrNotEmpty) {
		t.Fatalf("got %v, want ErrNotEmpty", err)
	}
	rest := files(name)
	rest.Append = true
	mustImport(t, log, rest)
	wantSize(t, log, 15_001)
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "1", copyFixture, synthetic(5000, 16), packed(t, synthetic(5000, 16))} {
		ctx, cancel := context.WithCancel(context.Background())
		log := openLog(t)
		o := files(importer.Stdin)
		o.Stdin = stalled{strings.NewReader(text), cancel, t.Context().Done()}
		if _, err := importer.Import(ctx, log, o); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	}
}

// stalled gives what text has, and then nothing until the end. It reports that more is waited for.
type stalled struct {
	text   io.Reader
	report func()
	end    <-chan struct{}
}

func (s stalled) Read(b []byte) (int, error) {
	if n, err := s.text.Read(b); err == nil {
		return n, nil
	}
	s.report()
	<-s.end
	return 0, io.EOF
}
