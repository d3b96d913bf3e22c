package pox

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/nodeevent"
	"strata/domain/shard"
	"strata/projections"
	"strata/projections/internal/ranked"
)

// bitcoinBlock is a Bitcoin block with the event that announced it.
type bitcoinBlock struct {
	*nodeevent.BurnBlock
	seq int64
}

func (f *bitcoinBlock) height() int64 { return int64(f.Height) }

// bitcoin folds the steps of Bitcoin blocks that join or leave the followed fork. It writes only the net change at each
// height.
func (b *batch) bitcoin(ctx context.Context, steps []projections.Step) error {
	removed, added := changedBlocks(steps)
	if len(removed) == 0 && len(added) == 0 {
		return nil
	}
	b.touched.Add(shard.Bitcoin)
	received := receipts{}
	var heights []int64
	for _, block := range removed {
		heights = append(heights, block.height())
		rows := rowsOf(block)
		b.list(rows, b.lists.Remove)
		received.add(rows, -1)
	}
	if err := b.removeBitcoin(ctx, heights); err != nil {
		return err
	}
	var all bitcoinRows
	for _, block := range added {
		rows := rowsOf(block)
		b.list(rows, b.lists.Add)
		received.add(rows, 1)
		all.append(rows)
	}
	if err := all.write(ctx, b); err != nil {
		return err
	}
	return received.write(ctx, b)
}

// changedBlocks returns the Bitcoin blocks whose rows must be removed, and those whose rows must be added, in order of
// height.
func changedBlocks(steps []projections.Step) (removed, added []bitcoinBlock) {
	before, after := map[int64]*bitcoinBlock{}, map[int64]*bitcoinBlock{} // by height; nil for none
	for i := range steps {
		step := &steps[i]
		content, ok := step.Record.(*nodeevent.BurnBlock)
		if !ok {
			continue
		}
		block := &bitcoinBlock{content, step.BlockSeq}
		height := block.height()
		if step.RecordKind == projections.BitcoinFollowed {
			if _, known := before[height]; !known {
				before[height] = nil
			}
			after[height] = block
			continue
		}
		if _, known := before[height]; !known {
			before[height] = block
		}
		after[height] = nil
	}
	for _, height := range slices.Sorted(maps.Keys(before)) {
		was, is := before[height], after[height]
		if was != nil && is != nil && was.seq == is.seq {
			continue
		}
		if was != nil {
			removed = append(removed, *was)
		}
		if is != nil {
			added = append(added, *is)
		}
	}
	return removed, added
}

// list applies a change to the lists that contain the rows.
func (b *batch) list(rows *bitcoinRows, change func(list string, key ranked.Key)) {
	for i := range rows.rewards {
		r := &rows.rewards[i]
		key := ranked.Key{r.height, int64(r.index)}
		change(listRewards, key)
		change(listRewardsOf+r.address, key)
		b.touched.Add(shard.BitcoinAddress(r.address))
	}
	for i := range rows.slots {
		s := &rows.slots[i]
		key := ranked.Key{s.height, int64(s.index)}
		change(listSlots, key)
		change(listSlotsOf+s.address, key)
		b.touched.Add(shard.BitcoinAddress(s.address))
	}
	for i := range rows.payouts {
		p := &rows.payouts[i]
		change(listPayoutsOf+p.address, ranked.Key{p.height, int64(p.index)})
		b.touched.Add(shard.BitcoinAddress(p.address))
	}
}

func (b *batch) removeBitcoin(ctx context.Context, heights []int64) error {
	if len(heights) == 0 {
		return nil
	}
	queries := &pgx.Batch{}
	for _, table := range []string{"burn_block", "reward", "slot", "payout"} {
		queries.Queue(b.sql(`DELETE FROM {schema}.`+table+` WHERE height = ANY ($1)`), heights)
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("remove %d Bitcoin blocks: %w", len(heights), err)
	}
	return nil
}

// receipts are the changes of the totals that addresses received.
type receipts map[string]*receipt

type receipt struct {
	amount  big.Int
	rewards int64
}

func (r receipts) add(rows *bitcoinRows, sign int64) {
	for i := range rows.rewards {
		reward := &rows.rewards[i]
		total := r[reward.address]
		if total == nil {
			total = &receipt{}
			r[reward.address] = total
		}
		total.rewards += sign
		total.amount.Add(&total.amount, new(big.Int).Mul(reward.amount, big.NewInt(sign)))
	}
}

// write adds the changes to the totals. The rewards must have been written before.
func (r receipts) write(ctx context.Context, b *batch) error {
	if len(r) == 0 {
		return nil
	}
	addresses := slices.Sorted(maps.Keys(r))
	rewards, amounts := make([]int64, len(addresses)), make([]pgtype.Numeric, len(addresses))
	var fewer []string // that may have no rewards any more
	for i, address := range addresses {
		total := r[address]
		if total.rewards <= 0 {
			fewer = append(fewer, address)
		}
		rewards[i], amounts[i] = total.rewards, projections.Amount(&total.amount)
	}
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`
		INSERT INTO {schema}.recipient AS r (source_seq, rewards, amount, recipient)
		SELECT coalesce(last.source_seq, 0), more.rewards, more.amount, more.recipient
		FROM unnest($1::bigint[], $2::numeric[], $3::text[]) AS more (rewards, amount, recipient)
		LEFT JOIN LATERAL (
			SELECT g.source_seq FROM {schema}.reward g WHERE g.recipient = more.recipient ORDER BY g.height DESC, g.reward_index DESC LIMIT 1
		) last ON true
		ON CONFLICT (recipient) DO UPDATE
		SET source_seq = excluded.source_seq, rewards = r.rewards + excluded.rewards, amount = r.amount + excluded.amount`),
		rewards, amounts, addresses)
	if len(fewer) > 0 {
		queries.Queue(b.sql(`DELETE FROM {schema}.recipient WHERE recipient = ANY ($1) AND rewards = 0`), fewer)
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("update the totals of %d addresses: %w", len(addresses), err)
	}
	return nil
}
