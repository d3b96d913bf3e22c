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
	announced := &burnBlock{key: burnKey{hash: payload.Hash}, height: int64(payload.Height), seq: item.Seq, changed: item.Seq, size: item.Size}
	if payload.ConsensusHash != nil {
		announced.key.consensus = *payload.ConsensusHash
	}
	if payload.ParentHash != nil {
		announced.parent = *payload.ParentHash
	}
	if err := b.loadBurn(ctx, []hash.Hash32{announced.key.hash, announced.parent}, nil); err != nil {
		return err
	}
	sameHash := len(b.state.burn.byHash[announced.key.hash]) > 0
	current := b.state.burn.sameAs(announced)
	if current == nil {
		current = b.state.burn.put(announced)
	}
	if current == announced {
		b.rows.addBurnBlock(payload, announced)
		if announced.height > b.state.burnHighest {
			b.state.burnHighest = announced.height
			b.state.burn.queriedConsensus[announced.key.consensus] = true // of several with the same, the highest counts
		}
	}
	if current.canonical {
		return nil
	}
	forked, err := b.follow(ctx, current, item.Seq, false)
	if err != nil || b.chain.rule == Reference || !forked && !sameHash {
		return err
	}
	return b.reconsider(ctx, item.Seq)
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

// follow puts a Bitcoin block on the followed fork, and its ancestors as far as they are known. What can't be on one fork with these
// leaves it. It reports whether other blocks have come or gone.
//
// This is the only rule of what is followed:
//
//   - Of each height, one block is followed.
//   - If a followed block names its parent, no other block is followed directly below it. The parent itself is, if it is known.
//
// Holes are allowed: where nothing is known directly below or above, or old nodes named no parent, nothing leaves. Such a block
// comes from another node that started earlier, or fills a hole.
//
// An announced block is the newest that its node has. If something directly beside it leaves, so does all above it. A block that
// is restored may have others of its fork above. Only those leave that name a chain of parents down to what has left.
func (b *batch) follow(ctx context.Context, block *burnBlock, cause int64, restored bool) (forked bool, err error) {
	for {
		if err := b.loadBurn(ctx, []hash.Hash32{block.parent}, nil); err != nil {
			return forked, err
		}
		parent := b.state.burn.parentOf(block)
		isNext := block.height > b.state.burnTop && (block.height > b.state.burnTop+1 || block.parent.IsZero() || parent != nil && parent.canonical)
		if !isNext {
			left, err := b.leave(ctx, block, cause, restored)
			if err != nil {
				return forked, err
			}
			forked = forked || left
		}
		b.setFollowed(block, true, cause)
		b.state.burnTop = max(b.state.burnTop, block.height)
		if parent == nil || parent.canonical {
			return forked, nil
		}
		forked, restored, block = true, true, parent
	}
}

// leave takes off the followed fork what can't be on it together with a block that follow is about to put there.
func (b *batch) leave(ctx context.Context, block *burnBlock, cause int64, restored bool) (left bool, err error) {
	beside, err := b.burnAt(ctx, `canonical AND height = ANY ($1)`, []int64{block.height - 1, block.height, block.height + 1})
	if err != nil {
		return false, err
	}
	var replaced, named bool // a block at the height of block or above it leaves; the one above names block as its parent
	for _, other := range beside {
		switch {
		case other.height < block.height && fits(other, block):
			continue
		case other.height > block.height && fits(block, other):
			named = !other.parent.IsZero()
			continue
		}
		b.setFollowed(other, false, cause)
		left, replaced = true, replaced || other.height >= block.height
	}
	if !replaced && (!left || restored || named) {
		return left, nil
	}
	above, err := b.queryBurn(ctx, `canonical AND height > $1`, block.height)
	if err != nil {
		return false, err
	}
	for i, other := range above {
		switch {
		case !other.canonical: // it has left already
		case restored && (i == 0 || other.parent != above[i-1].key.hash):
			return left, nil
		default:
			b.setFollowed(other, false, cause)
		}
	}
	b.state.burnTop = block.height
	return left, nil
}

// fits reports whether upper, which is directly above lower, names it as its parent or names none.
func fits(lower, upper *burnBlock) bool {
	return upper.parent.IsZero() || upper.parent == lower.key.hash
}

// setFollowed sets whether a Bitcoin block is on the followed fork.
func (b *batch) setFollowed(block *burnBlock, canonical bool, cause int64) {
	block.canonical, block.changed = canonical, cause
	if block.stored {
		b.rows.burnChanged = append(b.rows.burnChanged, block)
	}
	b.burnMoved = append(b.burnMoved, block)
	b.burnCause = cause
	b.burnChangedFrom = min(b.burnChangedFrom, block.height)
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
	rows, _ := b.tx.Query(ctx, b.burnSQL(where), args...)
	return b.readBurn(rows)
}

// burnSQL returns a query of the Bitcoin blocks that a condition selects.
func (b *batch) burnSQL(where string) string {
	return b.sql(`
		SELECT burn_block_hash, consensus_hash, coalesce(parent_burn_block_hash, ''), height, source_seq, changed_seq, size, canonical
		FROM {schema}.burn_block WHERE ` + where + ` ORDER BY height, source_seq`)
}

// readBurn returns the Bitcoin blocks of a query of burnSQL.
func (b *batch) readBurn(rows pgx.Rows) ([]*burnBlock, error) {
	blocks, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*burnBlock, error) {
		var (
			block             burnBlock
			consensus, parent []byte
		)
		err := row.Scan(&block.key.hash, &consensus, &parent, &block.height, &block.seq, &block.changed, &block.size, &block.canonical)
		block.stored, block.stepSaysFollowed = true, block.canonical
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
// follows them, though it does not announce their Bitcoin blocks again. So isGood restores those that are orphaned, unless they can't
// be on one fork with the others.
func (b *batch) isGood(ctx context.Context, n *node, cause int64) (bool, error) {
	if b.chain.rule == Reference {
		return true, nil
	}
	orphaned, err := b.orphaned(ctx, n)
	if err != nil || orphaned {
		return false, err
	}
	all, restore := b.state.burn.under(n), false
	for {
		below, err := b.parent(ctx, n)
		if err != nil {
			return false, err
		}
		if below == nil {
			break
		}
		orphaned, err := b.orphaned(ctx, below)
		if err != nil {
			return false, err
		}
		if below.canonical && orphaned { // nothing better was known
			break
		}
		restore = restore || orphaned
		for _, block := range b.state.burn.under(below) {
			if !slices.Contains(all[max(0, len(all)-2):], block) {
				all = append(all, block)
			}
		}
		if n = below; n.canonical {
			break
		}
	}
	if !restore {
		return true, nil
	}
	return b.restore(ctx, all, cause)
}

// orphaned reports whether a Bitcoin block of n, its own or its burn view, is known and not followed.
func (b *batch) orphaned(ctx context.Context, n *node) (bool, error) {
	if err := b.loadBurn(ctx, []hash.Hash32{n.burnHash}, []hash.Hash20{n.consensus, n.burnView}); err != nil {
		return false, err
	}
	return slices.ContainsFunc(b.state.burn.under(n), func(block *burnBlock) bool { return !block.canonical }), nil
}

// restore puts the Bitcoin blocks of a branch back on the followed fork. It changes nothing and returns false if they can't all be
// on one fork.
func (b *batch) restore(ctx context.Context, all []*burnBlock, cause int64) (bool, error) {
	slices.SortStableFunc(all, func(one, other *burnBlock) int { return cmp.Compare(other.height, one.height) })
	all = slices.Compact(all)
	for i := range all[1:] {
		if one, err := b.onOneFork(ctx, all[i], all[i+1]); err != nil || !one {
			return false, err
		}
	}
	for _, block := range all {
		if block.canonical {
			continue
		}
		if _, err := b.follow(ctx, block, cause, true); err != nil {
			return false, err
		}
	}
	return true, nil
}

// onOneFork reports whether lower may be an ancestor of upper.
func (b *batch) onOneFork(ctx context.Context, upper, lower *burnBlock) (bool, error) {
	for upper.height > lower.height+1 {
		if err := b.loadBurn(ctx, []hash.Hash32{upper.parent}, nil); err != nil {
			return false, err
		}
		if upper = b.state.burn.parentOf(upper); upper == nil {
			return true, nil
		}
	}
	return upper.height > lower.height && fits(lower, upper), nil
}

// reconsider switches to the best tip after the followed Bitcoin fork has changed.
func (b *batch) reconsider(ctx context.Context, cause int64) error {
	if b.state.highest < 0 {
		return nil
	}
	t := &task{cause: cause}
	if err := b.chooseBest(ctx, t); err != nil || t.move == nil {
		return err
	}
	return b.begin(ctx, t)
}

// chooseBest lets a task move to the best block, unless that is the tip already.
func (b *batch) chooseBest(ctx context.Context, t *task) error {
	best, err := b.best(ctx)
	b.burnChangedFrom = math.MaxInt64
	if err == nil && best != nil && best != b.state.tip {
		t.move = moveTo(best)
	}
	return err
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
// nothing and does not trust canonical blocks. It stops at the first canonical ancestor whose Bitcoin blocks are below
// every changed one, as that ancestor was good before.
func (b *batch) ancestorsGood(ctx context.Context, n *node) (bool, error) {
	for n != nil {
		orphaned, err := b.orphaned(ctx, n)
		if err != nil || orphaned {
			return false, err
		}
		isChanged := func(block *burnBlock) bool { return block.height >= b.burnChangedFrom }
		if n.canonical && n.burnHeight < b.burnChangedFrom && !slices.ContainsFunc(b.state.burn.under(n), isChanged) {
			return true, nil
		}
		if n, err = b.parent(ctx, n); err != nil {
			return false, err
		}
	}
	return true, nil
}
