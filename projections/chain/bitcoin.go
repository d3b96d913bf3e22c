package chain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/projections"
)

// burnBlock folds the announcement of a Bitcoin block.
func (b *batch) burnBlock(ctx context.Context, item projections.LogItem, payload *nodeevent.BurnBlock) error {
	if err := readable(payload); err != nil {
		return err
	}
	seq := item.Seq
	announced := &burnBlock{key: burnKey{hash: payload.Hash}, height: int64(payload.Height), seq: seq, size: item.Size}
	if payload.ConsensusHash != nil {
		announced.key.consensus = *payload.ConsensusHash
	}
	if payload.ParentHash != nil {
		announced.parent = *payload.ParentHash
	}
	if err := b.loadBurn(ctx, []hash.Hash32{announced.key.hash, announced.parent}, nil); err != nil {
		return err
	}
	known := b.state.burn.get(announced.key)
	if known != nil && known.canonical {
		return nil
	}
	forked, err := b.activate(ctx, announced, seq)
	if err != nil {
		return err
	}
	if known == nil {
		b.rows.addBurnBlock(seq, payload, announced)
		if announced.height > b.state.burnHighest {
			b.state.burnHighest = announced.height
			b.state.burn.queriedConsensus[announced.key.consensus] = true // of several with the same, the highest counts
		}
	}
	if !forked || b.chain.rule == Reference {
		return nil
	}
	return b.reconsider(ctx, seq)
}

// readable returns an error for values that no chain can have or that no index could hold.
func readable(payload *nodeevent.BurnBlock) error {
	if payload.Height > math.MaxInt64 {
		return unreadable("/burn_block_height", "a number below 2^63", payload.Height)
	}
	payouts := func(pointer string, list []nodeevent.BurnPayout) error {
		for i := range list {
			if name := list[i].Recipient; len(name) > nameMax {
				return unreadable(fmt.Sprintf("%s/reward_recipients/%d/recipient", pointer, i), addressWanted, name[:nameMax])
			}
		}
		return nil
	}
	if err := payouts("", payload.RewardRecipients); err != nil {
		return err
	}
	for i, name := range payload.RewardSlotHolders {
		if len(name) > nameMax {
			return unreadable(fmt.Sprintf("/reward_slot_holders/%d", i), addressWanted, name[:nameMax])
		}
	}
	for i := range payload.PoxTransactions {
		if err := payouts(fmt.Sprintf("/pox_transactions/%d", i), payload.PoxTransactions[i].Payouts); err != nil {
			return err
		}
	}
	return nil
}

// activate puts a Bitcoin block and its ancestors on the followed fork. It removes all other blocks at their heights,
// and those above the block, from that fork. It reports whether blocks that were known before have changed.
//
// A block at a height where no other is known is no fork, even below the highest: it comes from another node that
// started earlier, or fills a hole.
func (b *batch) activate(ctx context.Context, top *burnBlock, cause int64) (forked bool, err error) {
	rises := top.height > b.state.burnTop
	if !rises {
		rivals, err := b.burnAt(ctx, `height = $1 AND canonical`, top.height)
		if err != nil {
			return false, err
		}
		if len(rivals) > 0 {
			fallen, err := b.burnAt(ctx, `height >= $1 AND canonical`, top.height)
			if err != nil {
				return false, err
			}
			for _, block := range fallen {
				b.follow(block, false, cause)
			}
			forked, rises = true, true
		}
	}
	current := b.state.burn.put(top)
	if current == top {
		top.canonical = true
		b.noteMove(top, cause)
	} else {
		b.follow(current, true, cause)
		forked = true
	}
	if rises {
		b.state.burnTop = top.height
	}
	for child := current; !child.parent.IsZero(); {
		if err := b.loadBurn(ctx, []hash.Hash32{child.parent}, nil); err != nil {
			return forked, err
		}
		parent := b.parentOf(child)
		if parent == nil || parent.canonical {
			return forked, nil
		}
		if err := b.followInstead(ctx, parent, cause); err != nil {
			return forked, err
		}
		forked = true
		child = parent
	}
	return forked, nil
}

// follow sets whether a known Bitcoin block is on the followed fork.
func (b *batch) follow(block *burnBlock, canonical bool, cause int64) {
	block.canonical = canonical
	b.rows.burnChanged = append(b.rows.burnChanged, burnChange{block, cause})
	b.noteMove(block, cause)
	b.burnChangedFrom = min(b.burnChangedFrom, block.height)
}

// noteMove remembers a Bitcoin block that has joined or left the followed fork, for addBurnSteps.
func (b *batch) noteMove(block *burnBlock, cause int64) {
	b.burnCause = cause
	b.burnMoved = append(b.burnMoved, block)
}

// addBurnSteps adds steps for the Bitcoin blocks that have joined or left the followed fork since its last call. Their
// place is after the blocks that the same event reverts, and before those that it applies.
func (b *batch) addBurnSteps() {
	var left, followed []*burnBlock
	for _, block := range b.burnMoved {
		switch {
		case block.stepSaysFollowed == block.canonical: // moved there and back again
			continue
		case block.canonical:
			followed = append(followed, block)
		default:
			left = append(left, block)
		}
		block.stepSaysFollowed = block.canonical
	}
	b.burnMoved = b.burnMoved[:0]
	byHeight := func(one, other *burnBlock) int { return cmp.Compare(one.height, other.height) }
	slices.SortStableFunc(left, func(one, other *burnBlock) int { return byHeight(other, one) })
	slices.SortStableFunc(followed, byHeight)
	for _, block := range left {
		b.rows.bitcoin(block, projections.BitcoinLeft, b.burnCause, b.state.tip, b.nextStep())
	}
	for _, block := range followed {
		b.rows.bitcoin(block, projections.BitcoinFollowed, b.burnCause, b.state.tip, b.nextStep())
	}
}

// followInstead puts an orphaned Bitcoin block back on the followed fork, in place of the blocks at its height.
func (b *batch) followInstead(ctx context.Context, block *burnBlock, cause int64) error {
	rivals, err := b.burnAt(ctx, `height = $1 AND canonical`, block.height)
	if err != nil {
		return err
	}
	for _, rival := range rivals {
		b.follow(rival, false, cause)
	}
	b.follow(block, true, cause)
	return nil
}

// parentOf returns the announcement of a block's parent, or nil if there is none. Of a parent that was announced with
// several sortitions it returns the canonical one, else the last.
func (b *batch) parentOf(child *burnBlock) *burnBlock {
	known := b.state.burn.byHash[child.parent]
	for _, parent := range known {
		if parent.canonical {
			return parent
		}
	}
	if len(known) == 0 {
		return nil
	}
	return known[len(known)-1]
}

// burnAt flushes the batch and then returns the announced Bitcoin blocks that a condition selects.
func (b *batch) burnAt(ctx context.Context, where string, args ...any) ([]*burnBlock, error) {
	if err := b.flush(ctx); err != nil {
		return nil, err
	}
	return b.queryBurn(ctx, where, args...)
}

// queryBurn returns the announced Bitcoin blocks that a condition selects as of the last flush. A block that is already
// in memory is returned from there, because it may be newer than its row.
func (b *batch) queryBurn(ctx context.Context, where string, args ...any) ([]*burnBlock, error) {
	rows, err := b.tx.Query(ctx, b.burnSQL(where), args...)
	if err != nil {
		return nil, fmt.Errorf("look up Bitcoin blocks: %w", err)
	}
	return b.readBurn(rows)
}

// burnSQL returns a query of the Bitcoin blocks that a condition selects.
func (b *batch) burnSQL(where string) string {
	return b.sql(`
		SELECT burn_block_hash, consensus_hash, coalesce(parent_burn_block_hash, ''), height, source_seq, size, canonical
		FROM {schema}.burn_block WHERE ` + where + ` ORDER BY height, source_seq`)
}

// readBurn returns the Bitcoin blocks of a query of burnSQL.
func (b *batch) readBurn(rows pgx.Rows) ([]*burnBlock, error) {
	blocks, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*burnBlock, error) {
		var (
			block             burnBlock
			consensus, parent []byte
		)
		err := row.Scan(&block.key.hash, &consensus, &parent, &block.height, &block.seq, &block.size, &block.canonical)
		block.stepSaysFollowed = block.canonical
		copy(block.key.consensus[:], consensus)
		copy(block.parent[:], parent)
		return &block, err
	})
	if err != nil {
		return nil, fmt.Errorf("look up Bitcoin blocks: %w", err)
	}
	for i, block := range blocks {
		blocks[i] = b.state.burn.put(block)
	}
	return blocks, nil
}

// loadBurn loads the Bitcoin blocks with these hashes or consensus hashes into memory.
func (b *batch) loadBurn(ctx context.Context, hashes []hash.Hash32, consensus []hash.Hash20) error {
	queries := &pgx.Batch{}
	b.queueBurn(queries, hashes, consensus)
	if queries.Len() == 0 {
		return nil
	}
	return b.tx.SendBatch(ctx, queries).Close()
}

// queueBurn queues what loadBurn asks. It queries the table once for each hash.
func (b *batch) queueBurn(queries *pgx.Batch, hashes []hash.Hash32, consensus []hash.Hash20) {
	var byHash, byConsensus [][]byte
	for _, h := range hashes {
		if !b.state.burn.queriedHashes[h] && !h.IsZero() {
			b.state.burn.queriedHashes[h] = true
			byHash = append(byHash, h[:])
		}
	}
	for _, h := range consensus {
		if !b.state.burn.queriedConsensus[h] && !h.IsZero() {
			b.state.burn.queriedConsensus[h] = true
			byConsensus = append(byConsensus, h[:])
		}
	}
	load := func(rows pgx.Rows) error {
		_, err := b.readBurn(rows)
		return err
	}
	// Two queries, so that each uses its index.
	if len(byHash) > 0 {
		queries.Queue(b.burnSQL(`burn_block_hash = ANY ($1)`), byHash).Query(load)
	}
	if len(byConsensus) > 0 {
		queries.Queue(b.burnSQL(`consensus_hash = ANY ($1)`), byConsensus).Query(load)
	}
}

// isGood reports whether n is on the followed Bitcoin fork. If it is, so are its ancestors: the node that announced n
// follows them, though it does not announce their Bitcoin blocks again. So isGood restores those that are orphaned.
func (b *batch) isGood(ctx context.Context, n *node, cause int64) (bool, error) {
	if b.chain.rule == Reference {
		return true, nil
	}
	orphaned, err := b.orphaned(ctx, n)
	if err != nil || orphaned {
		return false, err
	}
	for {
		below, err := b.parent(ctx, n)
		if err != nil || below == nil || below.canonical {
			return err == nil, err
		}
		orphaned, err := b.orphaned(ctx, below)
		if err != nil {
			return false, err
		}
		if orphaned {
			if err := b.bringBack(ctx, below, cause); err != nil {
				return false, err
			}
		}
		n = below
	}
}

func (b *batch) orphaned(ctx context.Context, n *node) (bool, error) {
	if err := b.loadBurn(ctx, []hash.Hash32{n.burnHash}, []hash.Hash20{n.consensus, n.burnView}); err != nil {
		return false, err
	}
	return b.state.burn.orphaned(n.burnHash, n.consensus) || b.state.burn.orphanedView(n.burnView), nil
}

// bringBack puts the Bitcoin blocks of n (its own and its burn view) back on the followed fork.
func (b *batch) bringBack(ctx context.Context, n *node, cause int64) error {
	var behind []*burnBlock
	for _, block := range b.state.burn.byHash[n.burnHash] {
		if n.consensus.IsZero() || block.key.consensus.IsZero() || block.key.consensus == n.consensus {
			behind = append(behind, block)
		}
	}
	if view := b.state.burn.byConsensus[n.burnView]; view != nil && !n.burnView.IsZero() {
		behind = append(behind, view)
	}
	for _, block := range behind {
		if block.canonical {
			continue
		}
		if err := b.followInstead(ctx, block, cause); err != nil {
			return err
		}
	}
	return nil
}

// reconsider switches to the best tip after the followed Bitcoin fork has changed.
func (b *batch) reconsider(ctx context.Context, cause int64) error {
	if b.state.tip == nil {
		return nil
	}
	best, err := b.best(ctx)
	b.burnChangedFrom = math.MaxInt64
	if err != nil || best == nil || best == b.state.tip {
		return err
	}
	return b.begin(ctx, &task{cause: cause, move: moveTo(best)})
}

// bestPage is the number of candidates that best reads with one query.
const bestPage = 256

// best returns the best block whose Bitcoin blocks, and those of its ancestors, are good. It searches from the top, so
// its cost grows with the number of orphaned blocks. It returns nil if even the root is orphaned: nothing better is
// known then, and the tip stays.
func (b *batch) best(ctx context.Context) (*node, error) {
	if err := b.flush(ctx); err != nil {
		return nil, err
	}
	height, burnHeight, seq := int64(math.MaxInt64), int64(math.MaxInt64), int64(0)
	for {
		page, err := b.queryNodes(ctx, `
			b.attached AND (b.height, b.burn_block_height) <= ($1, $2)
			AND NOT (b.height = $1 AND b.burn_block_height = $2 AND b.first_seq <= $3)
			ORDER BY b.height DESC, b.burn_block_height DESC, b.first_seq
			LIMIT $4`, height, burnHeight, seq, bestPage)
		if err != nil {
			return nil, err
		}
		for _, candidate := range page {
			good, err := b.ancestorsGood(ctx, candidate)
			if err != nil {
				return nil, err
			}
			if good {
				return candidate, nil
			}
			height, burnHeight, seq = candidate.height, candidate.burnHeight, candidate.firstSeq
		}
		if len(page) < bestPage {
			return nil, nil
		}
	}
}

// ancestorsGood reports whether n and all its ancestors are on the followed Bitcoin fork. Unlike isGood, it restores
// nothing and does not trust canonical blocks. It stops at the first canonical ancestor whose Bitcoin block is below
// every changed one, as that ancestor was good before.
func (b *batch) ancestorsGood(ctx context.Context, n *node) (bool, error) {
	for n != nil {
		orphaned, err := b.orphaned(ctx, n)
		if err != nil || orphaned {
			return false, err
		}
		if n.canonical && n.burnHeight < b.burnChangedFrom {
			return true, nil
		}
		if n, err = b.parent(ctx, n); err != nil {
			return false, err
		}
	}
	return true, nil
}
