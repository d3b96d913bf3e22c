package foldtest

import (
	"strata/domain/ordinals"
	"strata/projections"
	"strata/rig/replay"
)

// Feed turns posts of an ordinals feed into steps without numbers, as the projection ordinals does.
type Feed struct {
	T       replay.TB
	Applied map[int64]projections.FeedStep // by height
	Seq     int64                          // of the last post
	Payload *ordinals.Payload              // of the last post
}

// NewFeed returns a feed without posts.
func NewFeed(t replay.TB) *Feed { return &Feed{T: t, Applied: map[int64]projections.FeedStep{}} }

// Receive returns the steps that posts lead to.
func (f *Feed) Receive(posts ...replay.Post) (steps []projections.FeedStep) {
	f.T.Helper()
	for _, post := range posts {
		payload, err := ordinals.Decode(post.Body)
		if err != nil {
			f.T.Fatal(err)
		}
		f.Seq++
		f.Payload = payload
		for i := range payload.Rollback {
			if b := &payload.Rollback[i]; f.Applied[int64(b.Height)].BlockHash == b.Hash {
				steps = append(steps, f.Revert(int64(b.Height)))
			}
		}
		for i := range payload.Apply {
			steps = append(steps, f.Apply(i, &payload.Apply[i])...)
		}
	}
	return steps
}

// Apply returns the steps that apply a block of the last post.
func (f *Feed) Apply(index int, b *ordinals.Block) (steps []projections.FeedStep) {
	height := int64(b.Height)
	if at, ok := f.Applied[height]; ok {
		if at.BlockHash == b.Hash {
			return nil
		}
		steps = append(steps, f.Revert(height))
	}
	f.Applied[height] = projections.FeedStep{
		Kind: projections.Apply, Height: height, BlockHash: b.Hash, BlockSeq: f.Seq, BlockIndex: index, SourceSeq: f.Seq, Block: b,
	}
	return append(steps, f.Applied[height])
}

// Revert returns the step that reverts the block at a height.
func (f *Feed) Revert(height int64) projections.FeedStep {
	step := f.Applied[height]
	delete(f.Applied, height)
	step.Kind, step.SourceSeq, step.Block = projections.Revert, f.Seq, nil
	return step
}
