package stream

import (
	"strata/domain/hash"
	"strata/readapi/internal/engine"
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
	liveBalance     = "balance"
	liveMined       = "mined"
	liveReset       = "reset"
	liveEnd         = "end"
)

// eventMessage encodes an event of a stream. Only the last event of a step is sent with an id, so that a client that
// leaves within a step gets the whole step again.
func eventMessage(step int64, p live.Position, name string, value any) (*live.Message, error) {
	body, err := engine.Encode(value)
	if err != nil {
		return nil, err
	}
	id := idLine(p)
	b := make([]byte, 0, len(id)+len(name)+len(body)+len("event: \ndata: \n\n"))
	b = append(b, id...)
	b = append(b, "event: "...)
	b = append(b, name...)
	b = append(b, "\ndata: "...)
	b = append(b, body...) // JSON has no line breaks
	b = append(b, "\n\n"...)
	return &live.Message{Step: step, Position: p, Data: b[len(id):], Whole: b}, nil
}

// idLine returns the line that sets the client's last event id to a position.
func idLine(p live.Position) string { return "id: " + p.String() + "\n" }
