package view

import (
	"strata/domain/hash"
	"strata/readapi/internal/schema"
)

// BlockV1 is a block in version 1 of the API.
type BlockV1 struct {
	Canonical           bool                  `json:"canonical"`
	Height              int64                 `json:"height"`
	TenureHeight        int64                 `json:"tenure_height" doc:"-1 when the node did not report it."`
	Hash                hash.Hash32           `json:"hash"`
	IndexBlockHash      hash.Hash32           `json:"index_block_hash"`
	ParentBlockHash     hash.Hash32           `json:"parent_block_hash"`
	BlockTime           int64                 `json:"block_time" doc:"Unix seconds; before Nakamoto the time of the Bitcoin block."`
	BlockTimeISO        schema.TimeText       `json:"block_time_iso"`
	BurnBlockTime       int64                 `json:"burn_block_time"`
	BurnBlockTimeISO    schema.TimeText       `json:"burn_block_time_iso"`
	BurnBlockHash       hash.Hash32           `json:"burn_block_hash"`
	BurnBlockHeight     int64                 `json:"burn_block_height"`
	MinerTxID           hash.Hash32           `json:"miner_txid"`
	Txs                 []hash.Hash32         `json:"txs" nullable:"false" doc:"The ids of all its transactions, last first."`
	MicroblocksAccepted []hash.Hash32         `json:"microblocks_accepted" nullable:"false" doc:"Microblocks that the block confirms, last first."`
	MicroblocksStreamed []hash.Hash32         `json:"microblocks_streamed" nullable:"false" doc:"Microblocks that the block's miner streamed and the next block confirms, last first."`
	ParentMicroblock    string                `json:"parent_microblock_hash" doc:"Empty when the block confirms no microblocks."`
	ParentMicroSequence int32                 `json:"parent_microblock_sequence" doc:"-1 when the block confirms no microblocks."`
	MicroblockTxCount   map[hash.Hash32]int32 `json:"microblock_tx_count" doc:"The number of transactions in each microblock that the block confirms."`
	CostReadCount       int64                 `json:"execution_cost_read_count"`
	CostReadLength      int64                 `json:"execution_cost_read_length"`
	CostRuntime         int64                 `json:"execution_cost_runtime"`
	CostWriteCount      int64                 `json:"execution_cost_write_count"`
	CostWriteLength     int64                 `json:"execution_cost_write_length"`

	Seq int64 `json:"-"` // key of the block
}

// Paths that replace the deprecated operations of version 1.
const (
	BlocksInstead = "/extended/v2/blocks"
	BlockInstead  = "/extended/v2/blocks/{height_or_hash}"
)
