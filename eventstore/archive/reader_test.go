package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/gzip"

	"strata/eventstore/archive"
	"strata/internal/testkit/must"
)

const (
	pgTime  = "2024-03-13 15:34:10.446375+00"
	isoTime = "2024-03-13T15:34:10.446Z"
)

// line makes one line of an archive from its columns.
func line(columns ...string) string { return strings.Join(columns, "\t") + "\n" }

// readAll reads until io.EOF and collects records and line errors.
func readAll(t testing.TB, r *archive.Reader) (recs []archive.Record, bad []*archive.LineError) {
	t.Helper()
	for range 1 << 20 {
		rec, err := r.Next()
		var lineErr *archive.LineError
		switch {
		case errors.Is(err, io.EOF):
			return recs, bad
		case errors.As(err, &lineErr):
			bad = append(bad, lineErr)
			if errors.Is(err, archive.ErrTruncatedGzip) {
				return recs, bad
			}
		case err != nil:
			t.Fatalf("Next: %v, want a *LineError or io.EOF", err)
		default:
			recs = append(recs, rec.Clone())
		}
	}
	t.Fatal("no end after a million calls")
	return nil, nil
}

func pack(t testing.TB, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(io.WriteString(z, s))(t)
	must.Do(t, z.Close())
	return b.Bytes()
}

func TestReadRecord(t *testing.T) {
	t.Parallel()
	in := line("17", pgTime, "/new_block", `{"a": 1}`) + line("17", "2024-03-13 17:34:10+02", "/new_burn_block", `{}`)
	recs, bad := readAll(t, archive.NewReader(strings.NewReader(in), archive.Options{}))
	if len(bad) != 0 || len(recs) != 2 {
		t.Fatalf("got %d records and %v, want 2 and none", len(recs), bad)
	}
	first := recs[0]
	if first.ID != 17 || first.IDText != "17" || !first.HasID || first.Path != "/new_block" || string(first.Payload) != `{"a": 1}` {
		t.Errorf("got %+v", first)
	}
	if want := time.Date(2024, 3, 13, 15, 34, 10, 446375000, time.UTC); !first.ReceivedAt.Equal(want) || first.TimeText != pgTime {
		t.Errorf("got time %v %q, want %v", first.ReceivedAt, first.TimeText, want)
	}
	if first.Line != 1 || first.Offset != 0 || first.End != recs[1].Offset || recs[1].Line != 2 || recs[1].End != int64(len(in)) {
		t.Errorf("got places %d %d %d, %d %d %d of %d bytes", first.Line, first.Offset, first.End, recs[1].Line, recs[1].Offset, recs[1].End, len(in))
	}
	if recs[1].ID != 17 {
		t.Errorf("a repeated id: got %d, want 17", recs[1].ID)
	}
}

func TestEscapes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"none", `plain`, "plain"},
		{"letters", `a\b\f\n\r\t\v\\z`, "a\b\f\n\r\t\v\\z"},
		{"octal", `\1\12\1018\0`, "\x01\x0aA8\x00"},
		{"octal above a byte", `\777`, "\xff"},
		{"hex", `\x4\x41\x411\xFf`, "\x04AA1\xff"},
		{"hex without digits", `\xg`, "xg"},
		{"any other character", `\"\N.\.\/`, `"N../`},
		{"tab after a backslash is data", "a\\\tb", "a\tb"},
		{"null marker needs the whole column", `\N\N`, "NN"},
		{"escaped null marker", `\\N`, `\N`},
		{"empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := line("1", pgTime, "/p", tt.in)
			r := archive.NewReader(strings.NewReader(in), archive.Options{Dialect: archive.Copy, AnyPayload: true})
			recs, bad := readAll(t, r)
			if len(bad) > 0 || len(recs) != 1 {
				t.Fatalf("got %d records, %v", len(recs), bad)
			}
			if got := string(recs[0].Payload); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNullID(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id string
		d  archive.Dialect
	}{{`\N`, archive.Copy}, {``, archive.Raw}} {
		in := line(tt.id, pgTime, "/p", `{}`)
		recs, bad := readAll(t, archive.NewReader(strings.NewReader(in), archive.Options{Dialect: tt.d}))
		if len(bad) > 0 || len(recs) != 1 || recs[0].HasID {
			t.Errorf("%v: got %+v %v, want a record without id", tt.d, recs, bad)
		}
		if got := write(t, tt.d, recs); got != in {
			t.Errorf("%v: wrote %q, want %q", tt.d, got, in)
		}
	}
}

func TestLineErrors(t *testing.T) {
	t.Parallel()
	good := line("1", pgTime, "/p", `{}`)
	for _, tt := range []struct {
		name    string
		d       archive.Dialect
		bad     string // the second line of three
		message string
		is      error
	}{
		{"too few columns", archive.Auto, "5\tx\n", `x.tsv: line 2 (byte 38): want 4 tab-separated columns, got 2 in "5\tx"`, nil},
		{"empty line", archive.Auto, "\n", `want 4 tab-separated columns, got 1 in ""`, nil},
		{"too many columns", archive.Copy, line("1", pgTime, "/p", "{}", "{}"), "want 4 tab-separated columns, got 5", nil},
		{"id", archive.Auto, line("1.5", pgTime, "/p", "{}"), `want a 64-bit integer as id, got "1.5"`, nil},
		{"id beyond 64 bits", archive.Auto, line("9223372036854775808", pgTime, "/p", "{}"), "want a 64-bit integer", nil},
		{"time", archive.Auto, line("1", "yesterday", "/p", "{}"), `want a timestamp with its offset, such as 2024-03-13 15:34:10.446375+00, got "yesterday"`, nil},
		{"time NULL", archive.Copy, line("1", `\N`, "/p", "{}"), "got NULL", nil},
		{"path", archive.Auto, line("1", pgTime, "new_block", "{}"), `want a path that starts with a slash, got "new_block"`, nil},
		{"payload NULL", archive.Copy, line("1", pgTime, "/p", `\N`), "want a payload, got NULL", nil},
		{"payload not JSON", archive.Raw, line("1", pgTime, "/p", `{"a":}`), "want a JSON payload in the raw dialect, got invalid character '}' looking for beginning of value at byte 6", archive.ErrNotJSON},
		{"payload empty", archive.Raw, line("1", pgTime, "/p", ``), "got an empty one", archive.ErrNotJSON},
		{"copy file read as raw", archive.Raw, line("1", pgTime, "/p", `{"a": "\\"b"}`), "it is a good line in the copy dialect", archive.ErrNotJSON},
		{"raw file read as copy", archive.Copy, line("1", pgTime, "/p", `{"a": "\"b"}`), "it is a good line in the raw dialect", archive.ErrNotJSON},
		{"escape without character", archive.Copy, line("1", pgTime, "/p", `{}\`), "want a character after a backslash, got the end of the column", nil},
		{"bare carriage return", archive.Copy, "1\t" + pgTime + "\t/p\t{}\r\n", "carriage return", nil},
		{"CR LF", archive.Raw, "1\t" + pgTime + "\t/p\t{}\r\n", "want a line that ends in LF alone, got CR LF", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := archive.NewReader(strings.NewReader(good+tt.bad+good), archive.Options{Dialect: tt.d, Name: "x.tsv"})
			recs, bad := readAll(t, r)
			if len(recs) != 2 || len(bad) != 1 {
				t.Fatalf("got %d good and %v bad lines, want 2 and 1", len(recs), bad)
			}
			if bad[0].Line != 2 || bad[0].Offset != int64(len(good)) {
				t.Errorf("got line %d offset %d, want 2 and %d", bad[0].Line, bad[0].Offset, len(good))
			}
			if !strings.Contains(bad[0].Error(), tt.message) {
				t.Errorf("got %q, want it to contain %q", bad[0], tt.message)
			}
			if tt.is != nil && !errors.Is(bad[0], tt.is) {
				t.Errorf("got %v, want %v", bad[0], tt.is)
			}
		})
	}
}

func TestDialectIsDecidedByContent(t *testing.T) {
	t.Parallel()
	neutral := func(at string) string { return line("1", at, "/p", `{"a": 1}`) }
	payload := func(at, p string) string { return line("1", at, "/p", p) }
	const either = `{"a": "x\\ny"}` // a line break (Copy) or a backslash and an n (Raw)
	for _, tt := range []struct {
		name, in string
		want     archive.Dialect
		bad      int
	}{
		{"nothing to decide, postgres time", neutral(pgTime), archive.Copy, 0},
		{"nothing to decide, ISO time", neutral(isoTime), archive.Raw, 0},
		{"empty", "", archive.Auto, 0},
		{"escaped quote, copy", neutral(isoTime) + payload(isoTime, `{"a": "\\""}`), archive.Copy, 0},
		{"escaped quote, raw", neutral(pgTime) + payload(pgTime, `{"a": "\""}`), archive.Raw, 0},
		{"line break, raw", payload(pgTime, `{"a": "\n"}`), archive.Raw, 0},
		{"NUL, raw", payload(pgTime, `{"a": "\u0000"}`), archive.Raw, 0},
		{"NUL, copy", payload(pgTime, `{"a": "\\u0000"}`), archive.Copy, 0},
		{"escapes that only COPY has", payload(isoTime, `{"a": "\x41\101"}`), archive.Copy, 0},
		{"tab in the payload, raw", payload(pgTime, "{\"a\":\t1}"), archive.Raw, 0},
		{"either, postgres time", payload(pgTime, either), archive.Copy, 0},
		{"either, ISO time", payload(isoTime, either), archive.Raw, 0},
		{"either, a later line says raw", payload(pgTime, either) + neutral(pgTime) + payload(pgTime, `{"a": "\""}`), archive.Raw, 0},
		{"either, a later line says copy", payload(isoTime, either) + payload(isoTime, `{"a": "\\""}`), archive.Copy, 0},
		{"either, end marker says copy", payload(isoTime, either) + "\\.\n", archive.Copy, 0},
		{"broken line proves nothing", payload(pgTime, `{"a": "\"`) + payload(pgTime, `{"a": "\""}`), archive.Raw, 1},
		{"contradiction is an error", payload(pgTime, `{"a": "\\""}`) + payload(pgTime, `{"a": "\u0000"}`), archive.Copy, 1},
		{"end marker", neutral(isoTime) + "\\.\n", archive.Copy, 0},
		{"data after the end marker", neutral(pgTime) + "\\.\n" + neutral(pgTime), archive.Copy, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := archive.NewReader(strings.NewReader(tt.in), archive.Options{})
			_, bad := readAll(t, r)
			if len(bad) != tt.bad {
				t.Errorf("got bad lines %v, want %d", bad, tt.bad)
			}
			if got := r.Dialect(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestDialectEvidenceBeyondTheWindow(t *testing.T) {
	t.Parallel()
	in := line("1", isoTime, "/p", `{"a": "x\\ny"}`) +
		line("2", isoTime, "/p", `"`+strings.Repeat("x", archive.Lookahead)+`"`) +
		line("3", isoTime, "/p", `{"a": "\\""}`)
	r := archive.NewReader(strings.NewReader(in), archive.Options{})
	recs, bad := readAll(t, r)
	if len(recs) != 2 || len(bad) != 1 || bad[0].Line != 3 || r.Dialect() != archive.Raw {
		t.Errorf("got %d records, %v, %v; want the guess raw and an error at line 3", len(recs), bad, r.Dialect())
	}
}

func TestTruncation(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 2000 {
		lines.WriteString(line(fmt.Sprint(i), pgTime, "/p", fmt.Sprintf(`{"n": %d, "x": "%x"}`, i, i*i*7919)))
	}
	whole := lines.String()
	packed := string(pack(t, whole))

	for _, tt := range []struct {
		name, in   string
		anyPayload bool
		records    int // -1: some
		err        error
	}{
		{"gzip", packed[:len(packed)/2], false, -1, archive.ErrTruncatedGzip},
		{"gzip trailer", packed[:len(packed)-3], false, 2000, archive.ErrTruncatedGzip},
		{"gzip header", packed[:5], false, 0, archive.ErrTruncatedGzip},
		{"line", whole[:len(whole)-5], false, 1999, archive.ErrTruncatedLine},
		{"line of any payload", whole[:len(whole)-5], true, 1999, archive.ErrTruncatedLine},
		{"only the line feed is missing", whole[:len(whole)-1], false, 2000, nil},
		{"several gzip members", packed + packed, false, 4000, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := archive.NewReader(strings.NewReader(tt.in), archive.Options{AnyPayload: tt.anyPayload})
			recs, bad := readAll(t, r)
			if len(recs) != tt.records && (tt.records >= 0 || len(recs) == 0) || (len(bad) > 0) != (tt.err != nil) {
				t.Errorf("got %d records, %v", len(recs), bad)
			}
			if tt.err == nil {
				return
			}
			if len(bad) != 1 || !errors.Is(bad[0], tt.err) || bad[0].Line != int64(len(recs)+1) {
				t.Errorf("got %v, want %v in the line after %d", bad, tt.err, len(recs))
			}
			if _, err := r.Next(); errors.Is(tt.err, archive.ErrTruncatedGzip) && !errors.Is(err, tt.err) {
				t.Errorf("got %v on the next call, want the same error", err)
			}
		})
	}
}

func TestStreamErrorIsKept(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	in := io.MultiReader(strings.NewReader(line("1", pgTime, "/p", "{}")+"2\t"), iotest.ErrReader(broken))
	r := archive.NewReader(in, archive.Options{})
	if _, err := r.Next(); err != nil {
		t.Fatalf("first line: %v", err)
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	}
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	sizes := []int{10, 64 << 10, archive.Lookahead - 47, archive.Lookahead, 3 << 20, 20 << 20, 100}
	for i, n := range sizes {
		in.WriteString(line(fmt.Sprint(i), pgTime, "/new_block", `{"a": "\\n`+strings.Repeat("x", n)+`\\""}`))
	}
	for _, tt := range []struct {
		name string
		r    io.Reader
	}{{"plain", strings.NewReader(in.String())}, {"gzip", bytes.NewReader(pack(t, in.String()))}} {
		recs, bad := readAll(t, archive.NewReader(tt.r, archive.Options{}))
		if len(bad) != 0 || len(recs) != len(sizes) {
			t.Fatalf("%s: got %d records, %v", tt.name, len(recs), bad)
		}
		for i, rec := range recs {
			if want := sizes[i] + len(`{"a": "\n\""}`); len(rec.Payload) != want {
				t.Errorf("%s: payload %d has %d bytes, want %d", tt.name, i, len(rec.Payload), want)
			}
		}
		if got := write(t, archive.Copy, recs); got != in.String() {
			t.Errorf("%s: written differently", tt.name)
		}
	}
}

func TestMaxLine(t *testing.T) {
	t.Parallel()
	for _, n := range []int{200, 3 << 20} {
		in := line("1", pgTime, "/p", "{}") + line("2", pgTime, "/p", `"`+strings.Repeat("x", n)+`"`) + line("3", pgTime, "/p", "{}")
		recs, bad := readAll(t, archive.NewReader(strings.NewReader(in), archive.Options{MaxLine: 100}))
		if len(recs) != 2 || recs[1].ID != 3 || recs[1].Line != 3 || len(bad) != 1 || !errors.Is(bad[0], archive.ErrLineTooLong) || bad[0].Line != 2 {
			t.Errorf("%d: got %+v %v", n, recs, bad)
		}
	}
}

func TestSlowSource(t *testing.T) {
	t.Parallel()
	in := line("1", pgTime, "/p", `{"a": "x\\ny"}`) + line("2", pgTime, "/p", `{"a": "\""}`)
	r := archive.NewReader(iotest.OneByteReader(strings.NewReader(in)), archive.Options{})
	recs, bad := readAll(t, r)
	if len(recs) != 2 || len(bad) != 0 || r.Dialect() != archive.Raw {
		t.Errorf("got %d records, %v, %v", len(recs), bad, r.Dialect())
	}
}

func BenchmarkReader(b *testing.B) {
	in := []byte(line("1", pgTime, "/new_block", `{"a": "`+strings.Repeat("0123456789abcdef", 500)+`\\""}`))
	in = bytes.Repeat(in, 200)
	for _, any := range []bool{false, true} {
		b.Run(fmt.Sprintf("AnyPayload=%v", any), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				r := archive.NewReader(bytes.NewReader(in), archive.Options{Dialect: archive.Copy, AnyPayload: any})
				for {
					if _, err := r.Next(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
