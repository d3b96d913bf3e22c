package importer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/eventstore/importer"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/migrations"
)

func TestStdin(t *testing.T) {
	t.Parallel()
	text := synthetic(2000, 20)
	log := openLog(t)
	for i, stdin := range []string{packed(t, firstLines(text, 1500)), text, text} {
		o := files(importer.Stdin)
		o.Stdin = strings.NewReader(stdin)
		result := mustImport(t, log, o)
		if want := [][2]int64{{0, 1500}, {1500, 500}, {2000, 0}}[i]; result.Files[0].Known != want[0] || result.Files[0].Events != want[1] {
			t.Errorf("run %d: got %+v, want %v", i+1, result, want)
		}
	}
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), text)
	if e := readAll(t, log)[0]; e.Source != "archive:stdin" {
		t.Errorf("got source %s", e.Source)
	}
}

// Something that can be read only once, such as <(zcat …) of a shell.
func TestPipe(t *testing.T) {
	t.Parallel()
	text := synthetic(3000, 21)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	name := fmt.Sprintf("/dev/fd/%d", reader.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip("no /dev/fd")
	}
	go func() {
		_, _ = writer.WriteString(text)
		_ = writer.Close()
	}()
	log := openLog(t)
	mustImport(t, log, files(name))
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), text)
}

func TestSeveralFiles(t *testing.T) {
	t.Parallel()
	parts := []string{synthetic(500, 22), "", synthetic(700, 23), "77\t2024-03-13 15:34:10+00\t/x\t\"\\\\n\"\n"}
	var names []string
	for i, part := range parts {
		names = append(names, writeFile(t, fmt.Sprintf("part-%d.tsv", i), part))
	}
	log := openLog(t)
	result := mustImport(t, log, files(names...))
	if result.Events != 1201 || len(result.Files) != 4 {
		t.Errorf("got %+v", result)
	}
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), strings.Join(parts, ""))
	if result := mustImport(t, log, files(names...)); result.Events != 0 {
		t.Errorf("once more: got %+v", result)
	}
}

func TestNotJSON(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	name := writeFile(t, "a.tsv", anyFixture)
	_, err := importer.Import(context.Background(), log, files(name))
	if !errors.Is(err, archive.ErrNotJSON) || !strings.Contains(err.Error(), "--any-payload") {
		t.Fatalf("got %v, want ErrNotJSON", err)
	}
	o := files(name)
	o.AnyPayload = true
	mustImport(t, log, o)
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), anyFixture)
}

// A line longer than a batch is not copied along the way, and the import can be resumed behind it.
func TestLongLines(t *testing.T) {
	t.Parallel()
	long := func(n int, letter string) string {
		return "5\t2024-03-13 15:34:10+00\t/new_block\t{\"a\": \"" + strings.Repeat(letter, n) + "\\\\n\"}\n"
	}
	text := synthetic(100, 24) + long(10<<20, "x") + long(5<<20, "y") + synthetic(100, 25) + long(12<<20, "z")
	name := writeFile(t, "a.tsv", text+"bad\n")
	log := openLog(t)
	if _, err := importer.Import(context.Background(), log, files(name)); err == nil {
		t.Fatal("the bad line was read")
	}
	wantSize(t, log, 203)
	must.Do(t, os.WriteFile(name, []byte(text+synthetic(10, 26)), 0o600))
	mustImport(t, log, files(name))
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), text+synthetic(10, 26))
}

func TestDatabaseGoneDuringAnImport(t *testing.T) {
	short.Skip(t, "starts a server of its own")
	t.Parallel()
	server := pgtest.Dedicated(t)
	must.Do(t, migrations.Up(context.Background(), server.URL()))
	text := synthetic(15_000, 27)
	name := writeFile(t, "a.tsv", text)
	log := logAt(t, server.URL())
	began, ended := make(chan struct{}), make(chan error)
	o := files(name).WithBatchEvents(5)
	o.Progress = beginning{began: began}
	go func() {
		_, err := importer.Import(context.Background(), log, o)
		ended <- err
	}()
	<-began
	server.Kill(t)
	if err := <-ended; !errors.Is(err, eventstore.ErrUnavailable) || !strings.Contains(err.Error(), "run the import again") {
		t.Fatalf("got %v, want ErrUnavailable", err)
	}
	server.Start(t)
	eventually.Holds(t, "the database is back", func() bool {
		_, err := log.Size(context.Background())
		return err == nil
	})
	mustImport(t, log, files(name))
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), text)
}

// beginning closes its channel when something has been appended.
type beginning struct{ began chan struct{} }

func (b beginning) Update(s importer.Status) {
	if s.Events > 0 {
		select {
		case <-b.began:
		default:
			close(b.began)
		}
	}
}

func (b beginning) Done(importer.Result, error) {}

// Memory does not grow with the file. Not beside other tests, whose memory would count.
func TestMemory(t *testing.T) {
	short.Skip(t, "imports 97 MB")
	const limit = 64 << 20
	text := packed(t, syntheticWide(40_000, 28, 6))
	name := writeFile(t, "a.tsv.gz", text)
	log := openLog(t)
	o := files(name)
	peak := &heapPeak{}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	o.Progress = peak
	result := mustImport(t, log, o)
	grown := peak.most - min(peak.most, before.HeapAlloc)
	t.Logf("%d events, %.0f MB of bodies in %v; the heap grew by %.1f MB", result.Events, float64(result.Bytes)/1e6, peak.elapsed.Round(time.Millisecond), float64(grown)/1e6)
	if grown > limit {
		t.Errorf("the heap grew by %d bytes, limit %d", grown, limit)
	}
}

type heapPeak struct {
	most    uint64
	elapsed time.Duration
}

func (h *heapPeak) Update(s importer.Status) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	h.most = max(h.most, now.HeapAlloc)
	h.elapsed = s.Elapsed
}

func (h *heapPeak) Done(importer.Result, error) {}
