package node

import (
	"context"
	"fmt"

	"strata/readapi/internal/engine"
)

// tenureChange is the payload type id of transactions that begin or extend a tenure (SIP-021).
const tenureChange = 7

// queryFeeBlocks adds to a batch the query for the canonical blocks from a height on. The rows of blocks already have
// the execution costs of their transactions; the query adds up the bytes of the transactions, without reading these.
func queryFeeBlocks(b *engine.Batch, from int64) *engine.Result[feeBlock] {
	return engine.Query(b, func(r *feeBlock) []any {
		return []any{&r.height, &r.seq, &r.took[0], &r.took[1], &r.took[2], &r.took[3], &r.took[4], &r.took[5], &r.begins}
	}, `
		SELECT {}, c.height, c.block_seq,
		       b.execution_cost_read_count, b.execution_cost_read_length, b.execution_cost_write_count, b.execution_cost_write_length,
		       b.execution_cost_runtime, t.bytes, t.begins
		FROM {chain}.canonical c
		JOIN {chain}.block b ON b.source_seq = c.block_seq
		CROSS JOIN LATERAL (
			SELECT coalesce(sum(octet_length(t.raw_tx)), 0)::bigint AS bytes, coalesce(bool_or(t.type_id = $2), false) AS begins
			FROM {chain}.transaction t
			WHERE t.source_seq = c.block_seq
		) t
		WHERE c.height >= $1
		ORDER BY c.height`, from, tenureChange)
}

// Bounds on the number of blocks. Six tenures of a chain with a block every five seconds are some 700 blocks.
const (
	feeBlocksMax = 4096 // blocks of a window
	feeBlocksTip = 16   // newest blocks that each update reads again, to see those that a reorganisation has replaced
)

// feeWindow is the newest canonical blocks of one version of the projection chain.
type feeWindow struct {
	epoch  [16]byte
	blocks []feeBlock // in the order of their heights, without gaps
}

// readFeeWindow brings a window up to date in one snapshot. It reads the newest blocks only; if these do not join the
// window, a second query reads the whole window.
func (a *api) readFeeWindow(ctx context.Context, before feeWindow) (feeWindow, error) {
	value, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		chain, ok := s.Tip("chain")
		if !ok {
			return feeWindow{}, nil
		}
		now := feeWindow{epoch: chain.Epoch}
		if before.epoch == chain.Epoch && len(before.blocks) > 0 {
			last := before.blocks[len(before.blocks)-1].height
			b := s.Batch()
			rows := queryFeeBlocks(b, max(before.blocks[0].height, min(last, *chain.Height)-feeBlocksTip+1))
			if err := b.Run(ctx); err != nil {
				return nil, err
			}
			if now.blocks, ok = joinBlocks(before.blocks, rows.Rows); ok {
				return now, nil
			}
		}
		b := s.Batch()
		rows := queryFeeBlocks(b, *chain.Height-feeBlocksMax+1)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		now.blocks = rows.Rows
		return now, nil
	})
	if err != nil {
		return feeWindow{}, fmt.Errorf("read how full recent tenures are: %w", err)
	}
	return value.(feeWindow), nil
}

// joinBlocks replaces the end of before with the blocks that were read since. ok is false when the first of these is
// not in before, so that blocks between the two may be missing. The blocks below a canonical block do not change while
// that block is canonical.
func joinBlocks(before, read []feeBlock) (blocks []feeBlock, ok bool) {
	if len(read) == 0 || len(before) == 0 {
		return nil, false
	}
	i := read[0].height - before[0].height
	if i < 0 || i >= int64(len(before)) || before[i].height != read[0].height || before[i].seq != read[0].seq {
		return nil, false
	}
	blocks = append(before[:i:i], read...)
	return blocks[max(0, len(blocks)-feeBlocksMax):], true
}
