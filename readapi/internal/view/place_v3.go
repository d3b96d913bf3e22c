package view

import (
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// PlaceV3 says where on the canonical chain an event is, in version 3 of the API.
type PlaceV3 struct {
	Transaction  eventOfTransaction `json:"transaction"`
	Block        summaryBlock       `json:"block"`
	BitcoinBlock bitcoinPlace       `json:"bitcoin_block" doc:"The peer has no such member."`
}

// eventOfTransaction names an event.
type eventOfTransaction struct {
	TxID       hash.Hash32 `json:"tx_id"`
	EventIndex int32       `json:"event_index" doc:"Index among the events of the transaction."`
}

// summaryBlock is the block of a transaction.
type summaryBlock struct {
	Height    int64           `json:"height"`
	Hash      hash.Hash32     `json:"hash"`
	IndexHash hash.Hash32     `json:"index_hash"`
	Time      int64           `json:"time" doc:"Unix seconds; before Nakamoto the time of the Bitcoin block."`
	TimeISO   schema.TimeText `json:"time_iso"`
	TxIndex   int32           `json:"tx_index" doc:"Its index in the block's list of transactions."`
}

// bitcoinPlace is a Bitcoin block.
type bitcoinPlace struct {
	Height  int64           `json:"height"`
	Time    int64           `json:"time" doc:"Unix seconds."`
	TimeISO schema.TimeText `json:"time_iso"`
}

func newSummaryBlock(height int64, block, index hash.Hash32, time int64, txIndex int32) summaryBlock {
	return summaryBlock{height, block, index, time, schema.UnixTime(time), txIndex}
}

func newBitcoinPlace(height, time int64) bitcoinPlace {
	return bitcoinPlace{height, time, schema.UnixTime(time)}
}

// PlaceRow is the place of a transaction on the chain, as it is read from the tables.
type PlaceRow struct {
	RowKey
	ID               hash.Hash32
	Sequence         int32 // of its microblock; page.AnchoredSequence for none
	Height           int64
	block, index     hash.Hash32
	time             int64
	burnHeight, burn int64
}

// PlaceSQL selects what PlaceColumns reads of the transaction t and its block b.
const PlaceSQL = `t.source_seq, t.tx_index, t.txid, coalesce(t.microblock_sequence, 2147483647),
		       b.height, b.block_hash, b.index_block_hash, coalesce(nullif(b.block_time, 0), b.burn_block_time), b.burn_block_height, b.burn_block_time `

// PlaceColumns returns the scan destinations for PlaceSQL.
func PlaceColumns(p *PlaceRow) []any {
	return []any{&p.Seq, &p.Index, &p.ID, &p.Sequence, &p.Height, &p.block, &p.index, &p.time, &p.burnHeight, &p.burn}
}

// QueuePlaces adds to a batch the query for the places of transactions.
func QueuePlaces(b *engine.Batch, keys []RowKey) *engine.Result[PlaceRow] {
	seqs, indexes := KeyColumns(keys)
	return engine.Query(b, PlaceColumns, `
		SELECT {chain.transaction t}, `+PlaceSQL+`
		FROM (SELECT DISTINCT * FROM unnest($1::bigint[], $2::int[]) AS u (source_seq, tx_index)) k
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = k.source_seq AND t.tx_index = k.tx_index LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = k.source_seq LIMIT 1) b`, seqs, indexes)
}

// PlacesOf returns the places of transactions by key.
func PlacesOf(found *engine.Result[PlaceRow]) map[RowKey]*PlaceRow {
	places := make(map[RowKey]*PlaceRow, len(found.Rows))
	for i := range found.Rows {
		places[found.Rows[i].RowKey] = &found.Rows[i]
	}
	return places
}

// Event returns the place of an event of the transaction.
func (p *PlaceRow) Event(index int32) PlaceV3 {
	if p == nil { // chain and the list are of different events
		return PlaceV3{}
	}
	return PlaceV3{
		Transaction:  eventOfTransaction{p.ID, index},
		Block:        newSummaryBlock(p.Height, p.block, p.index, p.time, p.Index),
		BitcoinBlock: newBitcoinPlace(p.burnHeight, p.burn),
	}
}

// BlockPlace says which block an answer speaks of, and its Bitcoin block, in version 3 of the API.
type BlockPlace struct {
	Height       int64           `json:"height"`
	Hash         hash.Hash32     `json:"hash"`
	IndexHash    hash.Hash32     `json:"index_hash"`
	Time         int64           `json:"time" doc:"Unix seconds; before Nakamoto the time of the Bitcoin block."`
	TimeISO      schema.TimeText `json:"time_iso"`
	BitcoinBlock bitcoinPlace    `json:"bitcoin_block" doc:"The peer has no such member."`
}

// NewBlockPlace returns the place of a block; times are in Unix seconds.
func NewBlockPlace(height int64, id, index hash.Hash32, time, burnHeight, burnTime int64) BlockPlace {
	return BlockPlace{height, id, index, time, schema.UnixTime(time), newBitcoinPlace(burnHeight, burnTime)}
}

// DeploymentPlace says where on the canonical chain a contract was deployed, in version 3 of the API.
type DeploymentPlace struct {
	TxID         hash.Hash32  `json:"tx_id" doc:"The transaction that deployed the contract."`
	Block        summaryBlock `json:"block"`
	BitcoinBlock bitcoinPlace `json:"bitcoin_block"`
}

// ContractSummary is a deployed contract in version 3 of the API.
type ContractSummary struct {
	ContractID     string `json:"contract_id"`
	ClarityVersion *int16 `json:"clarity_version" doc:"null when the transaction names no version, so that the epoch determines it."`
	DeploymentPlace
}

// Deployment returns the place of a contract that the transaction deployed.
func (p *PlaceRow) Deployment() DeploymentPlace {
	e := p.Event(0)
	return DeploymentPlace{e.Transaction.TxID, e.Block, e.BitcoinBlock}
}
