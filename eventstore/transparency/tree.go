package transparency

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// A tile spans eight levels of the tree (https://c2sp.org/tlog-tiles).
const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
	// levelsMax is the number of tile levels of the largest tree whose size fits an int64.
	levelsMax = 8
)

var (
	hasher = rfc6962.DefaultHasher
	ranges = compact.RangeFactory{Hash: hasher.HashChildren}
)

// perfectRoot returns the root over hashes, whose number must be a power of two. It overwrites hashes.
func perfectRoot(hashes [][]byte) []byte {
	for len(hashes) > 1 {
		half := hashes[:len(hashes)/2]
		for i := range half {
			half[i] = hasher.HashChildren(hashes[2*i], hashes[2*i+1])
		}
		hashes = half
	}
	return hashes[0]
}

// subtreeSQL reads stored subtrees of a level, with $2 <= n < $3.
const subtreeSQL = `SELECT hash FROM log.subtree WHERE level = $1 AND n >= $2 AND n < $3 ORDER BY n`

// hashesAt returns the hashes with from <= n < to of a tile level.
func hashesAt(ctx context.Context, db database, level int, from, to int64) ([][]byte, error) {
	if level == 0 {
		return leafHashes(ctx, db, from, to) // the leaf n is the event n + 1
	}
	rows, err := db.Query(ctx, subtreeSQL, level, from, to)
	if err != nil {
		return nil, fmt.Errorf("read subtrees of level %d: %w", level, err)
	}
	return collectSubtrees(rows, level, from, to)
}

func collectSubtrees(rows pgx.Rows, level int, from, to int64) ([][]byte, error) {
	hashes, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err == nil && int64(len(hashes)) != to-from {
		err = fmt.Errorf("got %d: %w", len(hashes), ErrMismatch)
	}
	if err != nil {
		return nil, fmt.Errorf("read the subtrees %d to %d of level %d: %w", from, to-1, level, err)
	}
	return hashes, nil
}

// nodes returns the hashes of perfect nodes of the tree, which must be covered by stored rows. It reads all of them in one
// round trip, with at most 128 rows for each.
func nodes(ctx context.Context, db database, ids []compact.NodeID) ([][]byte, error) {
	hashes := make([][]byte, len(ids))
	var b pgx.Batch
	for i, id := range ids {
		level, below := int(id.Level/tileHeight), id.Level%tileHeight
		from, to := int64(id.Index<<below), int64((id.Index+1)<<below)
		take := func(leaves [][]byte, err error) error {
			if err == nil {
				hashes[i] = perfectRoot(leaves)
			}
			return err
		}
		if level == 0 {
			b.Queue(leafSQL, from, to).Query(func(rows pgx.Rows) error { return take(collectLeafHashes(rows, from, to)) })
			continue
		}
		b.Queue(subtreeSQL, level, from, to).Query(func(rows pgx.Rows) error { return take(collectSubtrees(rows, level, from, to)) })
	}
	if err := db.SendBatch(ctx, &b).Close(); err != nil {
		return nil, fmt.Errorf("read %d nodes of the tree: %w", len(ids), err)
	}
	return hashes, nil
}

// frontierOf computes the frontier of the first size events from the stored subtrees and the rows after them.
func frontierOf(ctx context.Context, db database, size int64) ([][]byte, error) {
	return nodes(ctx, db, compact.RangeNodes(0, uint64(size), nil))
}

// rootOf computes the root over the first size events.
func rootOf(ctx context.Context, db database, size int64) ([]byte, error) {
	if size == 0 {
		return hasher.EmptyRoot(), nil
	}
	hashes, err := frontierOf(ctx, db, size)
	if err != nil {
		return nil, err
	}
	r, err := ranges.NewRange(0, uint64(size), hashes)
	if err != nil {
		return nil, fmt.Errorf("root of the first %d events: %w", size, err)
	}
	return r.GetRootHash(nil)
}

// inclusionProof returns the proof that a leaf is in the tree over the first size events (RFC 6962 section 2.1.1).
func inclusionProof(ctx context.Context, db database, index, size int64) ([][]byte, error) {
	plan, err := proof.Inclusion(uint64(index), uint64(size))
	if err != nil {
		return nil, err
	}
	return prove(ctx, db, plan)
}

// consistencyProof returns the proof that the tree over the first to events extends the tree over the first from events
// (RFC 6962 section 2.1.2).
func consistencyProof(ctx context.Context, db database, from, to int64) ([][]byte, error) {
	plan, err := proof.Consistency(uint64(from), uint64(to))
	if err != nil {
		return nil, err
	}
	return prove(ctx, db, plan)
}

func prove(ctx context.Context, db database, plan proof.Nodes) ([][]byte, error) {
	hashes, err := nodes(ctx, db, plan.IDs)
	if err != nil {
		return nil, err
	}
	return plan.Rehash(hashes, hasher.HashChildren)
}
