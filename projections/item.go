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
	// Size of the body in bytes.
	Size int64
	// Payload is what the body says; nil when Err is set or nobody reads this path.
	Payload nodeevent.Payload
	// Block is set for /new_block.
	Block *Block
	// Record is set for what this program itself has put into the log.
	Record Record
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

// Record is what came from outside of the chain: *fetch.Report or *fetch.Refresh.
type Record any

// StepKind says what a step does.
type StepKind int16

// Kinds of steps.
const (
	Apply  StepKind = 1
	Revert StepKind = -1
	// TakeRecord takes a record in at its place among the blocks.
	TakeRecord StepKind = 0
)

func (k StepKind) String() string {
	switch k {
	case Revert:
		return "revert"
	case TakeRecord:
		return "record"
	}
	return "apply"
}

// Step is one entry of the linear list that chain writes: a block is applied on top, the block at the top is taken off
// again, or a record is taken in.
type Step struct {
	Number int64
	Kind   StepKind
	// Height and IndexBlockHash are of the block, or of the one at the top when a record is taken in; -1 and zero when
	// there was none.
	Height         int64
	IndexBlockHash hash.Hash32
	// BlockSeq is the event that holds the block's content, or the record.
	BlockSeq int64
	// SourceSeq is the event that caused the step: the block itself, or the one that made its branch win.
	SourceSeq int64
	// Block is the content; nil unless Kind is Apply.
	Block *Block
	// Record is set when Kind is TakeRecord, for projections whose Spec asks for records.
	Record Record
}

// Position implements Item.
func (s Step) Position() int64 { return s.Number }

// LogSeq implements Item.
func (s Step) LogSeq() int64 { return s.SourceSeq }
