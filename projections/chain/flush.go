package chain

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"strata/domain/hash"
	"strata/projections"
)

// flush writes the rows collected so far. A batch must flush before it reads from the tables what it may have changed.
func (b *batch) flush(ctx context.Context) error {
	r := b.rows
	b.rows = rows{}
	for _, write := range []func(context.Context, *rows) error{
		b.writeBlocks, b.writeUpdated, b.writeMicroblocks, b.writeCanonical, b.writeBurnBlocks, b.writeGaps,
		b.writeNarrow, b.writeUnknown, b.writeForeign,
	} {
		if err := write(ctx, &r); err != nil {
			return err
		}
	}
	steps := make([][]any, len(r.steps))
	for i := range r.steps {
		steps[i] = r.steps[i].values()
		b.written = append(b.written, r.steps[i].Step)
	}
	for _, table := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{
		{"transaction", transactionColumns, r.transactions},
		{"event", eventColumns, r.events},
		{"contract", contractColumns, r.contracts},
		{"microblock_confirmation", []string{"source_seq", "sequence", "microblock_hash"}, r.confirmations},
		{"step", stepColumns, steps},
	} {
		if err := b.copy(ctx, table.name, table.columns, table.rows); err != nil {
			return err
		}
	}
	if err := b.writeInterfaces(ctx, &r); err != nil {
		return err
	}
	if err := b.state.contracts.Write(ctx, b.tx); err != nil {
		return err
	}
	return projections.WriteQuarantine(ctx, b.tx, b.chain.spec, b.chain.logger, r.quarantined)
}

func (b *batch) copy(ctx context.Context, table string, columns []string, rows [][]any) error {
	return b.chain.spec.Copy(ctx, b.tx, table, columns, rows)
}

var blockColumns = []string{
	"source_seq", "first_seq", "height", "size", "burn_block_height", "burn_block_time", "block_time", "tenure_height",
	"parent_burn_block_height", "parent_burn_block_time",
	"pox_v1_unlock_height", "pox_v2_unlock_height", "pox_v3_unlock_height", "pox_v4_unlock_height", "cycle_number",
	"execution_cost_read_count", "execution_cost_read_length", "execution_cost_runtime", "execution_cost_write_count", "execution_cost_write_length",
	"tx_count", "event_count", "interface_count", "parent_microblock_sequence", "attached", "nakamoto",
	"index_block_hash", "parent_index_block_hash", "block_hash", "parent_block_hash", "burn_block_hash", "parent_burn_block_hash",
	"consensus_hash", "burn_view", "miner_txid", "parent_microblock_hash",
	"signer_bitvec", "signer_signature_hash", "miner_signature", "signer_signatures",
}

func (b *batch) writeBlocks(ctx context.Context, r *rows) error {
	out := make([][]any, len(r.blocks))
	for i, row := range r.blocks {
		c, n := row.content, row.node
		var parentSequence int32
		if c.ParentMicroblockSequence != nil {
			parentSequence = int32(*c.ParentMicroblockSequence)
		}
		out[i] = []any{
			n.seq, n.firstSeq, n.height, n.size, n.burnHeight, int64(c.BurnBlockTime), number(c.Time), number(c.TenureHeight),
			number(c.ParentBurnBlockHeight), number(c.ParentBurnBlockTime),
			number(c.PoxV1UnlockHeight), number(c.PoxV2UnlockHeight), number(c.PoxV3UnlockHeight), number(c.PoxV4UnlockHeight), number(c.CycleNumber),
			int64(row.cost.ReadCount), int64(row.cost.ReadLength), int64(row.cost.Runtime), int64(row.cost.WriteCount), int64(row.cost.WriteLength),
			int32(len(c.Transactions)), int32(row.events), int32(n.content.interfaces), parentSequence, n.attached, c.IsNakamoto(),
			n.id[:], n.parent[:], n.blockHash[:], c.ParentBlockHash[:], n.burnHash[:], hash32(c.ParentBurnBlockHash),
			hash20(n.consensus), hash20(n.burnView), c.MinerTxID[:], c.ParentMicroblock[:],
			c.SignerBitvec, hash32(c.SignerSignatureHash), c.MinerSignature, c.SignerSignatures,
		}
	}
	if err := b.copy(ctx, "block", blockColumns, out); err != nil {
		return err
	}
	for _, row := range r.blocks {
		row.node.stored = true
	}
	return nil
}

// writeUpdated updates the rows of blocks that waited for their ancestors and are attached now.
func (b *batch) writeUpdated(ctx context.Context, r *rows) error {
	if len(r.updated) == 0 {
		return nil
	}
	seqs, views := make([]int64, len(r.updated)), make([][]byte, len(r.updated))
	for i, n := range r.updated {
		seqs[i], views[i] = n.seq, hash20(n.burnView)
	}
	_, err := b.tx.Exec(ctx, b.sql(`
		UPDATE {schema}.block b SET attached = true, burn_view = u.burn_view
		FROM unnest($1::bigint[], $2::bytea[]) AS u (seq, burn_view)
		WHERE b.source_seq = u.seq`), seqs, views)
	if err != nil {
		return fmt.Errorf("attach %d blocks: %w", len(seqs), err)
	}
	return nil
}

func (b *batch) writeMicroblocks(ctx context.Context, r *rows) error {
	if len(r.microblocks) == 0 {
		return nil
	}
	var (
		seqs             = make([]int64, len(r.microblocks))
		sequences        = make([]int32, len(r.microblocks))
		counts           = make([]int32, len(r.microblocks))
		hashes           = make([][]byte, len(r.microblocks))
		parents, anchors = make([][]byte, len(r.microblocks)), make([][]byte, len(r.microblocks))
	)
	for i := range r.microblocks {
		m := &r.microblocks[i]
		seqs[i], sequences[i], counts[i] = m.seq, int32(m.Sequence), int32(m.transactions)
		hashes[i], parents[i], anchors[i] = m.Hash[:], m.ParentHash[:], m.parent[:]
	}
	// The first announcement of a microblock counts; sibling blocks may confirm the same one.
	_, err := b.tx.Exec(ctx, b.sql(`
		INSERT INTO {schema}.microblock (source_seq, sequence, tx_count, microblock_hash, microblock_parent_hash, parent_index_block_hash)
		SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bytea[], $5::bytea[], $6::bytea[])
		ON CONFLICT DO NOTHING`), seqs, sequences, counts, hashes, parents, anchors)
	if err != nil {
		return fmt.Errorf("write %d microblocks: %w", len(seqs), err)
	}
	return nil
}

func (b *batch) writeCanonical(ctx context.Context, r *rows) error {
	if len(r.vacated) > 0 {
		heights := slices.Sorted(maps.Keys(r.vacated))
		if _, err := b.tx.Exec(ctx, b.sql(`DELETE FROM {schema}.canonical WHERE height = ANY ($1)`), heights); err != nil {
			return fmt.Errorf("revert %d blocks: %w", len(heights), err)
		}
	}
	out := make([][]any, 0, len(r.canonical))
	for _, height := range slices.Sorted(maps.Keys(r.canonical)) {
		row := r.canonical[height]
		out = append(out, []any{height, row.block, row.source})
	}
	return b.copy(ctx, "canonical", []string{"height", "block_seq", "source_seq"}, out)
}

// writeBurnBlocks writes those that leave the followed fork first, as no two of one height may be followed at any moment.
func (b *batch) writeBurnBlocks(ctx context.Context, r *rows) error {
	if err := b.switchBurnBlocks(ctx, r.burnChanged, false); err != nil {
		return err
	}
	out := make([][]any, len(r.burnAnnounced))
	for i, row := range r.burnAnnounced {
		block := row.block
		var parent []byte
		if !block.parent.IsZero() {
			parent = block.parent[:]
		}
		out[i] = []any{
			block.height, block.seq, block.changed, block.size, unsigned(row.payload.BurnAmount), block.canonical,
			block.key.hash[:], orEmpty(hash20(block.key.consensus)), parent,
		}
		block.stored = true
	}
	err := b.copy(ctx, "burn_block",
		[]string{"height", "source_seq", "changed_seq", "size", "burn_amount", "canonical", "burn_block_hash", "consensus_hash", "parent_burn_block_hash"}, out)
	if err != nil {
		return err
	}
	return b.switchBurnBlocks(ctx, r.burnChanged, true)
}

// switchBurnBlocks updates those of the changed Bitcoin blocks that are followed now, or those that are not.
func (b *batch) switchBurnBlocks(ctx context.Context, changed []*burnBlock, canonical bool) error {
	var (
		hashes, consensus [][]byte
		seqs              []int64
	)
	for _, block := range changed {
		if block.canonical == canonical {
			hashes, consensus = append(hashes, block.key.hash[:]), append(consensus, orEmpty(hash20(block.key.consensus)))
			seqs = append(seqs, block.changed)
		}
	}
	if len(seqs) == 0 {
		return nil
	}
	_, err := b.tx.Exec(ctx, b.sql(`
		UPDATE {schema}.burn_block b SET canonical = $1, changed_seq = c.seq
		FROM unnest($2::bytea[], $3::bytea[], $4::bigint[]) AS c (burn_block_hash, consensus_hash, seq)
		WHERE b.burn_block_hash = c.burn_block_hash AND b.consensus_hash = c.consensus_hash`), canonical, hashes, consensus, seqs)
	if err != nil {
		return fmt.Errorf("switch the Bitcoin fork at %d blocks: %w", len(seqs), err)
	}
	return nil
}

// writeNarrow writes narrow copies. One that is known already, because it shows by itself that it lacks events, is
// written once.
func (b *batch) writeNarrow(ctx context.Context, r *rows) error {
	for _, n := range r.narrow {
		_, err := b.tx.Exec(ctx, b.sql(`
			INSERT INTO {schema}.narrow_copy (source_seq, tx_count, event_count, index_block_hash) VALUES ($1, $2, $3, $4)
			ON CONFLICT DO NOTHING`), n.seq, n.content.transactions, n.content.events, n.block[:])
		if err != nil {
			return fmt.Errorf("record that event %d has a narrow copy of block %s: %w", n.seq, n.block, err)
		}
	}
	return nil
}

func (b *batch) writeGaps(ctx context.Context, r *rows) error {
	for _, n := range r.gapsOpened {
		_, err := b.tx.Exec(ctx, b.sql(`
			INSERT INTO {schema}.gap (height, source_seq, parent_index_block_hash) VALUES ($1, $2, $3)`), n.height, n.seq, n.parent[:])
		if err != nil {
			return fmt.Errorf("record that block %s is missing: %w", n.parent, err)
		}
	}
	for _, id := range r.gapsClosed {
		if _, err := b.tx.Exec(ctx, b.sql(`DELETE FROM {schema}.gap WHERE parent_index_block_hash = $1`), id[:]); err != nil {
			return fmt.Errorf("record that block %s has arrived: %w", id, err)
		}
	}
	return nil
}

// number returns the value of a bigint column: null for nil. Numbers that do not fit have been refused before, by
// newNode among others.
func number(u *uint64) any {
	if u == nil {
		return nil
	}
	return int64(*u)
}

func hash32(h *hash.Hash32) []byte {
	if h == nil {
		return nil
	}
	return h[:]
}

// hash20 returns null for the zero hash, which means "not known".
func hash20(h hash.Hash20) []byte {
	if h.IsZero() {
		return nil
	}
	return h[:]
}
