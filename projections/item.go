package projections

import (
	"strata/domain/nodeevent"
	"strata/domain/ordinals"
	"strata/domain/transaction"
)

// Item is one thing to fold.
type Item interface {
	// Position in the input: 1, 2, 3, … without gaps.
	Position() int64
	// LogSeq is the position in the log of the event that caused the item.
	LogSeq() int64
}

// LogItem is a decoded event of the log.
type LogItem struct {
	Seq  int64
	Path string
	// Size of the body in bytes.
	Size int64
	// Payload is the decoded body; nil when Err is set, or when nobody reads this path.
	Payload nodeevent.Payload
	// Block is set for /new_block.
	Block *Block
	// Feed is set for events that an ordinals indexer posts.
	Feed *ordinals.Payload
	// Record is set for events that chain turns into a record among the blocks: what this program itself has put into
	// the log, and what a node reports about its mempool.
	Record Record
	// Unknown are the members of the body that nobody decodes, as nodeevent.DecodeAll returns them.
	Unknown []string
	// Err says why the body can't be decoded. The event goes to quarantine.
	Err error
	// Damaged are the parts of the body that can't be decoded, while the others count. They go to quarantine.
	Damaged []*nodeevent.FieldError
}

// Position implements Item.
func (i LogItem) Position() int64 { return i.Seq }

// LogSeq implements Item.
func (i LogItem) LogSeq() int64 { return i.Seq }

// Block is the content of a /new_block event with its transactions decoded.
type Block struct {
	*nodeevent.Block
	// Seq is the position of the event in the log.
	Seq int64
	// BodySize is the size of the event's body in bytes.
	BodySize int64
	// Decoded has an entry for each of Block.Transactions; nil for operations that came from Bitcoin.
	Decoded []*transaction.Transaction
	// Unknown are the members of the body that nobody decodes.
	Unknown []string

	deployments deployments
}
