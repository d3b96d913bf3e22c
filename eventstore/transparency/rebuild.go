package transparency

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"

	"github.com/transparency-dev/merkle/compact"
	"golang.org/x/sync/errgroup"
)

// RebuildConfig configures Rebuild. The zero value of a field means its default.
type RebuildConfig struct {
	// Workers is the number of goroutines that hash; default one per processor.
	Workers int
	// Sizes yields, in ascending order, the sizes at which Rebuild calls Root with the root so far, such as the sizes of
	// earlier checkpoints. Rebuild takes the next size after it has called Root for all earlier ones. It does not call
	// Root for a size beyond the last leaf. An error of either ends Rebuild.
	Sizes iter.Seq2[int64, error]
	Root  func(size int64, root []byte) error
	// Subtree, if set, is called with the root of each full subtree of 256 leaves, in order; n is 0 for the first. An
	// error ends Rebuild. Subtree must not change the hash.
	Subtree func(n int64, hash []byte) error
}

// Rebuilt describes a tree that Rebuild computed from its leaves.
type Rebuilt struct {
	// Size is the number of leaves.
	Size int64
	// Root is the root over all leaves.
	Root []byte
	// Frontier is the value that log.head.frontier must have.
	Frontier []byte
}

// Rebuild hashes leaf records, in order from the first, into a tree. Memory is bounded by some hundred records for each
// worker. A record need only be valid until the next one is requested. Rebuild returns the first error of leaves, of a
// function of the config, or of ctx.
func Rebuild(ctx context.Context, leaves iter.Seq2[[]byte, error], config RebuildConfig) (*Rebuilt, error) {
	workers := config.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	r := &rebuilding{subtree: config.Subtree, tell: config.Root, tree: ranges.NewEmptyRange(0)}
	if config.Sizes != nil {
		next, stop := iter.Pull2(config.Sizes)
		defer stop()
		r.sizes = next
	}
	if err := r.ask(); err != nil {
		return nil, fmt.Errorf("rebuild the tree: %w", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	pending := make(chan *piece)
	inOrder := make(chan *piece, 2*workers)
	for range workers {
		group.Go(func() error {
			for p := range pending {
				p.hash()
			}
			return nil
		})
	}
	group.Go(func() error {
		for p := range inOrder {
			select {
			case <-p.hashed:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := r.add(p); err != nil {
				return err
			}
		}
		return nil
	})
	group.Go(func() error {
		defer close(pending)
		defer close(inOrder)
		return cut(ctx, leaves, func(p *piece) error {
			for _, c := range []chan<- *piece{inOrder, pending} {
				select {
				case c <- p:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	})
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("rebuild the tree: %w", err)
	}
	result, err := r.result()
	if err != nil {
		return nil, fmt.Errorf("rebuild the tree: %w", err)
	}
	return result, nil
}

// piece is a run of up to 256 leaves that one worker hashes.
type piece struct {
	records []byte
	ends    []int // of each record
	leaves  [][]byte
	hashed  chan struct{}
}

func newPiece() *piece {
	return &piece{ends: make([]int, 0, tileWidth), hashed: make(chan struct{})}
}

func (p *piece) hash() {
	p.leaves = make([][]byte, len(p.ends))
	begin := 0
	for i, end := range p.ends {
		p.leaves[i] = hasher.HashLeaf(p.records[begin:end])
		begin = end
	}
	p.records = nil
	close(p.hashed)
}

// cut cuts leaves into pieces.
func cut(ctx context.Context, leaves iter.Seq2[[]byte, error], give func(*piece) error) error {
	p := newPiece()
	for record, err := range leaves {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		p.records = append(p.records, record...)
		p.ends = append(p.ends, len(p.records))
		if len(p.ends) == tileWidth {
			if err := give(p); err != nil {
				return err
			}
			p = newPiece()
		}
	}
	if len(p.ends) > 0 {
		return give(p)
	}
	return nil
}

// rebuilding is the state of a Rebuild.
type rebuilding struct {
	sizes   func() (int64, error, bool) // nil if there are no more
	next    int64                       // the next size at which to call tell; math.MaxInt64 if there is none
	tell    func(size int64, root []byte) error
	subtree func(n int64, hash []byte) error
	tree    *compact.Range
}

// ask takes the next size from sizes.
func (r *rebuilding) ask() error {
	if r.sizes == nil {
		r.next = math.MaxInt64
		return nil
	}
	size, err, ok := r.sizes()
	switch {
	case !ok:
		r.sizes = nil
		return r.ask()
	case err != nil:
		return err
	case size < r.next:
		return fmt.Errorf("the root at %d events is wanted after the one at %d", size, r.next)
	}
	r.next = size
	return nil
}

// add appends a piece. It appends leaf by leaf only if it has to call tell within the piece.
func (r *rebuilding) add(p *piece) error {
	if err := r.note(); err != nil {
		return err
	}
	begin := r.tree.End()
	end := begin + uint64(len(p.leaves))
	if len(p.leaves) < tileWidth {
		return r.addLeaves(p.leaves)
	}
	root := perfectRoot(slices.Clone(p.leaves))
	if r.subtree != nil {
		if err := r.subtree(int64(begin/tileWidth), root); err != nil {
			return err
		}
	}
	if uint64(r.next) < end {
		return r.addLeaves(p.leaves)
	}
	whole, err := ranges.NewRange(begin, end, [][]byte{root})
	if err != nil {
		return err
	}
	if err := r.tree.AppendRange(whole, nil); err != nil {
		return err
	}
	return r.note()
}

func (r *rebuilding) addLeaves(leaves [][]byte) error {
	for _, leaf := range leaves {
		if err := r.tree.Append(leaf, nil); err != nil {
			return err
		}
		if err := r.note(); err != nil {
			return err
		}
	}
	return nil
}

// note calls tell for every size that the tree has reached.
func (r *rebuilding) note() error {
	for r.next <= int64(r.tree.End()) {
		root, err := r.root()
		if err != nil {
			return err
		}
		if err := r.tell(r.next, root); err != nil {
			return err
		}
		if err := r.ask(); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebuilding) root() ([]byte, error) {
	if r.tree.End() == 0 {
		return hasher.EmptyRoot(), nil
	}
	return r.tree.GetRootHash(nil)
}

func (r *rebuilding) result() (*Rebuilt, error) {
	if err := r.note(); err != nil { // there may have been no leaves at all
		return nil, err
	}
	root, err := r.root()
	if err != nil {
		return nil, err
	}
	return &Rebuilt{Size: int64(r.tree.End()), Root: root, Frontier: bytes.Join(r.tree.Hashes(), nil)}, nil
}
