package pool

import (
	"context"
	"testing"
)

// set returns the nodes of these numbers.
func (p *Pool) set(numbers ...int) (nodes uint64) {
	for _, i := range numbers {
		nodes |= p.nodes[i].Bit
	}
	return nodes
}

// What a node has reached it does not lose because an answer, or a probe, from before the block comes late: otherwise a read of
// the state might go to a node without that block again.
func TestLateAnswersDontLowerTheTip(t *testing.T) {
	t.Parallel()
	p := newTestPool(t, 2, nil)
	p.recordInfo(0, says(100, 0))
	p.recordInfo(1, says(100, 0))
	first := p.nodes[0]
	p.ObserveHeight(first, 101)
	if got := p.NodesAtTip(); got != p.set(0) || p.Tip().Height != 101 {
		t.Fatalf("after an answer at 101: nodes %b at the tip %d, want the first at 101", got, p.Tip().Height)
	}
	p.ObserveHeight(first, 100) // sent before
	if got := p.NodesAtTip(); got != p.set(0) {
		t.Errorf("after a late answer: nodes %b at the tip, want the first", got)
	}
	raises := first.raises.Load()
	p.ObserveHeight(first, 102)
	p.recordProbe(context.Background(), first, raises, says(101, 0), nil)
	if got := first.height.Load(); got != 102 {
		t.Errorf("after a late probe: the node is at %d, want 102", got)
	}
	// A probe that began after the answers counts, also when it says less: the node has left a fork.
	p.recordInfo(0, says(99, 1))
	if got := first.height.Load(); got != 99 {
		t.Errorf("after a new probe: the node is at %d, want 99", got)
	}
	if got := p.NodesAtTip(); got != p.set(1) {
		t.Errorf("after a new probe: nodes %b at the tip, want the second", got)
	}
}

// A node that is ahead of the tip, and for which nobody vouches, may be on a fork: the state is read from the others.
func TestUnvouchedLeaderIsNotAtTip(t *testing.T) {
	t.Parallel()
	p := newTestPool(t, 3, nil)
	p.recordInfo(0, says(100, 0))
	p.recordInfo(1, says(100, 0))
	p.recordInfo(2, says(102, 1))
	if got := p.NodesAtTip(); got != p.set(0, 1) {
		t.Errorf("nodes %b are at the tip, want the first two", got)
	}
	p.nodes[2].vouched = true
	p.evaluate()
	if got := p.NodesAtTip(); got != p.set(2) {
		t.Errorf("nodes %b are at the tip, want the third", got)
	}
}
