package projections

import (
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/ordinals"
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
	// Feed is set for what an indexer of ordinals posts.
	Feed *ordinals.Payload
	// Record is set for what chain takes in at its place among the blocks: what this program itself has put into the log,
	// and what a node tells of its mempool.
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

// record is what steps name of the event: its Record, or the Bitcoin block that it announces.
func (i *LogItem) record() Record {
	if burn, ok := i.Payload.(*nodeevent.BurnBlock); ok {
		return burn
	}
	return i.Record
}

// Record is what came from outside of the chain: *fetch.Report, *fetch.Refresh, *Announcement or *nodeevent.DropMempoolTx;
// or a Bitcoin block, *nodeevent.BurnBlock.
type Record any

// RecordKind says what a record is about, so that who reads the steps need not read records of others.
type RecordKind int16

// Kinds of records.
const (
	// Fetched is what this program fetched, or was asked to fetch.
	Fetched RecordKind = 1
	// Mempool is what a node tells of its mempool.
	Mempool RecordKind = 2
	// BitcoinFollowed is a Bitcoin block that is on the followed fork of Bitcoin from now on.
	BitcoinFollowed RecordKind = 3
	// BitcoinLeft is a Bitcoin block that was on it until now.
	BitcoinLeft RecordKind = 4
)

// KindOf is the kind of a record that has one of its own; 0 for nil. Of Bitcoin blocks chain says it.
func KindOf(record Record) RecordKind {
	switch record.(type) {
	case nil:
		return 0
	case *Announcement, *nodeevent.DropMempoolTx:
		return Mempool
	}
	return Fetched
}

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
//
// Bitcoin blocks are records. At any place in the list those that are followed have different heights, but one may come below
// others: a node that began earlier tells of it later. What one event changes comes in this order: blocks that are reverted,
// Bitcoin blocks that are left, the highest first, those that are followed, the lowest first, and blocks that are applied.
//
// Its JSON is the message that tells of it, which goes without the content.
type Step struct {
	Number int64    `json:"step"`
	Kind   StepKind `json:"kind"`
	// Height and IndexBlockHash are of the block, or of the one at the top when a record is taken in; -1 and zero when
	// there was none.
	Height         int64       `json:"height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
	// BlockSeq is the event that holds the block's content, or the record; of a Bitcoin block its first announcement.
	BlockSeq int64 `json:"block_seq"`
	// SourceSeq is the event that caused the step: the block itself, or the one that made its branch win.
	SourceSeq int64 `json:"source_seq"`
	// Block is the content; nil unless Kind is Apply.
	Block *Block `json:"-"`
	// RecordKind is what the record is about; 0 unless Kind is TakeRecord.
	RecordKind RecordKind `json:"record,omitempty"`
	// Record is set when Kind is TakeRecord, for projections whose Spec asks for records of the kind.
	Record Record `json:"-"`
}

// Position implements Item.
func (s Step) Position() int64 { return s.Number }

// LogSeq implements Item.
func (s Step) LogSeq() int64 { return s.SourceSeq }

// FeedStep is one entry of the list that ordinals writes: a Bitcoin block as far as it concerns ordinals is applied, or
// one that is applied is taken back. Blocks do not come in the order of their heights: one that the feed had lost comes
// after higher ones, and a block below others can be taken back. No two blocks of one height are applied at a time.
//
// Its JSON is the message that tells of it, which goes without the content.
type FeedStep struct {
	Number    int64       `json:"step"`
	Kind      StepKind    `json:"kind"` // Apply or Revert
	Height    int64       `json:"height"`
	BlockHash hash.Hash32 `json:"block_hash"`
	// BlockSeq is the event that holds the block's content, BlockIndex its place in the list under apply.
	BlockSeq   int64 `json:"block_seq"`
	BlockIndex int   `json:"block_index"`
	// SourceSeq is the event that caused the step.
	SourceSeq int64 `json:"source_seq"`
	// Block is the content; nil unless Kind is Apply.
	Block *ordinals.Block `json:"-"`
}

// Position implements Item.
func (s FeedStep) Position() int64 { return s.Number }

// LogSeq implements Item.
func (s FeedStep) LogSeq() int64 { return s.SourceSeq }
