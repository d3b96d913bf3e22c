package view

import (
	"strata/domain/hash"
	"strata/readapi/internal/schema"
)

// BlockSummary is a block in lists of version 3 of the API.
type BlockSummary struct {
	Height       int64           `json:"height"`
	Hash         hash.Hash32     `json:"hash"`
	IndexHash    hash.Hash32     `json:"index_hash"`
	Time         int64           `json:"time" doc:"Unix seconds; before Nakamoto the time of the Bitcoin block."`
	TimeISO      schema.TimeText `json:"time_iso"`
	TenureHeight int64           `json:"tenure_height" doc:"-1 when the node did not report it."`
	TxCount      int32           `json:"tx_count"`
	BitcoinBlock BitcoinSummary  `json:"bitcoin_block"`
}

// BitcoinSummary is a Bitcoin block in version 3 of the API.
type BitcoinSummary struct {
	Height  int64           `json:"height"`
	Hash    hash.Hash32     `json:"hash"`
	Time    int64           `json:"time" doc:"Unix seconds."`
	TimeISO schema.TimeText `json:"time_iso"`
}

// NewBitcoinSummary returns the body of a Bitcoin block with a time in Unix seconds.
func NewBitcoinSummary(height int64, id hash.Hash32, time int64) BitcoinSummary {
	return BitcoinSummary{height, id, time, schema.UnixTime(time)}
}

// SummarizeBlock returns the list entry for a block.
func SummarizeBlock(b Block) BlockSummary {
	return BlockSummary{
		Height: b.Height, Hash: b.Hash, IndexHash: b.IndexBlockHash, Time: b.BlockTime, TimeISO: b.BlockTimeISO,
		TenureHeight: b.TenureHeight, TxCount: b.TxCount,
		BitcoinBlock: NewBitcoinSummary(b.BurnBlockHeight, b.BurnBlockHash, b.BurnBlockTime),
	}
}
