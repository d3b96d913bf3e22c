package view

import (
	"strata/domain/hash"
	"strata/readapi/internal/engine"
)

// BlocksV1 holds the results that version 1 blocks are built from, once the batch has run.
type BlocksV1 struct {
	rows      *engine.Result[blockV1Row]
	txs       *engine.Result[blockTx]
	confirmed *engine.Result[confirmedMicroblock]
}

type blockV1Row struct {
	BlockRow
	seq            int64
	canonical      bool
	parent         hash.Hash32 // the parent microblock; zero for none
	parentSequence int32
}

// blockTx is the id of a transaction with the key of its block.
type blockTx struct {
	seq int64
	id  hash.Hash32
}

// confirmedMicroblock is a microblock that a block or its canonical child confirms.
type confirmedMicroblock struct {
	seq      int64 // key of the block that shows the microblock
	accepted bool  // whether that block confirms it; otherwise that block's miner streamed it
	id       hash.Hash32
	txCount  int32
}

// QueueBlocksV1 adds the queries for the chosen blocks to a batch. The choice selects at most a page of blocks.
func QueueBlocksV1(b *engine.Batch, choice BlockChoice) BlocksV1 {
	rows := engine.Query(b, func(r *blockV1Row) []any {
		return append(BlockColumns(&r.BlockRow), &r.seq, &r.canonical, &r.parent, &r.parentSequence)
	}, `
		SELECT {chain.block b, chain.canonical c}, `+BlockTerms+`,
		       b.source_seq, c.height IS NOT NULL, b.parent_microblock_hash, b.parent_microblock_sequence
		FROM (`+choice.SQL+`) chosen
		JOIN {chain}.block b ON b.source_seq = chosen.source_seq
		LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq
		ORDER BY b.height DESC`, choice.Arg)
	b.Snapshot.TraceRows(func() []engine.Lookup { return []engine.Lookup{transactionsOf(rows.Rows)} })
	return BlocksV1{
		rows: rows,
		txs: engine.Query(b, func(r *blockTx) []any { return []any{&r.seq, &r.id} }, `
			SELECT {}, t.source_seq, t.txid
			FROM (`+choice.SQL+`) chosen
			JOIN {chain}.transaction t ON t.source_seq = chosen.source_seq
			ORDER BY t.source_seq, t.execution_index DESC`, choice.Arg),
		// The miner of a block streamed those microblocks that the canonical child confirms. Microblocks streamed after
		// an orphaned block are lost.
		confirmed: engine.Query(b, func(r *confirmedMicroblock) []any { return []any{&r.seq, &r.accepted, &r.id, &r.txCount} }, `
			SELECT {chain.block confirming}, chosen.source_seq, confirming.accepted, f.microblock_hash, coalesce(m.tx_count, 0)
			FROM (`+choice.SQL+`) chosen
			JOIN {chain}.block b ON b.source_seq = chosen.source_seq
			CROSS JOIN LATERAL (
				SELECT b.source_seq, b.parent_index_block_hash AS parent, true AS accepted
				UNION ALL
				SELECT child.source_seq, child.parent_index_block_hash, false
				FROM {chain}.canonical c JOIN {chain}.block child ON child.source_seq = c.block_seq
				WHERE c.height = b.height + 1 AND child.parent_index_block_hash = b.index_block_hash
			) confirming
			JOIN {chain}.microblock_confirmation f ON f.source_seq = confirming.source_seq
			LEFT JOIN {chain}.microblock m ON m.microblock_hash = f.microblock_hash AND m.parent_index_block_hash = confirming.parent
			ORDER BY chosen.source_seq, f.sequence DESC`, choice.Arg),
	}
}

// transactionsOf returns the look-up of all transactions of blocks. There may be thousands, so their query does not show them.
func transactionsOf(blocks []blockV1Row) engine.Lookup {
	seqs := make([]int64, len(blocks))
	for i := range blocks {
		seqs[i] = blocks[i].seq
	}
	return engine.Lookup{
		Name: "transaction of a block", Table: TracedTransaction, Where: `t.source_seq = ANY ($1::bigint[])`, Args: []any{seqs},
		NewestFirst: []string{"t.source_seq", "t.tx_index"},
	}
}

// Shape returns the blocks as they are shown, once the batch has run.
func (results BlocksV1) Shape() []BlockV1 {
	shown := make([]BlockV1, len(results.rows.Rows))
	bySeq := make(map[int64]*BlockV1, len(shown))
	for i, r := range results.rows.Rows {
		shown[i] = r.shapeV1()
		bySeq[r.seq] = &shown[i]
	}
	for _, tx := range results.txs.Rows {
		if b := bySeq[tx.seq]; b != nil {
			b.Txs = append(b.Txs, tx.id)
		}
	}
	for _, m := range results.confirmed.Rows {
		switch b := bySeq[m.seq]; {
		case b == nil:
		case m.accepted:
			b.MicroblocksAccepted = append(b.MicroblocksAccepted, m.id)
			b.MicroblockTxCount[m.id] = m.txCount
		default:
			b.MicroblocksStreamed = append(b.MicroblocksStreamed, m.id)
		}
	}
	return shown
}

func (r *blockV1Row) shapeV1() BlockV1 {
	b := r.Shape()
	shown := BlockV1{
		Canonical: r.canonical, Height: b.Height, TenureHeight: b.TenureHeight, Hash: b.Hash, IndexBlockHash: b.IndexBlockHash,
		ParentBlockHash: b.ParentBlockHash, BlockTime: b.BlockTime, BlockTimeISO: b.BlockTimeISO,
		BurnBlockTime: b.BurnBlockTime, BurnBlockTimeISO: b.BurnBlockTimeISO, BurnBlockHash: b.BurnBlockHash, BurnBlockHeight: b.BurnBlockHeight,
		MinerTxID: b.MinerTxID, Txs: []hash.Hash32{}, MicroblocksAccepted: []hash.Hash32{}, MicroblocksStreamed: []hash.Hash32{},
		ParentMicroSequence: -1, MicroblockTxCount: map[hash.Hash32]int32{},
		CostReadCount: b.CostReadCount, CostReadLength: b.CostReadLength, CostRuntime: b.CostRuntime,
		CostWriteCount: b.CostWriteCount, CostWriteLength: b.CostWriteLength, Seq: r.seq,
	}
	if !r.parent.IsZero() {
		shown.ParentMicroblock, shown.ParentMicroSequence = r.parent.String(), r.parentSequence
	}
	return shown
}
