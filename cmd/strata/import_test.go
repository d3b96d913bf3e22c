package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"strata/eventstore/archive"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// chainArchive returns an archive of the posts of a synthetic chain.
func chainArchive(t testing.TB, dialect archive.Dialect, seed uint64, posts int) string {
	t.Helper()
	config := synthchain.Everything(seed, synthchain.V40)
	config.SigningSample = 1000 // the rest carry invalid signatures, which nothing here checks
	chain := synthchain.New(config)
	var text bytes.Buffer
	w := archive.NewWriter(&text, dialect)
	received := time.Date(2024, 3, 13, 15, 34, 10, 446_000_000, time.UTC)
	for i := range posts {
		post := chain.Next()
		must.Do(t, w.Write(archive.Record{ID: int64(2*i + 7), HasID: true, ReceivedAt: received.Add(time.Duration(i) * time.Second), Path: post.Path, Payload: post.Body}))
	}
	must.Do(t, w.Flush())
	return text.String()
}

func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(io.WriteString(z, text))(t)
	must.Do(t, z.Close())
	return b.String()
}

func unpacked(t testing.TB, path string) string {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer func() { _ = file.Close() }()
	z := must.Get(gzip.NewReader(file))(t)
	return string(must.Get(io.ReadAll(z))(t))
}

// bodies returns the bodies of all events in a database, in order.
func bodies(t testing.TB, url string) [][]byte {
	t.Helper()
	return replay.Bodies(t, pgtest.Connect(t, url))
}

// The export equals the imported archive, in each dialect and compression. A second import of the same file adds nothing.
func TestImport(t *testing.T) {
	t.Parallel()
	const posts = 120
	for _, tc := range []struct {
		name    string
		dialect archive.Dialect
		file    string
	}{
		{"copy", archive.Copy, "events.tsv"},
		{"raw", archive.Raw, "events.tsv"},
		{"copy, compressed", archive.Copy, "events.tsv.gz"},
		{"raw, standard input", archive.Raw, "-"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, url := t.TempDir(), pgtest.URL(t)
			text := chainArchive(t, tc.dialect, 11, posts)
			stdin := ""
			switch {
			case tc.file == "-":
				stdin = text
			case strings.HasSuffix(tc.file, ".gz"):
				writeFile(t, filepath.Join(dir, tc.file), packed(t, text))
			default:
				writeFile(t, filepath.Join(dir, tc.file), text)
			}
			imports := func(more ...string) outcome {
				cmd := command(t, dir, nil, append([]string{"import", "--database-url", url, tc.file}, more...)...)
				cmd.Stdin = strings.NewReader(stdin)
				return finish(t, cmd)
			}

			if got := imports("--wait"); got.code != 0 {
				t.Fatalf("got code %d: %s", got.code, got.stderr)
			}
			for _, s := range projectionStatuses(t, dir, "--database-url", url) {
				chain := s.Name == "chain" || s.Input == schemas.In("{chain}") // there is nothing of an ordinals feed in the archive
				if s.State != "live" || s.Position != s.Head || chain && (s.Head == 0 || s.BlockHeight == nil) || s.Quarantined != 0 {
					t.Errorf("after import --wait: got %+v, want it caught up", s)
				}
			}
			if got := exported(t, dir, url, strings.HasSuffix(tc.file, ".gz")); got != text {
				t.Errorf("exported %d bytes, which differ from the %d that were imported", len(got), len(text))
			}

			if got := imports(); got.code != 0 {
				t.Errorf("again: got code %d: %s", got.code, got.stderr)
			}
			if got := len(bodies(t, url)); got != posts {
				t.Errorf("again: got %d events, want still %d", got, posts)
			}

			writeFile(t, filepath.Join(dir, "other.tsv"), chainArchive(t, tc.dialect, 12, 5))
			got := run(t, dir, "import", "--database-url", url, "other.tsv")
			if got.code != exitFailure || !strings.Contains(lastLine(got.stderr), "--append") {
				t.Errorf("another file: got code %d and %q, want 1 and a word about --append", got.code, got.stderr)
			}
			if got := len(bodies(t, url)); got != posts {
				t.Errorf("another file: got %d events, want still %d", got, posts)
			}
			mustRun(t, dir, "import", "--database-url", url, "--append", "other.tsv")
			if got := len(bodies(t, url)); got != posts+5 {
				t.Errorf("with --append: got %d events, want %d", got, posts+5)
			}
		})
	}
}

// exported returns the output of export.
func exported(t testing.TB, dir, url string, compressed bool) string {
	t.Helper()
	if !compressed {
		return mustRun(t, dir, "export", "--database-url", url)
	}
	out := filepath.Join(dir, "exported.tsv.gz")
	mustRun(t, dir, "export", "--database-url", url, "-o", out)
	return unpacked(t, out)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestExportRange(t *testing.T) {
	t.Parallel()
	dir, url := t.TempDir(), pgtest.URL(t)
	text := chainArchive(t, archive.Copy, 4, 10)
	writeFile(t, filepath.Join(dir, "a.tsv"), text)
	mustRun(t, dir, "import", "--database-url", url, "a.tsv")
	want := strings.Join(strings.SplitAfter(text, "\n")[2:5], "")
	if got := mustRun(t, dir, "export", "--database-url", url, "--from", "3", "--to", "5"); got != want {
		t.Errorf("got %d bytes, want lines 3 to 5, %d bytes", len(got), len(want))
	}
}

// After Ctrl-C, the import says in one line that it was interrupted, and exits with a code above 0.
func TestImportInterrupted(t *testing.T) {
	t.Parallel()
	dir, url := t.TempDir(), pgtest.URL(t)
	pool := pgtest.New(t)
	cmd := command(t, dir, nil, "import", "--database-url", url, "-")
	stdin := must.Get(cmd.StdinPipe())(t) // never ends
	must.Get(io.WriteString(stdin, chainArchive(t, archive.Raw, 1, 3)))(t)
	s := start(t, cmd)
	eventually.Holds(t, "the database is ready", func() bool {
		var n int64
		return pool.QueryRow(context.Background(), `SELECT size FROM log.head`).Scan(&n) == nil
	})
	s.signal(syscall.SIGINT)
	if code := cmd.ProcessState.ExitCode(); code != exitFailure || lastLine(s.log.String()) != "strata: interrupted" {
		t.Errorf("got code %d and %q, want 1 and the word interrupted", code, s.log)
	}
}
