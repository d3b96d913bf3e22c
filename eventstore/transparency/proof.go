package transparency

import (
	"context"
	"fmt"

	"github.com/transparency-dev/merkle/proof"

	"strata/eventstore"
)

// Inclusion proves that an event is in the log (RFC 6962 section 2.1.1).
type Inclusion struct {
	// Seq of the event, and Index of its leaf: Seq-1.
	Seq, Index int64
	// Size of the tree that it is proven to be in.
	Size int64
	// Leaf is the leaf record, LeafHash its hash.
	Leaf, LeafHash []byte
	// Root of the tree.
	Root []byte
	// Hashes are the audit path, from the leaf up.
	Hashes [][]byte
	// Checkpoint is the signed note of the tree; empty when none of this size was signed.
	Checkpoint string
}

// Consistency proves that the log of one size extends that of another (RFC 6962 section 2.1.2).
type Consistency struct {
	From, To         int64
	FromRoot, ToRoot []byte
	Hashes           [][]byte
	// FromCheckpoint and ToCheckpoint are the signed notes of the trees; empty when none of this size was signed.
	FromCheckpoint, ToCheckpoint string
}

// ProveInclusion proves that the event seq is among the first size events; size 0 is that of the newest checkpoint. It is
// a RefusalError when they are not within it.
func (l *Log) ProveInclusion(ctx context.Context, seq, size int64) (*Inclusion, error) {
	size, err := l.sizeOr(ctx, size)
	if err != nil {
		return nil, err
	}
	switch {
	case seq < 1:
		return nil, refused("no event has seq %d: the first has 1", seq)
	case seq > size:
		return nil, missing("event %d is not among the first %d", seq, size)
	}
	db := l.config.Reads
	p := &Inclusion{Seq: seq, Index: seq - 1, Size: size}
	events, err := readLeaves(ctx, db, seq-1, seq)
	if err != nil {
		return nil, err
	}
	p.Leaf = eventstore.AppendLeafRecord(nil, &events[0])
	p.LeafHash = hasher.HashLeaf(p.Leaf)
	if p.Hashes, err = inclusionProof(ctx, db, p.Index, size); err != nil {
		return nil, err
	}
	if p.Root, p.Checkpoint, err = l.tree(ctx, size); err != nil {
		return nil, err
	}
	if err := proof.VerifyInclusion(hasher, uint64(p.Index), uint64(size), p.LeafHash, p.Hashes, p.Root); err != nil {
		return nil, fmt.Errorf("%w: near event %d (%w)", ErrMismatch, seq, err)
	}
	return p, nil
}

// ProveConsistency proves that the first to events begin with the first from; to 0 is the newest checkpoint's size. It is
// a RefusalError when they are not within it.
func (l *Log) ProveConsistency(ctx context.Context, from, to int64) (*Consistency, error) {
	to, err := l.sizeOr(ctx, to)
	if err != nil {
		return nil, err
	}
	if from < 1 || from > to {
		return nil, refused("a proof from %d to %d events: want 1 or more, and not fewer than before", from, to)
	}
	p := &Consistency{From: from, To: to}
	if p.Hashes, err = consistencyProof(ctx, l.config.Reads, from, to); err != nil {
		return nil, err
	}
	if p.FromRoot, p.FromCheckpoint, err = l.tree(ctx, from); err != nil {
		return nil, err
	}
	if p.ToRoot, p.ToCheckpoint, err = l.tree(ctx, to); err != nil {
		return nil, err
	}
	if err := proof.VerifyConsistency(hasher, uint64(from), uint64(to), p.Hashes, p.FromRoot, p.ToRoot); err != nil {
		return nil, fmt.Errorf("%w: between %d and %d events (%w)", ErrMismatch, from, to, err)
	}
	return p, nil
}

// sizeOr is a size within the newest checkpoint; for 0 that of it.
func (l *Log) sizeOr(ctx context.Context, size int64) (int64, error) {
	signed, err := l.signedSize(ctx)
	switch {
	case err != nil:
		return 0, err
	case size == 0:
		return signed, nil
	case size < 0:
		return 0, refused("a size of %d events: want 1 or more", size)
	case size > signed:
		return 0, missing("the newest checkpoint has %d events", signed)
	}
	return size, nil
}

// tree is the root over the first size events, and their checkpoint if there is one. What was signed is what counts.
func (l *Log) tree(ctx context.Context, size int64) (root []byte, checkpoint string, err error) {
	c, err := ofSize(ctx, l.config.Reads, size)
	if err != nil {
		return nil, "", err
	}
	if c == nil {
		root, err = rootOf(ctx, l.config.Reads, size)
		return root, "", err
	}
	note, err := l.withCosignatures(ctx, c)
	return c.Root, string(note), err
}
