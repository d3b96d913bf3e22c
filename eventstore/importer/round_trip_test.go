package importer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/eventstore/importer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// roundTrip imports text, exports it, and imports that again: the texts and the two logs must be equal.
func roundTrip(t *testing.T, name, text string, o importer.Options) {
	t.Helper()
	first := openLog(t)
	o.Files = []string{writeFile(t, name, text)}
	mustImport(t, first, o)
	exported := mustExport(t, first, importer.ExportOptions{})
	wantText(t, "export", exported, text)

	second := openLog(t)
	o.Files = []string{writeFile(t, name, exported)}
	mustImport(t, second, o)
	if got, want := checkpoint(t, second), checkpoint(t, first); got != want {
		t.Errorf("second import: got %s, want %s", got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		options    importer.Options
	}{
		{"copy", copyFixture, importer.Options{}},
		{"raw", rawFixture, importer.Options{}},
		{"any payload", anyFixture, importer.Options{AnyPayload: true}},
		{"raw with the other timestamps", strings.ReplaceAll(strings.ReplaceAll(rawFixture, "T00", " 00"), "Z\t", "+00\t"), importer.Options{}},
		{"nothing that tells", "1\t2025-01-01T00:00:00Z\t/x\t{}\n", importer.Options{}},
		{"pages", synthetic(5_000, 3), importer.Options{}},
		{"empty", "", importer.Options{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			roundTrip(t, "events.tsv", tt.text, tt.options)
		})
	}
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	dir := vector.Shared(t)
	names, err := filepath.Glob(filepath.Join(dir, "data", "events", "*.tsv.gz"))
	if err != nil || len(names) == 0 {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			file := must.Get(os.Open(name))(t)
			defer func() { _ = file.Close() }()
			z := must.Get(gzip.NewReader(file))(t)
			text := must.Get(io.ReadAll(z))(t)
			log := openLog(t)
			mustImport(t, log, files(name))
			wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), string(text))
			roundTrip(t, "plain.tsv", string(text), importer.Options{})
		})
	}
}

func TestImportedEvents(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	mustImport(t, log, files(writeFile(t, "fixture.tsv", copyFixture)))
	events := readAll(t, log)
	if len(events) != 7 {
		t.Fatalf("got %d events, want 7: lines with an id that was there are events too", len(events))
	}
	e := events[3]
	if e.Source != "archive:fixture.tsv" || e.ContentType != "application/json" || e.Path != "/drop_mempool_tx" ||
		e.Origin != "007\t2022-10-05 18:20:34+02" || string(e.Body) != "{\"a\":\t[1,\n2]}" ||
		!e.ReceivedAt.Equal(time.Date(2022, 10, 5, 16, 20, 34, 0, time.UTC)) {
		t.Errorf("got %+v", e)
	}
	if e := events[4]; e.Origin != "\t2022-10-05 21:50:34.000001+05:30" || e.Path != "/new_mempool_tx/" {
		t.Errorf("got %+v", e)
	}
	if e := events[1]; string(e.Body) != `{"vm_error": "line\nbreak \"quoted\" back\\slash \u0001", "events": []}` {
		t.Errorf("got %s", e.Body)
	}
	if events[2].BodySeq != 2 || events[6].BodySeq != 2 {
		t.Errorf("bodies at %d and %d, want both at 2", events[2].BodySeq, events[6].BodySeq)
	}
}

func live(body string, at time.Time) eventstore.Incoming {
	return eventstore.Incoming{ReceivedAt: at, Source: "observer:node", Path: "/new_block", ContentType: "application/json",
		Origin: "5\t2020-01-01 00:00:00+00", Body: eventstore.NewBody([]byte(body))}
}

func TestExportOfOtherEvents(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	at := time.Date(2025, 6, 7, 8, 9, 10, 120000000, time.UTC)
	add := func(body string) {
		t.Helper()
		must.Get(log.Append(context.Background(), live(body, at)))(t)
	}
	add("first\x00")
	mustImport(t, log, importer.Options{Append: true, Files: []string{writeFile(t, "a.tsv",
		"40\t2025-01-01 00:00:00+00\t/x\t{\"a\": \"\\\\n\"}\n\\N\t2025-01-01 00:00:00+00\t/x\t{}\n")}})
	mustImport(t, log, importer.Options{Append: true, Files: []string{writeFile(t, "b.tsv", "7\t2025-01-01T00:00:00Z\t/x\t{\"a\":\"\\n\"}\n")}})
	add("{}")
	add("last")
	const want = "1\t2025-06-07 08:09:10.12+00\t/new_block\tfirst\\x00\n" +
		"40\t2025-01-01 00:00:00+00\t/x\t{\"a\": \"\\\\n\"}\n" +
		"\\N\t2025-01-01 00:00:00+00\t/x\t{}\n" +
		"7\t2025-01-01 00:00:00+00\t/x\t{\"a\":\"\\\\n\"}\n" +
		"41\t2025-06-07 08:09:10.12+00\t/new_block\t{}\n" +
		"42\t2025-06-07 08:09:10.12+00\t/new_block\tlast\n"
	wantText(t, "export", mustExport(t, log, importer.ExportOptions{}), want)

	// In parts it is the same.
	for from := int64(1); from <= 6; from++ {
		parts := mustExport(t, log, importer.ExportOptions{To: from}) + mustExport(t, log, importer.ExportOptions{From: from + 1, To: 100})
		wantText(t, "in two parts", parts, want)
	}
	wantText(t, "the raw dialect", mustExport(t, log, importer.ExportOptions{From: 3, To: 5, Dialect: archive.Raw}),
		"\t2025-01-01T00:00:00.000000Z\t/x\t{}\n7\t2025-01-01T00:00:00Z\t/x\t{\"a\":\"\\n\"}\n41\t2025-06-07T08:09:10.120000Z\t/new_block\t{}\n")

	// The log survives as a whole, apart from the sources.
	again := openLog(t)
	mustImport(t, again, importer.Options{AnyPayload: true, Files: []string{writeFile(t, "all.tsv", want)}})
	wantText(t, "exported again", mustExport(t, again, importer.ExportOptions{}), want)
}

func TestExportErrors(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	log := openLog(t)
	wantText(t, "empty log", mustExport(t, log, importer.ExportOptions{}), "")
	for _, body := range []string{"{}", "a\nb"} {
		must.Get(log.Append(ctx, live(body, time.Now())))(t)
	}
	var b bytes.Buffer
	result, err := importer.Export(ctx, log, &b, importer.ExportOptions{Dialect: archive.Raw})
	if !errors.Is(err, archive.ErrNotRaw) || !strings.Contains(err.Error(), "event 2") {
		t.Errorf("got %v, want ErrNotRaw for event 2", err)
	}
	if result.Events != 1 || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("got %+v and %q", result, b.String())
	}
	broken := errors.New("pipe")
	if _, err := importer.Export(ctx, log, failing{broken}, importer.ExportOptions{}); !errors.Is(err, broken) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
