package history_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/transparency-dev/formats/note"
	sumdb "golang.org/x/mod/sumdb/note"

	"strata/eventstore"
	"strata/eventstore/history"
	"strata/eventstore/transparency"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

var migrated = pgtest.Template("history", migrations.Up)

// world is a log that is published.
type world struct {
	testing.TB
	log       *eventstore.Log
	dir       string
	key       *transparency.Key
	publisher *history.Publisher
	random    *mathrand.Rand
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, log: openLog(t), dir: t.TempDir(), random: mathrand.New(mathrand.NewPCG(7, 7))}
	w.key = must.Get(transparency.OpenKey(filepath.Join(t.TempDir(), "key"), "example.org/stacks"))(t)
	w.publisher = &history.Publisher{
		Log: w.log, Key: w.key, Dir: history.NewDir(w.dir), Network: "mainnet", ChainID: 1, Logger: slog.New(slog.DiscardHandler),
		Transparency: must.Get(transparency.New(transparency.Config{Pool: w.log.Pool(), Key: w.key}))(t),
		Chain: func(context.Context, *history.Dir, history.Layer) (history.Layer, error) {
			return history.Layer{Last: -1}, nil
		},
		Heights: func(context.Context, int64, int64) ([]int64, error) { return nil, nil },
	}
	w.publisher.SetPerFile(64)
	return w
}

func openLog(t testing.TB) *eventstore.Log {
	t.Helper()
	log := eventstore.Open(migrated.NewFresh(t), eventstore.Config{})
	t.Cleanup(log.Close)
	return log
}

// grow appends events of all kinds: empty ones, repeated ones, large ones, and any bytes.
func (w *world) grow(n int) {
	w.Helper()
	for i := range n {
		body := make([]byte, w.random.IntN(2000))
		for at := range body {
			body[at] = byte(w.random.IntN(256))
		}
		switch w.random.IntN(10) {
		case 0:
			body = nil
		case 1, 2:
			body = fmt.Appendf(nil, `{"again": %d}`, w.random.IntN(3))
		case 3:
			body = bytes.Repeat([]byte(`{"txid": "0x00"},`), w.random.IntN(10_000))
		}
		in := eventstore.Incoming{
			ReceivedAt: time.UnixMicro(1_700_000_000_123_456 + int64(i)), Source: "observer:test", Path: "/new_mempool_tx", Body: eventstore.NewBody(body),
		}
		if i%3 == 0 {
			in.ContentType, in.Origin, in.Path = "application/json", "id\t7", "/é"
		}
		must.Get(w.log.Append(w.Context(), in))(w)
	}
}

func (w *world) publish() *history.Manifest {
	w.Helper()
	return must.Get(w.publisher.Publish(w.Context()))(w)
}

func (w *world) trust() history.Trust { return history.Trust{Key: w.key.VerifierKey()} }

func (w *world) open() *history.Opened {
	w.Helper()
	return must.Get(history.Open(w.Context(), history.NewDir(w.dir), w.trust()))(w)
}

// same checks that two logs have the same events.
func (w *world) same(other *eventstore.Log) {
	w.Helper()
	size, root, err := w.log.Checkpoint(w.Context())
	must.Do(w, err)
	otherSize, otherRoot, err := other.Checkpoint(w.Context())
	if err != nil || otherSize != size || !bytes.Equal(root, otherRoot) {
		w.Errorf("got %d events with the root %x (%v), want %d with %x", otherSize, otherRoot, err, size, root)
	}
	for seq := int64(1); seq <= size; seq++ {
		want, got := must.Get(w.log.Get(w.Context(), seq, true))(w), must.Get(other.Get(w.Context(), seq, true))(w)
		if !bytes.Equal(got.Body, want.Body) || !bytes.Equal(eventstore.LeafHash(&got), eventstore.LeafHash(&want)) {
			w.Fatalf("event %d is %+v, want %+v", seq, got, want)
		}
	}
}

// A log that is brought from a folder or a server has the same events at the same positions. What is published later adds files, and
// replaces none but the last.
func TestRestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grow(200)
	first := w.publish()
	server := httptest.NewServer(http.StripPrefix("/history/v1", history.Handler(w.dir)))
	t.Cleanup(server.Close)
	for _, name := range []string{w.dir, "file://" + w.dir, server.URL + "/history/v1", server.URL + "/history/v1/"} {
		opened := must.Get(history.Open(t.Context(), must.Get(history.OpenSource(name))(t), w.trust()))(t)
		must.Do(t, opened.VerifyLog(t.Context(), history.VerifyOptions{Download: t.TempDir()}))
		log, done := openLog(t), int64(0)
		progress := func(now, total int64) {
			if now < done || now > total {
				t.Errorf("%d of %d bytes after %d", now, total, done)
			}
			done = now
		}
		must.Do(t, history.Restore(t.Context(), log, opened, history.RestoreOptions{Download: t.TempDir(), Progress: progress}))
		w.same(log)
		must.Do(t, history.CheckWhole(t.Context(), log))
		if done == 0 {
			t.Error("nobody was told the progress")
		}
		if err := history.Restore(t.Context(), log, opened, history.RestoreOptions{}); err != nil {
			t.Errorf("again: %v", err)
		}
	}
	if again := w.publish(); again.PublishedAt != first.PublishedAt || len(again.Log.Files) != 4 {
		t.Errorf("without new events got %+v, want %+v", again, first)
	}
	w.grow(100)
	before := w.open()
	next := w.publish()
	if !slices.EqualFunc(next.Log.Files[:3], first.Log.Files[:3], func(a, b history.File) bool { return a.Path == b.Path }) || next.Previous != before.Digest || next.Log.Last != 300 {
		t.Errorf("got %+v after %+v", next, first)
	}
	must.Do(t, before.VerifyLog(t.Context(), history.VerifyOptions{})) // its files are still there
	w.grow(1)
	w.publish()
	if err := before.VerifyLog(t.Context(), history.VerifyOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file that was replaced before: %v", err)
	}
	must.Do(t, w.open().VerifyLog(t.Context(), history.VerifyOptions{}))
}

// faulty is a source whose streams break: at any byte, and for good until it is told otherwise.
type faulty struct {
	history.Source
	left int // bytes until the next fault
}

var errFault = fmt.Errorf("the world ends: %w", fs.ErrNotExist) // so that nobody tries again

func (f *faulty) Open(ctx context.Context, path string, from int64) (io.ReadCloser, error) {
	in, err := f.Source.Open(ctx, path, from)
	if err != nil || strings.HasPrefix(path, "head") || strings.HasPrefix(path, "manifests") {
		return in, err
	}
	return &breaking{in, f}, nil
}

type breaking struct {
	io.ReadCloser
	of *faulty
}

func (b *breaking) Read(p []byte) (int, error) {
	if b.of.left <= 0 {
		return 0, errFault
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.of.left)])
	b.of.left -= n
	return n, err
}

// A restore that ends anywhere is made again, and goes on. Until it is whole, the log says that it is not.
func TestResume(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grow(400)
	w.publish()
	server := httptest.NewServer(history.Handler(w.dir))
	t.Cleanup(server.Close)
	source := &faulty{Source: must.Get(history.OpenSource(server.URL))(t)}
	log, download, rounds, sizes := openLog(t), filepath.Join(t.TempDir(), "download"), 0, []int64(nil)
	for {
		source.left = 1 + w.random.IntN(40_000)
		opened := must.Get(history.Open(t.Context(), source, w.trust()))(t)
		ctx, cancel := context.WithCancel(t.Context())
		if rounds%3 == 0 { // the process ends in the middle of a file
			after := w.random.IntN(30)
			err := history.Restore(ctx, log, opened, history.RestoreOptions{Download: download, Progress: func(int64, int64) {
				if after--; after == 0 {
					cancel()
				}
			}})
			if err == nil {
				cancel()
				break
			}
		} else if err := history.Restore(ctx, log, opened, history.RestoreOptions{Download: download}); err == nil {
			cancel()
			break
		}
		cancel()
		rounds++
		sizes = append(sizes, must.Get(log.Size(t.Context()))(t))
		if what := must.Get(history.Unfinished(t.Context(), log))(t); !strings.Contains(what, "of the 400 events") {
			t.Fatalf("after %d events it says %q", sizes[len(sizes)-1], what)
		}
		if rounds > 500 {
			t.Fatal("it does not end")
		}
	}
	if slices.Sort(sizes); rounds < 10 || len(slices.Compact(sizes)) < 4 {
		t.Errorf("it was interrupted %d times, at the sizes %v: too few to show anything", rounds, sizes)
	}
	w.same(log)
	must.Do(t, history.CheckWhole(t.Context(), log))
	if _, err := os.Stat(download); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("files are left: %v", err)
	}
}

// A log with events of its own is refused, as is one that somebody else appends to, or that comes from elsewhere.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t), newWorld(t)
	w.grow(70)
	w.publish()
	other.grow(5)
	other.publish()
	if err := history.Restore(t.Context(), other.log, w.open(), history.RestoreOptions{}); !errors.Is(err, history.ErrNotEmpty) {
		t.Errorf("a log with events: %v", err)
	}
	log := openLog(t)
	must.Do(t, history.Restore(t.Context(), log, w.open(), history.RestoreOptions{}))
	other.key = must.Get(transparency.OpenKey(filepath.Join(t.TempDir(), "key"), "example.org/other"))(t)
	other.dir = t.TempDir()
	other.publisher.Key, other.publisher.Dir = other.key, history.NewDir(other.dir)
	other.publisher.Transparency = must.Get(transparency.New(transparency.Config{Pool: other.log.Pool(), Key: other.key, TakeOver: true}))(t)
	other.publish()
	if err := history.Restore(t.Context(), log, other.open(), history.RestoreOptions{}); !errors.Is(err, history.ErrNotEmpty) {
		t.Errorf("another publisher: %v", err)
	}
	w.publisher.WithoutLog, w.dir = true, t.TempDir()
	w.publisher.Dir = history.NewDir(w.dir)
	w.publish()
	if err := history.Restore(t.Context(), openLog(t), w.open(), history.RestoreOptions{}); !errors.Is(err, history.ErrNothing) {
		t.Errorf("a history without anything: %v", err)
	}
}

// Each byte that changes in a file is noticed, and the file named.
func TestDamage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grow(30)
	m := w.publish()
	path := filepath.Join(w.dir, m.Log.Files[0].Path)
	good := must.Get(os.ReadFile(path))(t)
	for range 50 {
		bad := slices.Clone(good)
		bad[w.random.IntN(len(bad))] ^= 1 << w.random.IntN(8)
		must.Do(t, os.WriteFile(path, bad, 0o600))
		if err := w.open().VerifyLog(t.Context(), history.VerifyOptions{}); err == nil || !strings.Contains(err.Error(), m.Log.Files[0].Path) {
			t.Fatalf("got %v", err)
		}
	}
	must.Do(t, os.WriteFile(path, good[:len(good)-1], 0o600))
	log := openLog(t)
	if err := history.Restore(t.Context(), log, w.open(), history.RestoreOptions{}); err == nil || must.Get(log.Size(t.Context()))(t) != 0 {
		t.Errorf("a file that was cut: %v", err)
	}
	must.Do(t, os.WriteFile(path, good, 0o600))
	must.Do(t, w.open().VerifyLog(t.Context(), history.VerifyOptions{}))
	manifest := filepath.Join(w.dir, filepath.FromSlash(history.ManifestPath(w.open().Digest)))
	must.Do(t, os.WriteFile(manifest, append(must.Get(os.ReadFile(manifest))(t), ' '), 0o600))
	if _, err := history.Open(t.Context(), history.NewDir(w.dir), w.trust()); err == nil {
		t.Error("a manifest that was changed is believed")
	}
}

// cosigner returns the verifier key of a witness.
func cosigner(t *testing.T) string {
	t.Helper()
	_, public, err := sumdb.GenerateKey(rand.Reader, "example.org/witness")
	must.Do(t, err)
	return must.Get(note.VKeyToCosignatureV1(public))(t)
}

// Nobody is believed but the publisher that was named, with the witnesses that were named.
func TestTrust(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grow(3)
	w.publish()
	stranger := must.Get(transparency.OpenKey(filepath.Join(t.TempDir(), "key"), "example.org/stranger"))(t)
	witness := cosigner(t)
	for name, trust := range map[string]history.Trust{
		"nobody": {}, "another key": {Key: stranger.VerifierKey()}, "a witness that has not signed": {Key: w.key.VerifierKey(), Witnesses: []string{witness}},
	} {
		if _, err := history.Open(t.Context(), history.NewDir(w.dir), trust); err == nil || name != "a witness that has not signed" && !errors.Is(err, history.ErrUntrusted) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if o := must.Get(history.Open(t.Context(), history.NewDir(w.dir), history.Trust{Unsigned: true}))(t); o.Key != w.key.VerifierKey() {
		t.Errorf("got the key %s", o.Key)
	}
	w.publisher.Key = stranger
	if _, err := w.publisher.Publish(t.Context()); !errors.Is(err, history.ErrUntrusted) {
		t.Errorf("another key publishes into the folder: %v", err)
	}
}

// A server of a history gives away nothing else.
func TestHandler(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grow(3)
	m := w.publish()
	must.Do(t, os.WriteFile(filepath.Join(w.dir, "log", "secret.txt"), []byte("x"), 0o600))
	must.Do(t, os.Symlink("/etc/hostname", filepath.Join(w.dir, "log", "0-1-x.events.zst")))
	handler := history.Handler(w.dir)
	ask := func(method, path, ranges string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(method, "/", http.NoBody)
		request.URL.Path = path
		if ranges != "" {
			request.Header.Set("Range", ranges)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		return answer
	}
	for _, path := range []string{"", "/", "/log", "/log/", "/manifests/", "/log/../head", "/../" + filepath.Base(w.dir) + "/head", "/.lock", "/log/.unfinished-1", "/log/0-1-x.events.zst", "/manifests/x.json"} {
		if got := ask(http.MethodGet, path, ""); got.Code != http.StatusNotFound {
			t.Errorf("%q: got %d %s", path, got.Code, got.Body)
		}
	}
	if got := ask(http.MethodPost, "/head", ""); got.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %d", got.Code)
	}
	got := ask(http.MethodGet, "/"+m.Log.Files[0].Path, "bytes=10-")
	if got.Code != http.StatusPartialContent || int64(got.Body.Len()) != m.Log.Files[0].Bytes-10 || !strings.Contains(got.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("a part: got %d, %d bytes, %v", got.Code, got.Body.Len(), got.Header())
	}
	if got := ask(http.MethodHead, "/head", ""); got.Code != http.StatusOK || got.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("head: got %d, %v", got.Code, got.Header())
	}
}
