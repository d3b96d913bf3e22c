package stream

import (
	"strata/domain/hash"
	"strata/readapi/internal/live"
	"strata/readapi/internal/view"
)

// Kinds of the feeds that streams follow.
const (
	liveBlocks       live.Kind = "blocks"
	liveTransactions live.Kind = "transactions" // the name is a principal
	liveEvents       live.Kind = "events"       // the name is a contract, the detail a topic; empty for all topics
	liveBalances     live.Kind = "balances"     // the name is a principal
	liveMempool      live.Kind = "mempool"
	liveNames        live.Kind = "names" // the name is a name, the detail a namespace; both are empty for all names
)

// revertBody names the block that was reverted.
type revertBody struct {
	Height               int64       `json:"height"`
	Hash                 hash.Hash32 `json:"hash"`
	IndexBlockHash       hash.Hash32 `json:"index_block_hash"`
	ParentIndexBlockHash hash.Hash32 `json:"parent_index_block_hash" doc:"The block that is the tip after the revert."`
}

// contractEventBody is an event that a contract printed.
type contractEventBody struct {
	ContractID     string         `json:"contract_id"`
	Topic          *string        `json:"topic" nullable:"true" doc:"The topic that the printed tuple names; null when it names none."`
	BlockHeight    int64          `json:"block_height"`
	IndexBlockHash hash.Hash32    `json:"index_block_hash"`
	Event          view.EventBody `json:"event"`
}

// balanceBody holds the balances of a principal.
type balanceBody struct {
	Principal string `json:"principal"`
	view.Balances
}

// minedBody names the canonical block that has a transaction of the mempool.
type minedBody struct {
	TxID           hash.Hash32 `json:"tx_id"`
	BlockHeight    int64       `json:"block_height"`
	BlockHash      hash.Hash32 `json:"block_hash"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
}

// resetBody says that the client shall drop its copy of the mempool: all pending transactions follow.
type resetBody struct {
	Pending int64 `json:"pending" doc:"Number of pending transactions. They follow; any other transaction that the client has is no longer pending."`
}

// endBody says why a stream ends.
type endBody struct {
	Reason   live.Reason `json:"reason" enum:"slow,stopping,failed" doc:"slow: the client has not read for too long; stopping: the server stops; failed: the tables could not be read."`
	Position string      `json:"position" doc:"The client's position; to resume from there, send it as Last-Event-ID."`
}

// Names of events.
const (
	liveBlock       = "block"
	liveRevert      = "revert"
	liveTransaction = "transaction"
	liveEvent       = "contract_event"
	liveName        = "name"
	liveBalance     = "balance"
	liveMined       = "mined"
	liveReset       = "reset"
	liveEnd         = "end"
)
