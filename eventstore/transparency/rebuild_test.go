package transparency_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/internal/testkit/must"
)

// records are leaf records that share their memory, as those of a reader that bounds its memory do.
func records(n int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var record []byte
		for i := range n {
			record = append(record[:0], make([]byte, i%5)...)
			record = binary.AppendUvarint(record, uint64(i))
			if !yield(record, nil) {
				return
			}
		}
	}
}

// sizes are those, in their order.
func sizes(all []int64) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		for _, size := range all {
			if !yield(size, nil) {
				return
			}
		}
	}
}

func TestRebuild(t *testing.T) {
	t.Parallel()
	const most = 3000
	model := newNaive()
	for record, err := range records(most) {
		must.Do(t, err)
		model.add(bytes.Clone(record))
	}
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(0, most), rapid.SampledFrom([]int{0, 1, 255, 256, 257, 511, 512, 1024})).Draw(t, "size")
		wanted := rapid.SliceOf(rapid.OneOf(rapid.Int64Range(0, most), rapid.SampledFrom([]int64{0, 1, 255, 256, 257, 512}))).Draw(t, "wanted")
		slices.Sort(wanted)
		next, roots := 0, 0
		got := must.Get(transparency.Rebuild(context.Background(), records(size), transparency.RebuildConfig{
			Workers: rapid.IntRange(1, 4).Draw(t, "workers"),
			Sizes:   sizes(wanted),
			Root: func(at int64, root []byte) error {
				if at != wanted[roots] || !bytes.Equal(root, model.root(0, int(at))) {
					return fmt.Errorf("at %d: got %x, want the root at %d", at, root, wanted[roots])
				}
				roots++
				return nil
			},
			Subtree: func(n int64, hash []byte) error {
				if n != int64(next) || !bytes.Equal(hash, model.root(next*256, (next+1)*256)) {
					return fmt.Errorf("subtree %d: want %d, and its hash", n, next)
				}
				next++
				return nil
			},
		}))(t)
		if got.Size != int64(size) || !bytes.Equal(got.Root, model.root(0, size)) || next != size/256 {
			t.Fatalf("got %d leaves and %d subtrees, or another root, want %d", got.Size, next, size)
		}
		frontier := must.Get(eventstore.DecodeFrontier(got.Size, got.Frontier))(t)
		if root, err := frontier.Root(); err != nil || !bytes.Equal(root, got.Root) {
			t.Fatalf("the frontier has the root %x (%v), want %x", root, err, got.Root)
		}
		if want, _ := slices.BinarySearch(wanted, int64(size)+1); roots != want {
			t.Fatalf("got %d roots, want %d", roots, want)
		}
	})
}

func TestRebuildFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	fails := func(at int) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for record, err := range records(at) {
				if !yield(record, err) {
					return
				}
			}
			yield(nil, broken)
		}
	}
	for _, at := range []int{0, 1, 256, 100_000} {
		if _, err := transparency.Rebuild(t.Context(), fails(at), transparency.RebuildConfig{}); !errors.Is(err, broken) {
			t.Errorf("leaf %d broken: got %v", at, err)
		}
	}
	_, err := transparency.Rebuild(t.Context(), records(1_000_000_000), transparency.RebuildConfig{Subtree: func(n int64, _ []byte) error {
		if n == 10 {
			return broken
		}
		return nil
	}})
	if !errors.Is(err, broken) {
		t.Errorf("subtree 10 refused: got %v", err)
	}
	for _, config := range []transparency.RebuildConfig{
		{Sizes: sizes([]int64{0}), Root: func(int64, []byte) error { return broken }},
		{Sizes: sizes([]int64{300}), Root: func(int64, []byte) error { return broken }},
		{Sizes: func(yield func(int64, error) bool) { yield(0, broken) }},
	} {
		if _, err := transparency.Rebuild(t.Context(), records(1000), config); !errors.Is(err, broken) {
			t.Errorf("a root refused: got %v", err)
		}
	}
	_, err = transparency.Rebuild(t.Context(), records(1000), transparency.RebuildConfig{Sizes: sizes([]int64{7, 6}), Root: func(int64, []byte) error { return nil }})
	if err == nil {
		t.Error("sizes in descending order were taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = transparency.Rebuild(ctx, records(1_000_000_000), transparency.RebuildConfig{Subtree: func(n int64, _ []byte) error {
		if n == 10 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
}
