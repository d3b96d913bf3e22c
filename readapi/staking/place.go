package staking

import (
	"strata/domain/hash"
	"strata/readapi/internal/schema"
)

// placeBlock is the Stacks block of a transaction.
type placeBlock struct {
	Height    int64           `json:"height"`
	Hash      hash.Hash32     `json:"hash"`
	IndexHash hash.Hash32     `json:"index_hash"`
	Time      int64           `json:"time" doc:"Unix seconds; before Nakamoto the time of the Bitcoin block."`
	TimeISO   schema.TimeText `json:"time_iso"`
	TxIndex   int32           `json:"tx_index" doc:"Index of the transaction in the block."`
}

// placeBitcoin is the Bitcoin block of a transaction.
type placeBitcoin struct {
	Height  int64           `json:"height"`
	Time    int64           `json:"time" doc:"Unix seconds."`
	TimeISO schema.TimeText `json:"time_iso"`
}

// transactionPlace is a transaction with its block.
type transactionPlace struct {
	TxID         hash.Hash32  `json:"tx_id"`
	Block        placeBlock   `json:"block"`
	BitcoinBlock placeBitcoin `json:"bitcoin_block"`
}

// placeSQL selects what columns scans, for an event e and its block k.
const placeSQL = `e.txid, k.height, k.block_hash, k.index_block_hash, coalesce(k.block_time, k.burn_block_time), e.tx_index, k.burn_block_height, k.burn_block_time`

// placeJoin joins the block k of an event e.
const placeJoin = ` JOIN {chain}.block k ON k.source_seq = e.source_seq `

func (p *transactionPlace) columns() []any {
	return []any{&p.TxID, &p.Block.Height, &p.Block.Hash, &p.Block.IndexHash, &p.Block.Time, &p.Block.TxIndex, &p.BitcoinBlock.Height, &p.BitcoinBlock.Time}
}

// shape returns the place with its times as texts.
func (p transactionPlace) shape() transactionPlace {
	p.Block.TimeISO, p.BitcoinBlock.TimeISO = schema.UnixTime(p.Block.Time), schema.UnixTime(p.BitcoinBlock.Time)
	return p
}
