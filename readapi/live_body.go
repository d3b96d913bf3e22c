package readapi

import (
	"bytes"

	"strata/domain/hash"
	"strata/readapi/internal/live"
)

// Kinds of feeds of streams.
const (
	liveBlocks       live.Kind = "blocks"
	liveTransactions live.Kind = "transactions" // of a principal
	liveEvents       live.Kind = "events"       // of a contract; the detail is a topic, or empty for all
	liveBalances     live.Kind = "balances"     // of a principal
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
	ContractID     string      `json:"contract_id"`
	Topic          *string     `json:"topic" nullable:"true" doc:"What the printed tuple names as its topic; null when it names none."`
	BlockHeight    int64       `json:"block_height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
	Event          eventBody   `json:"event"`
}

// balanceBody is what somebody has.
type balanceBody struct {
	Principal string `json:"principal"`
	balances
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
	liveEnd         = "end"
)

// eventText is an event of a stream without its id.
func eventText(name string, value any) ([]byte, error) {
	body, err := encode(value)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(len(name) + len(body) + 16)
	b.WriteString("event: ")
	b.WriteString(name)
	b.WriteString("\ndata: ")
	b.Write(body) // JSON has no line breaks
	b.WriteString("\n\n")
	return b.Bytes(), nil
}
