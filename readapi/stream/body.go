package stream

import (
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/view"
)

// Kinds of feeds of streams.
const (
	liveBlocks       live.Kind = "blocks"
	liveTransactions live.Kind = "transactions" // of a principal
	liveEvents       live.Kind = "events"       // of a contract; the detail is a topic, or empty for all
	liveBalances     live.Kind = "balances"     // of a principal
	liveMempool      live.Kind = "mempool"
)

// revertBody says which block is taken back.
type revertBody struct {
	Height               int64       `json:"height"`
	Hash                 hash.Hash32 `json:"hash"`
	IndexBlockHash       hash.Hash32 `json:"index_block_hash"`
	ParentIndexBlockHash hash.Hash32 `json:"parent_index_block_hash" doc:"The block that is the tip now."`
}

// contractEventBody is what a contract printed.
type contractEventBody struct {
	ContractID     string         `json:"contract_id"`
	Topic          *string        `json:"topic" nullable:"true" doc:"What the printed tuple names as its topic; null when it names none."`
	BlockHeight    int64          `json:"block_height"`
	IndexBlockHash hash.Hash32    `json:"index_block_hash"`
	Event          view.EventBody `json:"event"`
}

// balanceBody is what somebody has.
type balanceBody struct {
	Principal string `json:"principal"`
	view.Balances
}

// minedBody says which canonical block has a transaction that waited.
type minedBody struct {
	TxID           hash.Hash32 `json:"tx_id"`
	BlockHeight    int64       `json:"block_height"`
	BlockHash      hash.Hash32 `json:"block_hash"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
}

// resetBody says that all that waits is told anew.
type resetBody struct {
	Pending int64 `json:"pending" doc:"How many transactions wait: they follow, and whatever else the client has does not wait any more."`
}

// endBody says why a stream ends.
type endBody struct {
	Reason   live.Reason `json:"reason" enum:"slow,stopping,failed" doc:"slow: the client has not read for too long; stopping: the server stops; failed: the tables could not be read."`
	Position string      `json:"position" doc:"What the client has; to go on from there, send it as Last-Event-ID."`
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

// eventMessage is an event of a stream. Only the last one of a step has an id: whoever leaves amid a step gets all of it again.
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

// idLine says what a client has.
func idLine(p live.Position) string { return "id: " + p.String() + "\n" }
