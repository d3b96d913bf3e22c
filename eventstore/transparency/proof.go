package transparency

import (
	"context"
	"fmt"

	"github.com/transparency-dev/merkle/proof"

	"strata/eventstore"
)

// Inclusion is a proof that the log contains an event (RFC 6962 section 2.1.1).
type Inclusion struct {
	// Seq is the position of the event, and Index that of its leaf: Seq-1.
	Seq, Index int64
	// Size is the number of leaves of the tree.
	Size int64
	// Leaf is the leaf record, and LeafHash its hash.
	Leaf, LeafHash []byte
	// Root is the root of the tree.
	Root []byte
	// Hashes is the audit path, from the leaf up.
	Hashes [][]byte
	// Checkpoint is the signed note of the tree; empty if there is none of this size.
	Checkpoint string
}

// Consistency is a proof that the log of size To extends the log of size From (RFC 6962 section 2.1.2).
type Consistency struct {
	From, To         int64
	FromRoot, ToRoot []byte
	Hashes           [][]byte
	// FromCheckpoint and ToCheckpoint are the signed notes of the trees; empty if there is none of this size.
	FromCheckpoint, ToCheckpoint string
}

// ProveInclusion proves that event seq is among the first size events. Size 0 means the size of the newest checkpoint. It
// returns a RefusalError if seq or size is beyond the newest checkpoint.
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

// ProveConsistency proves that the log of to events extends the log of from events. To 0 means the size of the newest
// checkpoint. It returns a RefusalError if one of them is beyond the newest checkpoint.
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

// sizeOr checks that size is within the newest checkpoint. For 0 it returns the size of the newest checkpoint.
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

// tree returns the root over the first size events, and their checkpoint if there is one. It prefers the signed root to
// the root of the rows.
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
