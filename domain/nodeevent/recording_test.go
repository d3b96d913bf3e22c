package nodeevent_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

type post struct {
	path string
	body []byte
}

// recording reads the posts of an archive file whose bodies are not escaped.
func recording(t testing.TB, file string) []post {
	t.Helper()
	f := must.Get(os.Open(file))(t)
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	z := must.Get(gzip.NewReader(f))(t)
	all := must.Get(io.ReadAll(z))(t)
	var posts []post
	for line := range bytes.Lines(all) {
		columns := bytes.SplitN(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\t'}, 4)
		if len(columns) != 4 {
			t.Fatalf("%s: %d columns in %q", file, len(columns), line)
		}
		posts = append(posts, post{string(columns[2]), columns[3]})
	}
	return posts
}

func recordings(t testing.TB) map[string][]post {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(vector.Shared(t), "data", "events", "*.tsv.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %v, %v", files, err)
	}
	all := map[string][]post{}
	for _, file := range files {
		all[strings.TrimSuffix(filepath.Base(file), ".tsv.gz")] = recording(t, file)
	}
	return all
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	for name, posts := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want struct {
				Tip struct {
					Hash hash.Hash32 `json:"index_block_hash"`
				} `json:"tip"`
				Counts      map[string]int `json:"counts"`
				AllBlocks   int            `json:"all_blocks"`
				ChainBlocks int            `json:"chain_blocks"`
				FirstHeight uint64         `json:"first_height"`
				Txs, Events int
			}
			text := must.Get(os.ReadFile(filepath.Join(vector.Shared(t), "data", "expected", name+".json")))(t)
			must.Do(t, json.Unmarshal(text, &want))
			blocks := map[hash.Hash32]*nodeevent.Block{}
			kinds := map[string]int{}
			for i, p := range posts {
				payload, err := nodeevent.Decode(p.path, p.body)
				if err != nil {
					t.Fatalf("row %d %s: %v", i+1, p.path, err)
				}
				switch v := payload.(type) {
				case *nodeevent.Block:
					kinds[nodeevent.PathBlock]++
					if known := blocks[v.IndexBlockHash]; known == nil || len(known.Transactions) < len(v.Transactions) {
						blocks[v.IndexBlockHash] = v
					}
				case *nodeevent.BurnBlock:
					kinds[nodeevent.PathBurnBlock]++
				case *nodeevent.Microblocks:
					kinds[nodeevent.PathMicroblocks]++
					for _, m := range v.Stream() {
						if len(m.Transactions) == 0 || m.Hash.IsZero() {
							t.Errorf("row %d: got microblock %+v", i+1, m)
						}
					}
				case *nodeevent.MempoolTx:
					kinds[nodeevent.PathMempoolTx]++
				default:
					t.Errorf("row %d %s: got %T", i+1, p.path, payload)
				}
			}
			for path, n := range want.Counts {
				if kinds[path] != n {
					t.Errorf("%s: got %d, want %d", path, kinds[path], n)
				}
			}
			if len(blocks) != want.AllBlocks {
				t.Errorf("got %d different blocks, want %d", len(blocks), want.AllBlocks)
			}
			// Count transactions and effective events along the canonical chain, from its tip down.
			chain, txs, events, listed := 0, 0, 0, 0
			first := uint64(0)
			for b := blocks[want.Tip.Hash]; b != nil; b = blocks[b.ParentIndexBlockHash] {
				chain++
				txs += len(b.Transactions)
				events += b.CountEffectiveEvents()
				for _, list := range b.EffectiveEvents() {
					listed += len(list)
				}
				first = b.Height
			}
			if chain != want.ChainBlocks || txs != want.Txs || events != want.Events || listed != events || first != want.FirstHeight {
				t.Errorf("got %d blocks from height %d, %d transactions, %d events, %d of them listed; want %d from %d, %d, %d",
					chain, first, txs, events, listed, want.ChainBlocks, want.FirstHeight, want.Txs, want.Events)
			}
			for _, b := range blocks {
				if got, want := b.HasMergedGenesis(), name == "mocknet" && b.Height == 1; got != want {
					t.Errorf("height %d: merged genesis %v, want %v", b.Height, got, want)
				}
				for i, e := range b.Events {
					if i > 0 && e.EventIndex <= b.Events[i-1].EventIndex {
						t.Errorf("height %d: event %d after %d", b.Height, e.EventIndex, b.Events[i-1].EventIndex)
					}
					if u, unknown := e.Data.(*nodeevent.UnknownEvent); unknown {
						t.Errorf("height %d: unknown event %s %s", b.Height, e.Type, u.Raw)
					}
				}
			}
		})
	}
}

func BenchmarkDecodeRecordings(b *testing.B) {
	var blocks, rest []post
	for _, posts := range recordings(b) {
		for _, p := range posts {
			if p.path == nodeevent.PathBlock {
				blocks = append(blocks, p)
			} else {
				rest = append(rest, p)
			}
		}
	}
	for _, set := range []struct {
		name  string
		posts []post
	}{{"blocks", blocks}, {"rest", rest}} {
		size := 0
		for _, p := range set.posts {
			size += len(p.body)
		}
		b.Run(set.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range set.posts {
					must.Get(nodeevent.Decode(p.path, p.body))(b)
				}
			}
		})
	}
}
