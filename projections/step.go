package projections

import (
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/ordinals"
	"strata/domain/step"
)

// StepKind says what a step does.
type StepKind = step.Kind

// Kinds of steps.
const (
	Apply      = step.Apply
	Revert     = step.Revert
	TakeRecord = step.TakeRecord
)

// Step is one entry of the linear list that chain writes: a block is applied on top, the block at the top is reverted,
// or a record is taken in.
//
// Bitcoin blocks are records. At any point of the list, the Bitcoin blocks that are followed have different heights,
// but one may come after others that are higher: a node that started earlier reports it later. The steps of one event
// come in this order: reverted blocks; Bitcoin blocks that are no longer followed, the highest first; Bitcoin blocks
// that are followed from now on, the lowest first; applied blocks.
type Step struct {
	Number int64
	Kind   StepKind
	// Height and IndexBlockHash are those of the block, or of the block at the top when a record is taken in; -1 and
	// zero when there was none.
	Height         int64
	IndexBlockHash hash.Hash32
	// BlockSeq is the event that holds the content of the block, or the record; for a Bitcoin block, its first
	// announcement.
	BlockSeq int64
	// SourceSeq is the event that caused the step: the block itself, or the event that made its branch win.
	SourceSeq int64
	// Block is the content; nil unless Kind is Apply.
	Block *Block
	// RecordKind is what the record is about; 0 unless Kind is TakeRecord.
	RecordKind RecordKind
	// Record is set when Kind is TakeRecord, for projections whose Spec asks for records of the kind.
	Record Record
}

// Position implements Item.
func (s Step) Position() int64 { return s.Number }

// LogSeq implements Item.
func (s Step) LogSeq() int64 { return s.SourceSeq }

// Empty returns the step with a block that has its place among the blocks, and nothing in it. It returns false for a step
// without content.
func (s Step) Empty() (Step, bool) {
	switch {
	case s.Block != nil:
		block := *s.Block.Block
		block.Receipts, block.MaturedRewards, block.RewardSet, block.CycleNumber = nodeevent.Receipts{}, nil, nil, nil
		s.Block = &Block{Block: &block, Seq: s.Block.Seq, BodySize: s.Block.BodySize}
		return s, true
	case s.RecordKind == BitcoinFollowed:
		record, ok := s.Record.(*nodeevent.BurnBlock)
		if !ok {
			return s, false
		}
		burn := *record
		burn.RewardRecipients, burn.RewardSlotHolders, burn.PoxTransactions = nil, nil, nil
		s.Record = &burn
		return s, true
	}
	return s, false
}

// FeedStep is one entry of the list that ordinals writes: a Bitcoin block, as far as it concerns ordinals, is applied
// or reverted. Blocks do not come in the order of their heights: one that the feed had lost comes after higher ones,
// and a block below others can be reverted. At any time, the applied blocks have different heights.
type FeedStep struct {
	Number    int64
	Kind      StepKind // Apply or Revert
	Height    int64
	BlockHash hash.Hash32
	// BlockSeq is the event that holds the content of the block, and BlockIndex the block's place in the event's list
	// apply.
	BlockSeq   int64
	BlockIndex int
	// SourceSeq is the event that caused the step.
	SourceSeq int64
	// Block is the content; nil unless Kind is Apply.
	Block *ordinals.Block
}

// Position implements Item.
func (s FeedStep) Position() int64 { return s.Number }

// LogSeq implements Item.
func (s FeedStep) LogSeq() int64 { return s.SourceSeq }

// Empty is Step.Empty.
func (s FeedStep) Empty() (FeedStep, bool) {
	if s.Block == nil {
		return s, false
	}
	block := *s.Block
	block.Transactions = nil
	s.Block = &block
	return s, true
}

// Lasting returns the steps of a batch without the blocks that the batch both applies and reverts, and without records.
// A projection whose rows depend only on the canonical chain at the end gets the same rows from them. Far from the head
// most forks are over within the batch in which they begin, so that nothing has to be reverted.
func Lasting(steps []Step) []Step {
	lasting := make([]Step, 0, len(steps))
	for _, step := range steps {
		switch newest := len(lasting) - 1; {
		case step.Kind == TakeRecord:
		case step.Kind == Revert && newest >= 0 && lasting[newest].Kind == Apply && lasting[newest].IndexBlockHash == step.IndexBlockHash:
			lasting = lasting[:newest]
		default:
			lasting = append(lasting, step)
		}
	}
	return lasting
}
