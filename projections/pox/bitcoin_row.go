package pox

import (
	"bytes"
	"cmp"
	"context"
	"math/big"
	"slices"

	"strata/domain/hash"
	"strata/projections"
)

// bitcoinRow is a reward, slot or payout of a Bitcoin block. index is its place in the block.
type bitcoinRow struct {
	height, seq int64
	index       int
	address     string
	amount      *big.Int // nil for slots
}

// payoutRow is an output of a block commit.
type payoutRow struct {
	bitcoinRow
	utxo               *uint32
	commitment, output int
	txid               hash.Hash32
}

// bitcoinRows are the rows of Bitcoin blocks.
type bitcoinRows struct {
	blocks         [][]any
	rewards, slots []bitcoinRow
	payouts        []payoutRow
}

// rowsOf returns the rows of a Bitcoin block.
func rowsOf(block bitcoinBlock) *bitcoinRows {
	rows := &bitcoinRows{payouts: payoutsOf(block)}
	blank := bitcoinRow{height: block.height(), seq: block.seq}
	for i, payout := range block.RewardRecipients {
		row := blank
		row.index, row.address, row.amount = i, projections.Text(payout.Recipient), new(big.Int).SetUint64(payout.Amount)
		rows.rewards = append(rows.rewards, row)
	}
	for i, address := range block.RewardSlotHolders {
		row := blank
		row.index, row.address = i, projections.Text(address)
		rows.slots = append(rows.slots, row)
	}
	rows.blocks = [][]any{{
		blank.height, blank.seq, projections.Amount(new(big.Int).SetUint64(block.BurnAmount)),
		int32(len(rows.rewards)), int32(len(rows.slots)), int32(len(rows.payouts)), block.Hash[:],
	}}
	return rows
}

// payoutsOf returns the outputs of a block's commits in descending order of transaction ids and outputs.
func payoutsOf(block bitcoinBlock) []payoutRow {
	var rows []payoutRow
	for i := range block.PoxTransactions {
		commitment := &block.PoxTransactions[i]
		for j, payout := range commitment.Payouts {
			rows = append(rows, payoutRow{
				bitcoinRow: bitcoinRow{
					height: block.height(), seq: block.seq, address: projections.Text(payout.Recipient), amount: new(big.Int).SetUint64(payout.Amount),
				},
				utxo: payout.UTXOIndex, commitment: i, output: j, txid: commitment.TxID,
			})
		}
	}
	slices.SortFunc(rows, func(one, other payoutRow) int {
		return -cmp.Or(bytes.Compare(one.txid[:], other.txid[:]), cmp.Compare(outputOf(one.utxo), outputOf(other.utxo)),
			cmp.Compare(one.commitment, other.commitment), cmp.Compare(one.output, other.output))
	})
	for i := range rows {
		rows[i].index = i
	}
	return rows
}

// outputOf returns the index of an output, or -1 if the node did not send it.
func outputOf(utxo *uint32) int64 {
	if utxo == nil {
		return -1
	}
	return int64(*utxo)
}

func (r *bitcoinRows) append(more *bitcoinRows) {
	r.blocks = append(r.blocks, more.blocks...)
	r.rewards, r.slots, r.payouts = append(r.rewards, more.rewards...), append(r.slots, more.slots...), append(r.payouts, more.payouts...)
}

func (r *bitcoinRows) write(ctx context.Context, b *batch) error {
	if err := b.copy(ctx, "burn_block", "height source_seq burn_amount rewards slots payouts burn_block_hash", r.blocks); err != nil {
		return err
	}
	rewards, slots, payouts := make([][]any, len(r.rewards)), make([][]any, len(r.slots)), make([][]any, len(r.payouts))
	for i := range r.rewards {
		row := &r.rewards[i]
		rewards[i] = []any{row.height, row.seq, int32(row.index), projections.Amount(row.amount), row.address}
	}
	for i := range r.slots {
		row := &r.slots[i]
		slots[i] = []any{row.height, row.seq, int32(row.index), row.address}
	}
	for i := range r.payouts {
		row := &r.payouts[i]
		var utxo any
		if row.utxo != nil {
			utxo = int64(*row.utxo)
		}
		payouts[i] = []any{
			row.height, row.seq, utxo, int32(row.index), int32(row.commitment), int32(row.output), projections.Amount(row.amount), row.txid[:], row.address,
		}
	}
	if err := b.copy(ctx, "reward", "height source_seq reward_index amount recipient", rewards); err != nil {
		return err
	}
	if err := b.copy(ctx, "slot", "height source_seq slot_index address", slots); err != nil {
		return err
	}
	return b.copy(ctx, "payout", "height source_seq utxo_index rank commitment output amount txid recipient", payouts)
}
