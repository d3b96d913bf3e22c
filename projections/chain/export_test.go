package chain

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"
)

// SetPiece sets how many blocks a transaction changes at most for one event.
func (c *Chain) SetPiece(blocks int) { c.piece = blocks }

// SetCache sets how many blocks are kept in memory.
func (c *Chain) SetCache(blocks int) { c.cache = blocks }

func (t *task) text() string {
	if t == nil || t.move == nil {
		return fmt.Sprintf("%+v", t)
	}
	return fmt.Sprintf("%d %v %t %+v", t.cause, t.arrivals, t.orphaned, *t.move)
}

// CheckMemory returns an error if what the projection keeps in memory is not what it would read from the tables.
func (c *Chain) CheckMemory(ctx context.Context, tx pgx.Tx) error {
	kept := c.state
	if kept == nil {
		return nil
	}
	b := &batch{chain: c, tx: tx}
	read, err := b.readState(ctx)
	if err != nil {
		return err
	}
	ids := [][]byte{}
	for id := range kept.nodes.byID {
		ids = append(ids, id[:])
	}
	queries := &pgx.Batch{}
	b.queueNodes(queries, `b.index_block_hash = ANY ($1)`, ids)
	hashes := slices.Collect(maps.Keys(kept.burn.queriedHashes))
	for key := range kept.burn.byKey {
		hashes = append(hashes, key.hash)
	}
	b.queueBurn(queries, hashes, slices.Collect(maps.Keys(kept.burn.queriedConsensus)))
	if err := tx.SendBatch(ctx, queries).Close(); err != nil {
		return err
	}
	differ := func(what string, kept, read any) {
		if !reflect.DeepEqual(kept, read) && err == nil {
			err = fmt.Errorf("%s: in memory %+v, in the tables %+v", what, kept, read)
		}
	}
	differ("last step", kept.lastStep, read.lastStep)
	differ("highest followed Bitcoin block", kept.burnTop, read.burnTop)
	differ("highest block", kept.highest, read.highest)
	differ("highest Bitcoin block", kept.burnHighest, read.burnHighest)
	differ("tip", kept.tip, read.tip)
	differ("root", kept.root, read.root)
	differ("gaps", kept.gaps, read.gaps)
	differ("unknown fields", kept.unknown, read.unknown)
	differ("network", kept.network, read.network)
	differ("whether there are other networks", kept.foreign, read.foreign)
	differ("where a history may begin", kept.partial, read.partial)
	differ("task", kept.task.text(), read.task.text())
	differ("missing blocks", len(kept.nodes.missing), 0)
	for id, n := range kept.nodes.byID {
		differ("block", n, read.nodes.byID[id])
	}
	for key, block := range kept.burn.byKey {
		differ("Bitcoin block", block, read.burn.byKey[key])
	}
	bySeq := func(blocks []*burnBlock) []*burnBlock {
		return slices.SortedFunc(slices.Values(blocks), func(one, other *burnBlock) int { return cmp.Compare(one.seq, other.seq) })
	}
	for h := range kept.burn.queriedHashes {
		differ("Bitcoin blocks with a hash", bySeq(kept.burn.byHash[h]), bySeq(read.burn.byHash[h]))
	}
	for h := range kept.burn.queriedConsensus {
		differ("Bitcoin blocks of a sortition", bySeq(kept.burn.byConsensus[h]), bySeq(read.burn.byConsensus[h]))
	}
	for id := range kept.aboveGap {
		n, failed := b.node(ctx, id)
		if failed != nil {
			return failed
		}
		bottom, failed := b.lowestWaiting(ctx, n)
		if failed != nil {
			return failed
		}
		differ("a block waits above the first one", true, n.attached || bottom.height > read.root.height+1)
	}
	return err
}
