package view

import (
	"strata/domain/hash"
	"strata/readapi/internal/schema"
)

// Block is a block in version 2 of the API.
type Block struct {
	Canonical            bool            `json:"canonical"`
	Height               int64           `json:"height"`
	TenureHeight         int64           `json:"tenure_height" doc:"-1 when the node did not report it."`
	Hash                 hash.Hash32     `json:"hash"`
	IndexBlockHash       hash.Hash32     `json:"index_block_hash"`
	ParentBlockHash      hash.Hash32     `json:"parent_block_hash"`
	ParentIndexBlockHash hash.Hash32     `json:"parent_index_block_hash"`
	BlockTime            int64           `json:"block_time" doc:"Unix seconds; before Nakamoto the time of the Bitcoin block."`
	BlockTimeISO         schema.TimeText `json:"block_time_iso"`
	BurnBlockTime        int64           `json:"burn_block_time"`
	BurnBlockTimeISO     schema.TimeText `json:"burn_block_time_iso"`
	BurnBlockHash        hash.Hash32     `json:"burn_block_hash"`
	BurnBlockHeight      int64           `json:"burn_block_height"`
	MinerTxID            hash.Hash32     `json:"miner_txid"`
	TxCount              int32           `json:"tx_count"`
	CostReadCount        int64           `json:"execution_cost_read_count"`
	CostReadLength       int64           `json:"execution_cost_read_length"`
	CostRuntime          int64           `json:"execution_cost_runtime"`
	CostWriteCount       int64           `json:"execution_cost_write_count"`
	CostWriteLength      int64           `json:"execution_cost_write_length"`
}

// BlockList is a list of blocks b together with what makes them canonical, c.
type BlockList struct{ shown, From string }

var (
	// OfChain has the blocks that the projection chain considers canonical.
	OfChain = BlockList{`{chain.block b, chain.canonical c}`, `{chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq`}
	// OfAccounts has the blocks that the lists of the projection accounts reflect, which may have reached a different block
	// than chain.
	OfAccounts = BlockList{`{chain.block b, accounts.block c}`, `{accounts}.block c JOIN {chain}.block b ON b.source_seq = c.source_seq`}
)

// SQL selects what BlockColumns reads of the blocks. rest follows their FROM clause.
func (l BlockList) SQL(rest string) string {
	return `SELECT ` + l.shown + `, ` + BlockTerms + `FROM ` + l.From + ` ` + rest
}

// BlockTerms are the columns of the block b that BlockColumns reads.
const BlockTerms = `b.height, b.tenure_height, b.nakamoto, b.block_hash, b.index_block_hash,
	       b.parent_block_hash, b.parent_index_block_hash, b.block_time, b.burn_block_time, b.burn_block_hash, b.burn_block_height,
	       b.miner_txid, b.tx_count, b.execution_cost_read_count, b.execution_cost_read_length, b.execution_cost_runtime,
	       b.execution_cost_write_count, b.execution_cost_write_length `

// BlockRow is a block as it is read from the tables.
type BlockRow struct {
	Block
	tenureHeight, blockTime *int64
	nakamoto                bool
}

// BlockColumns returns the scan destinations for BlockTerms.
func BlockColumns(r *BlockRow) []any {
	return []any{
		&r.Height, &r.tenureHeight, &r.nakamoto, &r.Hash, &r.IndexBlockHash,
		&r.ParentBlockHash, &r.ParentIndexBlockHash, &r.blockTime, &r.BurnBlockTime, &r.BurnBlockHash, &r.BurnBlockHeight,
		&r.MinerTxID, &r.TxCount, &r.CostReadCount, &r.CostReadLength, &r.CostRuntime, &r.CostWriteCount, &r.CostWriteLength,
	}
}

// Shape returns the block as it is shown, marked as canonical.
func (r BlockRow) Shape() Block {
	b := r.Block
	b.Canonical = true
	switch {
	case r.tenureHeight != nil:
		b.TenureHeight = *r.tenureHeight
	case r.nakamoto:
		b.TenureHeight = -1
	default:
		b.TenureHeight = b.Height // before Nakamoto, each block was a tenure
	}
	b.BlockTime = b.BurnBlockTime
	if r.blockTime != nil {
		b.BlockTime = *r.blockTime
	}
	b.BlockTimeISO, b.BurnBlockTimeISO = schema.UnixTime(b.BlockTime), schema.UnixTime(b.BurnBlockTime)
	return b
}
