package archive_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strata/eventstore/archive"
	"strata/internal/testkit/must"
)

func write(t testing.TB, d archive.Dialect, recs []archive.Record) string {
	t.Helper()
	var b bytes.Buffer
	w := archive.NewWriter(&b, d)
	for _, rec := range recs {
		must.Do(t, w.Write(rec))
	}
	must.Do(t, w.Flush())
	return b.String()
}

func TestWriteCopyText(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 3, 13, 15, 34, 10, 446370999, time.UTC)
	for _, tt := range []struct {
		name string
		rec  archive.Record
		want string
	}{
		{"time and id made", archive.Record{ID: -5, HasID: true, ReceivedAt: at, Path: "/p", Payload: []byte("{}")}, "-5\t2024-03-13 15:34:10.44637+00\t/p\t{}\n"},
		{"no id", archive.Record{ReceivedAt: at.Truncate(time.Second), Path: "/p", Payload: []byte("{}")}, "\\N\t2024-03-13 15:34:10+00\t/p\t{}\n"},
		{"other zone", archive.Record{ReceivedAt: at.In(time.FixedZone("", 3600)), Path: "/p"}, "\\N\t2024-03-13 15:34:10.44637+00\t/p\t\n"},
		{"text kept", archive.Record{ID: 7, IDText: "007", HasID: true, ReceivedAt: at.Truncate(time.Hour), TimeText: "2024-03-13 16:00:00.000+01", Path: "/p"}, "007\t2024-03-13 16:00:00.000+01\t/p\t\n"},
		{"text that no longer fits", archive.Record{ID: 8, IDText: "007", HasID: true, ReceivedAt: at, TimeText: pgTime, Path: "/p"}, "8\t2024-03-13 15:34:10.44637+00\t/p\t\n"},
		{"as Postgres escapes", archive.Record{ReceivedAt: at, Path: "/a\tb", Payload: []byte("\b\f\n\r\t\v\\ \x01\x1f\x7f é \u2028")}, "\\N\t2024-03-13 15:34:10.44637+00\t/a\\tb\t\\b\\f\\n\\r\\t\\v\\\\ \x01\x1f\x7f é \u2028\n"},
		{"beyond Postgres text", archive.Record{ReceivedAt: at, Path: "/p", Payload: []byte("\x00a\xff\xc3é\xed\xa0\x80")}, "\\N\t2024-03-13 15:34:10.44637+00\t/p\t\\x00a\\xff\\xc3é\\xed\\xa0\\x80\n"},
		{"looks like a marker", archive.Record{ReceivedAt: at, Path: "/p", Payload: []byte(`\N`)}, "\\N\t2024-03-13 15:34:10.44637+00\t/p\t\\\\N\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := write(t, archive.Copy, []archive.Record{tt.rec}); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestWriteRaw(t *testing.T) {
	t.Parallel()
	rec := archive.Record{ID: 1, HasID: true, ReceivedAt: time.Date(2024, 3, 13, 15, 34, 10, 0, time.UTC), Path: "/p", Payload: []byte("{\"a\":\t\"\\n\"}")}
	if got, want := write(t, archive.Raw, []archive.Record{rec}), "1\t2024-03-13T15:34:10.000000Z\t/p\t{\"a\":\t\"\\n\"}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, tt := range []struct{ name, path, payload string }{
		{"line feed", "/p", "{\n}"},
		{"carriage return at the end", "/p", "{}\r"},
		{"tab in the path", "/a\tb", "{}"},
	} {
		var b bytes.Buffer
		w := archive.NewWriter(&b, archive.Raw)
		bad := rec
		bad.Path, bad.Payload = tt.path, []byte(tt.payload)
		if err := w.Write(bad); !errors.Is(err, archive.ErrNotRaw) {
			t.Errorf("%s: got %v, want ErrNotRaw", tt.name, err)
		}
		if err := w.Flush(); err != nil || b.Len() != 0 {
			t.Errorf("%s: %d bytes were written, %v", tt.name, b.Len(), err)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	w := archive.NewWriter(&bytes.Buffer{}, archive.Auto)
	if err := w.Write(archive.Record{ReceivedAt: time.Unix(0, 0), Path: "p"}); err == nil {
		t.Error("a path without slash was written")
	}
	if err := w.Write(archive.Record{ReceivedAt: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), Path: "/p"}); err == nil {
		t.Error("the year 10000 was written")
	}
}

// A file made by the reference export, and one by an observer that writes bodies as they came, both come back as they
// were without being told the dialect.
func TestFilesComeBackIdentical(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		dialect  archive.Dialect
	}{
		{"copy", line("1", "2022-10-05 16:20:34.2+00", "/new_block", `{"events": [], "vm_error": "line\\nbreak \\"quoted\\" \\\\ \\u0001"}`) +
			line("3", "2022-10-05 18:20:34+02", "/drop_mempool_tx", `{}`) +
			line("3", "2022-10-05 21:50:34.000001+05:30", "/new_mempool_tx", `["0x00"]`), archive.Copy},
		{"raw", line("1", "2025-01-01T00:00:00.000Z", "/new_block", `{"vm_error":"line\nbreak \"quoted\" \\ \u0000"}`) +
			line("", "2025-01-01T00:00:00Z", "/attachments/new", `[]`), archive.Raw},
		{"raw with postgres timestamps", line("1", pgTime, "/new_block", `{"vm_error":"\"quoted\""}`), archive.Raw},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := archive.NewReader(strings.NewReader(tt.in), archive.Options{})
			recs, bad := readAll(t, r)
			if len(bad) != 0 {
				t.Fatal(bad)
			}
			if r.Dialect() != tt.dialect {
				t.Errorf("got %v, want %v", r.Dialect(), tt.dialect)
			}
			if got := write(t, r.Dialect(), recs); got != tt.in {
				t.Errorf("got  %q\nwant %q", got, tt.in)
			}
			for _, rec := range recs {
				if !json.Valid(rec.Payload) {
					t.Errorf("payload %q is not JSON", rec.Payload)
				}
			}
		})
	}
}

func drawRecord(t *rapid.T, payload *rapid.Generator[[]byte]) archive.Record {
	return archive.Record{
		ID:         rapid.Int64().Draw(t, "id"),
		HasID:      true,
		ReceivedAt: time.UnixMicro(rapid.Int64Range(-60_000_000_000_000_000, 250_000_000_000_000_000).Draw(t, "time")).UTC(),
		Path:       "/" + rapid.StringMatching(`[a-z_/]{0,20}`).Draw(t, "path"),
		Payload:    payload.Draw(t, "payload"),
	}
}

func sameRecords(t testing.TB, got, want []archive.Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d records, want %d", len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		if g.ID != w.ID || g.HasID != w.HasID || !g.ReceivedAt.Equal(w.ReceivedAt) || g.Path != w.Path || !bytes.Equal(g.Payload, w.Payload) {
			t.Fatalf("record %d: got %+v, want %+v", i, g, w)
		}
	}
}

func TestCopyCarriesAnyBytes(t *testing.T) {
	t.Parallel()
	payload := rapid.OneOf(
		rapid.SliceOf(rapid.Byte()),
		rapid.SliceOf(rapid.SampledFrom([]byte("\\\\N.x0123ntab\t\n\r\x00\xff\xc3\xa9"))),
	)
	rapid.Check(t, func(rt *rapid.T) {
		var recs []archive.Record
		for range rapid.IntRange(0, 8).Draw(rt, "records") {
			rec := drawRecord(rt, payload)
			rec.Path += string(payload.Draw(rt, "rest of path"))
			recs = append(recs, rec)
		}
		file := write(t, archive.Copy, recs)
		got, bad := readAll(t, archive.NewReader(strings.NewReader(file), archive.Options{Dialect: archive.Copy, AnyPayload: true}))
		if len(bad) > 0 {
			rt.Fatalf("%v in %q", bad, file)
		}
		sameRecords(t, got, recs)
		if again := write(t, archive.Copy, got); again != file {
			rt.Fatalf("got %q, want %q", again, file)
		}
	})
}

// Whatever the text in them, JSON payloads are read back exactly from files of either dialect that say nothing about
// it, because each is written with its own kind of timestamp and lines that prove the opposite don't occur.
func TestAutoReadsBothDialects(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab\\\"\n\t\u0000é\u2028nux")))
	payload := rapid.Map(text, func(s string) []byte {
		b, err := json.Marshal(map[string]string{"a": s})
		if err != nil {
			panic(err)
		}
		return b
	})
	rapid.Check(t, func(rt *rapid.T) {
		var recs []archive.Record
		for range rapid.IntRange(0, 8).Draw(rt, "records") {
			recs = append(recs, drawRecord(rt, payload))
		}
		for _, d := range []archive.Dialect{archive.Copy, archive.Raw} {
			file := write(t, d, recs)
			r := archive.NewReader(strings.NewReader(file), archive.Options{})
			got, bad := readAll(t, r)
			if len(bad) > 0 {
				rt.Fatalf("%v: %v in %q", d, bad, file)
			}
			sameRecords(t, got, recs)
			if len(recs) > 0 && r.Dialect() != d {
				rt.Fatalf("got %v, want %v for %q", r.Dialect(), d, file)
			}
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(line("1", pgTime, "/new_block", `{"a": "\\n\\\""}`)+"\\.\n"), 0, true)
	f.Add([]byte(line("1", isoTime, "/new_block", `{"a": "\n\u0000"}`)), 0, false)
	f.Add([]byte(line("\\N", pgTime, "/p\\t", `\x00\377\N`)), 1, true)
	f.Add(pack(f, line("1", pgTime, "/p", "{}")), 2, false)
	f.Add([]byte("\x1f\x8b\x08"), 0, true)
	f.Fuzz(func(t *testing.T, in []byte, dialect int, any bool) {
		d := archive.Dialect(uint(dialect) % 3)
		r := archive.NewReader(bytes.NewReader(in), archive.Options{Dialect: d, AnyPayload: any, MaxLine: 1 << 20})
		var recs []archive.Record
		end := int64(0)
		for {
			rec, err := r.Next()
			if err != nil {
				var lineErr *archive.LineError
				if !errors.As(err, &lineErr) {
					break // io.EOF
				}
				_, again := r.Next()
				if errors.Is(again, err) {
					break // a stream that failed
				}
				if again != nil && !errors.As(again, &lineErr) {
					break
				}
				continue // the record just skipped is not part of the property
			}
			if rec.Offset < end || rec.End <= rec.Offset {
				t.Fatalf("record at %d to %d after %d", rec.Offset, rec.End, end)
			}
			end = rec.End
			recs = append(recs, rec.Clone())
		}
		file := write(t, archive.Copy, recs)
		got, bad := readAll(t, archive.NewReader(strings.NewReader(file), archive.Options{Dialect: archive.Copy, AnyPayload: any}))
		if len(bad) > 0 {
			t.Fatalf("%v in %q", bad, file)
		}
		sameRecords(t, got, recs)
	})
}
