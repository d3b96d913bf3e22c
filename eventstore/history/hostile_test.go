package history_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"strata/eventstore"
	"strata/eventstore/history"
	"strata/internal/testkit/must"
)

// A manifest that its publisher has signed may still be wrong: nothing is read that it does not bound.
func TestManifests(t *testing.T) {
	t.Parallel()
	digest := strings.Repeat("0", 64)
	file := history.File{Path: "log/1", First: 1, Last: 10, Records: 10, Bytes: 100, ContentBytes: 1000, SHA256: digest, ContentSHA256: digest}
	good := history.Manifest{Format: 1, Network: "mainnet", ChainID: 1, Log: history.Layer{First: 1, Last: 10, Files: []history.File{file}}, Chain: history.Layer{Last: -1}}
	must.Get(history.ParseManifest(must.Get(json.Marshal(good))(t)))(t)
	for name, change := range map[string]func(m *history.Manifest, f *history.File){
		"format":            func(m *history.Manifest, _ *history.File) { m.Format = 2 },
		"network":           func(m *history.Manifest, _ *history.File) { m.Network = "other" },
		"begins late":       func(m *history.Manifest, _ *history.File) { m.Log.First = 2 },
		"path leads out":    func(_ *history.Manifest, f *history.File) { f.Path = "log/../../x" },
		"absolute path":     func(_ *history.Manifest, f *history.File) { f.Path = "/etc/passwd" },
		"path of another":   func(_ *history.Manifest, f *history.File) { f.Path = "chain/1" },
		"path with space":   func(_ *history.Manifest, f *history.File) { f.Path = "log/1 2" },
		"hidden":            func(_ *history.Manifest, f *history.File) { f.Path = "log/.1" },
		"hole":              func(_ *history.Manifest, f *history.File) { f.First = 3 },
		"begins before":     func(_ *history.Manifest, f *history.File) { f.First = -3 },
		"backwards":         func(_ *history.Manifest, f *history.File) { f.Last = 0 },
		"ends elsewhere":    func(m *history.Manifest, _ *history.File) { m.Log.Last = 11 },
		"few records":       func(_ *history.Manifest, f *history.File) { f.Records = 9 },
		"no content":        func(_ *history.Manifest, f *history.File) { f.ContentBytes = 9 },
		"negative":          func(_ *history.Manifest, f *history.File) { f.Bytes = -1 },
		"no hash":           func(_ *history.Manifest, f *history.File) { f.SHA256 = "" },
		"upper case":        func(_ *history.Manifest, f *history.File) { f.ContentSHA256 = strings.Repeat("A", 64) },
		"nothing but files": func(m *history.Manifest, _ *history.File) { m.Chain.Last = 7 },
	} {
		f := file
		m := good
		m.Log.Files = []history.File{f}
		change(&m, &m.Log.Files[0])
		if _, err := history.ParseManifest(must.Get(json.Marshal(m))(t)); err == nil {
			t.Errorf("%s: it is believed", name)
		}
	}
	if _, err := history.ParseManifest([]byte(`{"format": 1`)); err == nil {
		t.Error("half a manifest is believed")
	}
}

// replaceFile publishes a folder whose only file of the log has this stored content, with a manifest and a head that fit.
func (w *world) replaceFile(stored []byte, contentBytes int64, content []byte) {
	w.Helper()
	m := *w.open().Manifest
	sum := func(b []byte) string {
		digest := sha256.Sum256(b)
		return hex.EncodeToString(digest[:])
	}
	f := &m.Log.Files[0]
	f.Bytes, f.SHA256, f.ContentBytes, f.ContentSHA256 = int64(len(stored)), sum(stored), contentBytes, sum(content)
	must.Do(w, os.WriteFile(filepath.Join(w.dir, f.Path), stored, 0o600))
	text := must.Get(json.Marshal(m))(w)
	must.Do(w, os.WriteFile(filepath.Join(w.dir, filepath.FromSlash(history.ManifestPath(history.Digest(text)))), text, 0o600))
	must.Do(w, os.WriteFile(filepath.Join(w.dir, history.HeadName), must.Get(history.SignHead(w.key, history.Digest(text)))(w), 0o600))
}

// Files that fit their manifest, and are not what they should be.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grow(5)
	w.publish()
	pack := func(content []byte) []byte {
		encoder := must.Get(zstd.NewWriter(nil))(t)
		return encoder.EncodeAll(content, nil)
	}
	events := func(change func(e *eventstore.Event)) (content []byte) {
		for seq := int64(1); seq <= 5; seq++ {
			e := must.Get(w.log.Get(t.Context(), seq, true))(t)
			change(&e)
			content = append(history.AppendRecord(content, &e), e.Body...)
		}
		return content
	}
	whole := events(func(*eventstore.Event) {})
	for name, tc := range map[string]struct {
		stored, content []byte
		claims          int64
		want            string
	}{
		"no zstd":            {[]byte("x"), whole, int64(len(whole)), ""},
		"a bomb":             {pack(make([]byte, 1<<28)), whole, int64(len(whole)), ""},
		"a window too large": {hugeWindow(), whole, int64(len(whole)), "window"},
		"less":               {pack(whole[:len(whole)-1]), whole, int64(len(whole)), ""},
		"more":               {pack(append(bytes.Clone(whole), 0)), append(bytes.Clone(whole), 0), int64(len(whole)) + 1, ""},
		"another hash":       {pack(whole), whole[1:], int64(len(whole)), "SHA-256"},
		"a length of 4 GB":   {pack(bytes.Repeat([]byte{255}, len(whole))), bytes.Repeat([]byte{255}, len(whole)), int64(len(whole)), "damaged"},
		"another root": {pack(events(func(e *eventstore.Event) { e.Source += "x" })), events(func(e *eventstore.Event) { e.Source += "x" }),
			int64(len(whole)) + 5, "root"},
		"another position": {pack(events(func(e *eventstore.Event) { e.Seq++ })), events(func(e *eventstore.Event) { e.Seq++ }), int64(len(whole)), "stands where"},
		"another digest":   {pack(events(func(e *eventstore.Event) { e.SHA256[0]++ })), events(func(e *eventstore.Event) { e.SHA256[0]++ }), int64(len(whole)), "SHA-256"},
	} {
		w.replaceFile(tc.stored, tc.claims, tc.content)
		if err := w.open().VerifyLog(t.Context(), history.VerifyOptions{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	w.replaceFile(pack(whole), int64(len(whole)), whole)
	must.Do(t, w.open().VerifyLog(t.Context(), history.VerifyOptions{}))
}

// hugeWindow is a frame that asks its reader for a window of 2 GiB.
func hugeWindow() []byte { return []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00} }

// A record is read as it was written, and anything else is an error, without more memory than there are bytes.
func FuzzRecord(f *testing.F) {
	f.Add([]byte("source"), []byte("body"), int64(7))
	f.Add([]byte{0, 0, 0, 58, 1}, []byte{}, int64(-1))
	f.Fuzz(func(t *testing.T, text, body []byte, seq int64) {
		e := eventstore.Event{Seq: seq, Source: string(text), Path: string(body), Size: int64(len(body)), Body: body}
		written := append(history.AppendRecord(nil, &e), body...)
		got, err := history.ReadRecord(bufio.NewReader(bytes.NewReader(written)), int64(len(written)))
		if err != nil || got.Seq != seq || got.Source != e.Source || !bytes.Equal(got.Body, body) {
			t.Fatalf("got %+v (%v), want %+v", got, err, e)
		}
		in := bufio.NewReader(bytes.NewReader(text))
		if _, err := history.ReadRecord(in, int64(len(text))); err == nil {
			if again := must.Get(io.ReadAll(in))(t); len(again) > len(text) {
				t.Error("it has read nothing")
			}
		} else if errors.Is(err, io.EOF) && len(text) > 0 {
			t.Errorf("got %v from %d bytes", err, len(text))
		}
	})
}
