package audit_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	formats "github.com/transparency-dev/formats/log"
	cosignature "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	tessera "github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// logSite is a log that is served over HTTP.
type logSite struct {
	*apitest.Site
	log      *eventstore.Log
	signer   *transparency.Log
	url      string
	origin   string
	verifier note.Verifier
	witness  string // private key
	size     int
}

func newLogSite(t testing.TB) *logSite {
	t.Helper()
	pool := replay.Databases.New(t)
	s := &logSite{log: eventstore.Open(pool, eventstore.Config{}), origin: "example.org/stacks"}
	pgtest.AtEnd(t, s.log.Close)
	key := must.Get(transparency.OpenKey(filepath.Join(t.TempDir(), "log.key"), s.origin))(t)
	var public string
	var err error
	s.witness, public, err = note.GenerateKey(rand.Reader, "example.org/witness")
	must.Do(t, err)
	s.signer = must.Get(transparency.New(transparency.Config{Pool: pool, Key: key, Witnesses: []string{public}}))(t)
	s.Site = apitest.NewSiteOn(t, pool, readapi.Config{Log: apitest.ShownLog{Log: s.signer}})
	server := httptest.NewServer(s.API)
	pgtest.AtEnd(t, server.Close)
	s.url = server.URL + "/audit/v1/log/"
	return s
}

// grow appends events until there are size, and signs.
func (s *logSite) grow(size int) {
	s.T.Helper()
	var batch []eventstore.Incoming
	for ; s.size < size; s.size++ {
		batch = append(batch, eventstore.Incoming{
			ReceivedAt: time.Unix(int64(s.size), 0), Source: "observer:test", Path: "/new_block", ContentType: "application/json",
			Body: eventstore.NewBody(fmt.Appendf(nil, `{"n":%d}`, s.size)),
		})
	}
	must.Get(s.log.AppendBatch(s.T.Context(), batch, nil))(s.T)
	if signed, err := s.signer.Sign(s.T.Context()); err != nil || !signed {
		s.T.Fatalf("sign: got %v (%v)", signed, err)
	}
}

// fetched is a response whose body was read.
type fetched struct {
	StatusCode int
	Header     http.Header
}

func (s *logSite) fetch(path string) (fetched, string) {
	s.T.Helper()
	response, err := apitest.Plain.Get(s.url + path)
	must.Do(s.T, err)
	body := must.Get(io.ReadAll(response.Body))(s.T)
	must.Do(s.T, response.Body.Close())
	return fetched{response.StatusCode, response.Header}, string(body)
}

// fetcher is Tessera's client of the log. The key is what our own endpoint says.
func (s *logSite) fetcher() *tessera.HTTPFetcher {
	s.T.Helper()
	root := must.Get(url.Parse(s.url))(s.T)
	fetcher := must.Get(tessera.NewHTTPFetcher(root, nil))(s.T)
	_, key := s.fetch("key")
	s.verifier = must.Get(note.NewVerifier(strings.TrimSpace(key)))(s.T)
	return fetcher
}

// splitBundle gives the hashes of the entries of a bundle, as Tessera reads bundles.
func splitBundle(bundle []byte) ([][]byte, error) {
	var entries api.EntryBundle
	if err := entries.UnmarshalText(bundle); err != nil {
		return nil, err
	}
	var hashes [][]byte
	for _, entry := range entries.Entries {
		hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(entry))
	}
	return hashes, nil
}

// Tools that are not ours check what is served over HTTP: Tessera's client follows the log from one checkpoint to the
// next and builds proofs from our tiles, its fsck goes over all tiles and bundles, and transparency-dev/merkle verifies
// the proofs, theirs and ours.
func TestLogWithOtherTools(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newLogSite(t)
	s.grow(1)
	fetcher := s.fetcher()
	first := must.Get(fetcher.ReadCheckpoint(ctx))(t)
	tracker := must.Get(tessera.NewLogStateTracker(ctx, fetcher.ReadTile, first, s.verifier, s.origin, tessera.UnilateralConsensus(fetcher.ReadCheckpoint)))(t)
	for _, size := range []int{2, 255, 256, 257, 700, 1024, 1500} {
		s.grow(size)
		if _, _, _, err := tracker.Update(ctx); err != nil { // verifies the signature, and that it extends the last
			t.Fatalf("size %d: %v", size, err)
		}
		latest := tracker.Latest()
		check.Equal(t, "events of the checkpoint", latest.Size, uint64(size))
		builder := must.Get(tessera.NewProofBuilder(ctx, latest.Size, fetcher.ReadTile))(t)
		for seq := 1; seq <= size; seq += 1 + size/7 {
			s.checkInclusion(builder, &latest, seq)
		}
		for from := 1; from <= size; from += 1 + size/5 {
			s.checkConsistency(builder, &latest, from)
		}
		if err := fsck.New(s.origin, s.verifier, fetcher, splitBundle, fsck.Opts{N: 2}).Check(ctx); err != nil {
			t.Errorf("size %d: fsck: %v", size, err)
		}
	}
}

// checkInclusion checks the proof that is made of tiles, and that of our own endpoint. The entry is from a bundle.
func (s *logSite) checkInclusion(builder *tessera.ProofBuilder, latest *formats.Checkpoint, seq int) {
	s.T.Helper()
	ctx, index := s.T.Context(), uint64(seq-1)
	bundle, err := tessera.GetEntryBundle(ctx, s.fetcher().ReadEntryBundle, index/256, latest.Size)
	if err != nil {
		s.T.Errorf("event %d: %v", seq, err)
		return
	}
	record := bundle.Entries[index%256]
	leaf := rfc6962.DefaultHasher.HashLeaf(record)
	path, err := builder.InclusionProof(ctx, index)
	if err != nil {
		s.T.Errorf("event %d: %v", seq, err)
		return
	}
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, latest.Size, leaf, path, latest.Hash); err != nil {
		s.T.Errorf("event %d: the proof from tiles: %v", seq, err)
	}
	var ours struct {
		Seq, Index, Size int64
		Leaf, Root       []byte
		LeafHash         []byte `json:"leaf_hash"`
		Hashes           [][]byte
		Checkpoint       string
	}
	s.parse(fmt.Sprintf("proofs/inclusion?seq=%d", seq), &ours)
	if ours.Seq != int64(seq) || ours.Index != int64(index) || ours.Size != int64(latest.Size) || !bytes.Equal(ours.Leaf, record) || !bytes.Equal(ours.LeafHash, leaf) {
		s.T.Errorf("event %d: got %+v, want that of index %d with the record of the bundle", seq, ours, index)
	}
	signed, _, _, err := formats.ParseCheckpoint([]byte(ours.Checkpoint), s.origin, s.verifier)
	if err != nil || !bytes.Equal(signed.Hash, ours.Root) {
		s.T.Errorf("event %d: checkpoint %q (%v), want one with the root %x", seq, ours.Checkpoint, err, ours.Root)
	}
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, latest.Size, leaf, ours.Hashes, latest.Hash); err != nil {
		s.T.Errorf("event %d: our proof: %v", seq, err)
	}
	// The record is of the row that the API shows.
	e, err := s.log.Get(ctx, int64(seq), false)
	if err != nil || !bytes.Equal(record, eventstore.AppendLeafRecord(nil, &e)) {
		s.T.Errorf("event %d: the record is not its own (%v)", seq, err)
	}
}

func (s *logSite) checkConsistency(builder *tessera.ProofBuilder, latest *formats.Checkpoint, from int) {
	s.T.Helper()
	var ours struct {
		From, To int64
		FromRoot []byte `json:"from_root"`
		ToRoot   []byte `json:"to_root"`
		Hashes   [][]byte
	}
	s.parse(fmt.Sprintf("proofs/consistency?from=%d&to=%d", from, latest.Size), &ours)
	if !bytes.Equal(ours.ToRoot, latest.Hash) || ours.From != int64(from) || ours.To != int64(latest.Size) || ours.Hashes == nil {
		s.T.Errorf("from %d: got %+v, want the newest root", from, ours)
	}
	if err := proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(from), latest.Size, ours.Hashes, ours.FromRoot, latest.Hash); err != nil {
		s.T.Errorf("from %d: our proof: %v", from, err)
	}
	theirs, err := builder.ConsistencyProof(s.T.Context(), uint64(from), latest.Size)
	if err != nil {
		s.T.Errorf("from %d: %v", from, err)
		return
	}
	if err := proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(from), latest.Size, theirs, ours.FromRoot, latest.Hash); err != nil {
		s.T.Errorf("from %d: the proof from tiles: %v", from, err)
	}
}

func (s *logSite) parse(path string, into any) {
	s.T.Helper()
	response, body := s.fetch(path)
	if response.StatusCode != http.StatusOK {
		s.T.Fatalf("%s: got %d %s", path, response.StatusCode, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		s.T.Fatalf("%s: %v in %s", path, err, body)
	}
}

func TestLogAnswers(t *testing.T) {
	t.Parallel()
	s := newLogSite(t)
	for _, path := range []string{"checkpoint", "checkpoints/1", "tile/0/000.p/1", "tile/entries/000.p/1", "proofs/inclusion?seq=1", "proofs/consistency?from=1"} {
		if response, body := s.fetch(path); response.StatusCode != http.StatusNotFound || response.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s of an empty log: got %d %s, want 404", path, response.StatusCode, body)
		}
	}
	if _, key := s.fetch("key"); !strings.HasPrefix(key, s.origin+"+") {
		t.Errorf("key of an empty log: got %q", key)
	}
	s.grow(700)
	const text, binary, tip, immutable = "text/plain; charset=utf-8", "application/octet-stream", "public, no-cache, must-revalidate", "public, max-age=31536000, immutable"
	for path, want := range map[string]struct {
		contentType, cacheControl string
		size                      int
	}{
		"checkpoint":             {text, tip, 0},
		"checkpoints/700":        {text, tip, 0},
		"key":                    {text, tip, 0},
		"tile/0/000":             {binary, immutable, 256 * 32},
		"tile/0/002.p/188":       {binary, immutable, 188 * 32},
		"tile/0/002.p/1":         {binary, immutable, 32},
		"tile/1/000.p/2":         {binary, immutable, 64},
		"tile/entries/001":       {binary, immutable, 0},
		"tile/entries/002.p/188": {binary, immutable, 0},
	} {
		response, body := s.fetch(path)
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != want.contentType || response.Header.Get("Cache-Control") != want.cacheControl || want.size > 0 && len(body) != want.size {
			t.Errorf("%s: got %d, %d bytes, %v, want %+v", path, response.StatusCode, len(body), response.Header, want)
		}
		again := s.Request(http.MethodGet, "/audit/v1/log/"+path, "If-None-Match", response.Header.Get("Etag"))
		if again.Status != http.StatusNotModified || again.Body != "" {
			t.Errorf("%s asked for again: got %d, want 304", path, again.Status)
		}
		check.Equal(t, fmt.Sprintf("HEAD of %s", path), s.Request(http.MethodHead, "/audit/v1/log/"+path).Status, http.StatusOK)
	}
	for path, want := range map[string]int{
		"tile/0/003": 404, "tile/0/002": 404, "tile/0/002.p/189": 404, "tile/1/000": 404, "tile/1/000.p/3": 404, "tile/2/000.p/1": 404, "tile/63/000.p/1": 404,
		"tile/0/000.p/0": 404, "tile/0/000.p/256": 404, "tile/0/000.p/01": 404, "tile/0/000.p/-1": 404, "tile/0/000.p/": 404, "tile/0/000.p": 404,
		"tile/00/000": 404, "tile/64/000": 404, "tile/-1/000": 404, "tile/x/000": 404, "tile/0/0": 404, "tile/0/0000": 404, "tile/0/x000/000": 404,
		"tile/0/x001": 404, "tile/0/x999/x999/x999/x999/x999/999": 404, "tile/0/x999/x999/x999/x999/x999/x999/x999/999": 404, "tile/0": 404, "tile/entries": 404, "tile": 404,
		"checkpoints/699": 404, "checkpoints/0": 404, "checkpoints/x": 404, "checkpoints/99999999999999999999": 404,
		"proofs/inclusion": 400, "proofs/inclusion?seq=0": 400, "proofs/inclusion?seq=x": 400, "proofs/inclusion?seq=1&size=-1": 400, "proofs/inclusion?seq=701": 404,
		"proofs/inclusion?seq=5&size=4": 404, "proofs/inclusion?seq=1&size=701": 404, "proofs/consistency?from=0": 400, "proofs/consistency?from=2&to=1": 400, "proofs/consistency?from=1&to=701": 404,
		"proofs/inclusion?seq=9223372036854775807": 404, "proofs/consistency": 400, "proofs/consistency?from=9223372036854775807": 400, "cosignatures": 405, "": 404,
	} {
		if response, body := s.fetch(path); response.StatusCode != want || response.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d %s, want %d", path, response.StatusCode, body, want)
		}
	}
	// A size without a checkpoint of its own: the proof is there, the checkpoint not.
	var in map[string]any
	s.parse("proofs/inclusion?seq=3&size=500", &in)
	if _, ok := in["checkpoint"]; ok || in["size"] != 500.0 || in["index"] != 2.0 {
		t.Errorf("got %v, want index 2 in 500 events, without a checkpoint", in)
	}
	var con map[string]any
	s.parse("proofs/consistency?from=700", &con)
	if list, ok := con["hashes"].([]any); !ok || len(list) != 0 {
		t.Errorf("from 700 to 700: got hashes %v, want none", con["hashes"])
	}
}

func TestLogCosignatures(t *testing.T) {
	t.Parallel()
	s := newLogSite(t)
	s.grow(10)
	_, checkpoint := s.fetch("checkpoint")
	signer := must.Get(cosignature.NewSignerForCosignatureV1(s.witness))(t)
	body, _, _ := strings.Cut(checkpoint, "\n\n")
	signed := must.Get(note.Sign(&note.Note{Text: body + "\n"}, signer))(t)
	post := func(body string) (int, string) {
		t.Helper()
		response, err := http.Post(s.url+"cosignatures", "text/plain; charset=utf-8", strings.NewReader(body))
		must.Do(t, err)
		answer, err := io.ReadAll(response.Body)
		must.Do(t, errors.Join(err, response.Body.Close()))
		return response.StatusCode, string(answer)
	}
	if status, answer := post(string(signed)); status != http.StatusOK || answer != `{"size":10,"witnesses":["example.org/witness"]}` {
		t.Errorf("got %d %s, want it taken", status, answer)
	}
	for body, want := range map[string]int{
		checkpoint: 400, "": 400, "nonsense": 400, strings.Repeat("x", 70_000): 413,
		strings.Replace(string(signed), s.origin, "example.org/other", 1): 400,
	} {
		if status, answer := post(body); status != want || !strings.Contains(answer, `"message"`) {
			t.Errorf("%.40q: got %d %s, want %d", body, status, answer, want)
		}
	}
	_, served := s.fetch("checkpoint")
	if !strings.HasPrefix(served, checkpoint) || !strings.Contains(served, "— example.org/witness ") {
		t.Errorf("got\n%s\nwant it with the cosignature", served)
	}
}

// Without a log the resources are described, and there is nothing at them. The description has what the others have.
func TestLogDescription(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	for _, path := range []string{"checkpoint", "checkpoints/1", "key", "tile/0/000", "tile/entries/000", "proofs/inclusion?seq=1", "proofs/consistency?from=1"} {
		s.ExpectTexts("/audit/v1/log/"+path, http.StatusNotFound)
	}
	if got := s.Request(http.MethodPost, "/audit/v1/log/cosignatures"); got.Status != http.StatusNotFound && got.Status != http.StatusBadRequest {
		t.Errorf("cosignatures: got %d %s, want it refused", got.Status, got.Body)
	}
	var document struct {
		Paths map[string]map[string]struct {
			Summary    string
			Parameters []struct{ Name string }
			Responses  map[string]struct{ Content map[string]any }
		}
	}
	must.Do(t, json.Unmarshal([]byte(s.Get("/openapi.json").Body), &document))
	for path, parameters := range map[string]int{
		"/checkpoint": 0, "/checkpoints/{size}": 1, "/key": 0, "/tile/{level}/{n}": 2, "/tile/entries/{n}": 1, "/proofs/inclusion": 2, "/proofs/consistency": 2, "/cosignatures": 0,
	} {
		operations := document.Paths["/audit/v1/log"+path]
		for _, op := range operations {
			if op.Summary == "" || len(op.Parameters) != parameters || len(op.Responses["200"].Content) == 0 || len(op.Responses["404"].Content) == 0 {
				t.Errorf("%s: got %+v, want it described", path, op)
			}
		}
		check.Equal(t, fmt.Sprintf("%s: operations", path), len(operations), 1)
	}
}

// The database is gone: that is said, and nothing else.
func TestLogWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := newLogSite(t)
	s.grow(3)
	s.Pool.Close()
	for _, path := range []string{"checkpoint", "tile/0/000.p/3", "proofs/inclusion?seq=1"} {
		if response, body := s.fetch(path); response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: got %d %s, want 503", path, response.StatusCode, body)
		}
	}
	if _, err := s.fetcherError(); !errors.Is(err, os.ErrNotExist) && err == nil {
		t.Error("the client got a checkpoint")
	}
}

func (s *logSite) fetcherError() ([]byte, error) {
	root, err := url.Parse(s.url)
	if err != nil {
		return nil, err
	}
	fetcher, err := tessera.NewHTTPFetcher(root, nil)
	if err != nil {
		return nil, err
	}
	return fetcher.ReadCheckpoint(s.T.Context())
}
