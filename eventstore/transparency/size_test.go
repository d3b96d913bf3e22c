package transparency_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/eventstore/transparency"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
)

func equal(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

// A log grows to 1,100 events, and is signed at many sizes on the way, which are all there are around the edges of tiles.
// All checkpoints are those of the definition; so are tiles and bundles of many widths, and proofs for many sizes: all up
// to the first full tile and around the edges of the others.
func TestEverySize(t *testing.T) {
	t.Parallel()
	sizes := short.Form(1100, 300)
	w := newWorld(t)
	l := w.open(transparency.Config{Key: newKey(t)})
	var signed []int64
	for size := 1; size <= sizes; size++ {
		if size > 270 && !nearEdge(size) && size%50 != 0 {
			continue
		}
		w.grow("x", size)
		w.sign(l, true)
		signed = append(signed, int64(size))
	}
	w.sign(l, false)
	all := w.checkpoints(l)
	if len(all) != len(signed) {
		t.Fatalf("got %d checkpoints, want %d", len(all), len(signed))
	}
	for i, c := range all {
		if c.Size != signed[i] || c.Number != int64(i+1) {
			t.Errorf("checkpoint %d has %d events, want %d", c.Number, c.Size, signed[i])
		}
	}
	var running sync.WaitGroup
	for part := range 4 {
		running.Go(func() {
			model := w.tree.first(sizes)
			random := rand.New(rand.NewPCG(uint64(part), 7))
			for size := 1 + part; size <= sizes; size += 4 {
				if size > 270 && !nearEdge(size) && size%7 != 0 {
					continue
				}
				checkProofs(t, l, model, random, size)
				checkTile(t, l, model, 0, (size-1)/256, (size-1)%256+1)
			}
		})
	}
	running.Wait()
	for n := 1; n <= sizes/256; n++ {
		checkTile(t, l, w.tree, 1, 0, n)
	}
	if in, err := l.ProveInclusion(t.Context(), 1, 77); err != nil || in.Checkpoint != all[76].Note {
		t.Errorf("got the checkpoint %+v (%v), want that of 77 events", in, err)
	}
	for _, wrong := range []struct{ level, n, width int }{{0, 4, 77}, {0, 5, 1}, {1, 0, 5}, {1, 1, 1}, {2, 0, 1}, {7, 0, 1}, {8, 0, 1}, {63, 0, 1}, {0, 1 << 60, 1}} {
		var refusal *transparency.RefusalError
		if _, err := l.Tile(t.Context(), wrong.level, int64(wrong.n), wrong.width); !errors.As(err, &refusal) || !refusal.Missing() {
			t.Errorf("tile %+v: got %v, want it missing", wrong, err)
		}
	}
}

// nearEdge reports whether a size is around a multiple of the width of a tile.
func nearEdge(size int) bool { return (size+10)%256 <= 20 }

func checkProofs(t *testing.T, l *transparency.Log, model *naive, random *rand.Rand, size int) {
	index := random.IntN(size)
	in, err := l.ProveInclusion(t.Context(), int64(index+1), int64(size))
	if err != nil {
		t.Errorf("event %d of %d: %v", index+1, size, err)
		return
	}
	if in.Index != int64(index) || !bytes.Equal(in.Leaf, model.records[index]) || !bytes.Equal(in.LeafHash, model.leaves[index]) ||
		!bytes.Equal(in.Root, model.root(0, size)) || !equal(in.Hashes, model.path(index, 0, size)) {
		t.Errorf("event %d of %d: the proof is not that of the definition", index+1, size)
	}
	from := 1 + random.IntN(size)
	con, err := l.ProveConsistency(t.Context(), int64(from), int64(size))
	if err != nil {
		t.Errorf("from %d to %d: %v", from, size, err)
		return
	}
	if !bytes.Equal(con.FromRoot, model.root(0, from)) || !bytes.Equal(con.ToRoot, model.root(0, size)) || !equal(con.Hashes, model.proof(from, 0, size, true)) {
		t.Errorf("from %d to %d: the proof is not that of the definition", from, size)
	}
}

func checkTile(t *testing.T, l *transparency.Log, model *naive, level, n, width int) {
	tile, err := l.Tile(t.Context(), level, int64(n), width)
	if err != nil {
		t.Errorf("tile %d/%d of width %d: %v", level, n, width, err)
		return
	}
	leaves := 1 << (8 * level)
	var want, bundle []byte
	for i := n * 256; i < n*256+width; i++ {
		want = append(want, model.root(i*leaves, (i+1)*leaves)...)
		if level == 0 {
			bundle = binary.BigEndian.AppendUint16(bundle, uint16(len(model.records[i])))
			bundle = append(bundle, model.records[i]...)
		}
	}
	if !bytes.Equal(tile, want) {
		t.Errorf("tile %d/%d of width %d is not that of the definition", level, n, width)
	}
	if level > 0 {
		return
	}
	entries, err := l.Entries(t.Context(), int64(n), width)
	if err != nil || !bytes.Equal(entries, bundle) {
		t.Errorf("bundle %d of width %d: got %d bytes (%v), want the records", n, width, len(entries), err)
	}
}

// The subtrees of the second level are right, with a log that has some: 65,536 events and a few.
func TestSecondLevel(t *testing.T) {
	short.Skip(t, "takes some seconds")
	t.Parallel()
	const size = 65_536 + 256 + 3
	w := newWorld(t)
	// The model follows from the rows; that they have the right hashes is tested elsewhere.
	for have := 0; have < size; have += 4096 {
		w.grow("x", min(have+4096, size))
	}
	l := w.open(transparency.Config{Key: newKey(t)})
	w.sign(l, true)
	w.checkpoints(l)
	checkTile(t, l, w.tree, 2, 0, 1)
	checkTile(t, l, w.tree, 1, 0, 256)
	checkTile(t, l, w.tree, 1, 1, 1)
	checkTile(t, l, w.tree, 0, 257, 3)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		checkProofs(t, l, w.tree, random, size-random.IntN(1000))
		checkProofs(t, l, w.tree, random, 1+random.IntN(size))
	}
	if rows := pgtest.Value[int](t, w.pool, `SELECT count(*) FROM log.subtree`); rows != 257+1 {
		t.Errorf("got %d stored subtrees, want 258", rows)
	}
	checkRebuilt(w, l)
}

// checkRebuilt rebuilds the tree from the rows, and compares it with what is stored.
func checkRebuilt(w *world, l *transparency.Log) {
	w.Helper()
	stored := map[int64][]byte{}
	rows := must.Get(w.pool.Query(w.Context(), `SELECT n, hash FROM log.subtree WHERE level = 1`))(w)
	var n int64
	var hash []byte
	must.Get(pgx.ForEachRow(rows, []any{&n, &hash}, func() error {
		stored[n] = bytes.Clone(hash)
		return nil
	}))(w)
	rebuilt := must.Get(transparency.Rebuild(w.Context(), l.Leaves(w.Context(), 0), transparency.RebuildConfig{
		Subtree: func(n int64, hash []byte) error {
			if !bytes.Equal(stored[n], hash) {
				w.Errorf("subtree %d: stored as %x, rebuilt as %x", n, stored[n], hash)
			}
			delete(stored, n)
			return nil
		},
	}))(w)
	size, root, err := w.log.Checkpoint(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	if rebuilt.Size != size || !bytes.Equal(rebuilt.Root, root) || len(stored) > 0 {
		w.Errorf("rebuilt %d events with root %x, the head has %d and %x; %d stored subtrees are of no events", rebuilt.Size, rebuilt.Root, size, root, len(stored))
	}
}
