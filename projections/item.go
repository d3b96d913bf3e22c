package projections

import (
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
)

// LogItem is a decoded event of the log.
type LogItem struct {
	Seq  int64
	Path string
	// Payload is what the body says; nil when Err is set or nobody reads this path.
	Payload nodeevent.Payload
	// Block is set for /new_block.
	Block *Block
	// Err says why the body can't be read: it goes to quarantine.
	Err error
}

// Position implements Item.
func (i LogItem) Position() int64 { return i.Seq }

// LogSeq implements Item.
func (i LogItem) LogSeq() int64 { return i.Seq }

// Block is the content of a /new_block event with its transactions decoded.
type Block struct {
	*nodeevent.Block
	// Seq is the event that it came with.
	Seq int64
	// BodySize is the size of that event in bytes.
	BodySize int64
	// Decoded has an entry for each of Block.Transactions; nil for operations that came from Bitcoin.
	Decoded []*transaction.Transaction
}

// StepKind says what a step does.
type StepKind int16

// Kinds of steps.
const (
	Apply  StepKind = 1
	Revert StepKind = -1
)

func (k StepKind) String() string {
	if k == Revert {
		return "revert"
	}
	return "apply"
}

// Step is one entry of the linear list that chain writes: the block at the tip is applied, or taken off again.
type Step struct {
	Number         int64
	Kind           StepKind
	Height         int64
	IndexBlockHash hash.Hash32
	// BlockSeq is the event that holds the block's content.
	BlockSeq int64
	// SourceSeq is the event that caused the step: the block itself, or the one that made its branch win.
	SourceSeq int64
	// Block is the content; nil when Kind is Revert.
	Block *Block
}

// Position implements Item.
func (s Step) Position() int64 { return s.Number }

// LogSeq implements Item.
func (s Step) LogSeq() int64 { return s.SourceSeq }
