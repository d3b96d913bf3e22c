package chain

import (
	"context"
	"errors"
	"fmt"
	"math"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/projections"
)

// An event can have consequences of any size: the block that connects a whole history to the chain above it makes chain
// revert and apply every block. So what an event leads to is a task, which is done in pieces: a transaction attaches,
// reverts and applies at most this many blocks for one event. The task is stored with the rows of each piece, and the next
// Fold goes on with it, in whatever process.
const pieceMax = 4096

// errUnfinished is returned by what can't be finished within this transaction.
var errUnfinished = errors.New("the event needs more than one transaction")

// task is what an event leads to, as far as it is not done.
type task struct {
	cause    int64 // the event
	arrivals []arrival
	move     *move // under way, before the first of the arrivals; nil for none
	orphaned bool  // the chain is orphaned as a whole, so that the best tip is chosen after the arrivals
	stored   bool  // the table has a part of it
}

// arrival is a block that can be attached now, because its parent is.
type arrival struct {
	block hash.Hash32
	stage stage
}

// stage says what has been done about an arrival.
type stage int16

const (
	arrived  stage = iota
	attached       // and the blocks that waited for it have arrived
	extended       // the chain above it, if there is one, now stands on it
)

// move takes the chain to another tip. It looks down from the target for the highest canonical ancestor, reverts the
// blocks above that, and applies those that lead to the target. Only a few of these are in memory at a time, between two
// waypoints.
type move struct {
	phase  phase
	target hash.Hash32
	// floor is the highest block that is kept, whatever the ancestors of the target are; the zero hash for none. It counts
	// in the phase lowering, which comes first if it is needed.
	floor hash.Hash32
	// replaced is the block that gets the content of the event once it is reverted; the zero hash for none.
	replaced hash.Hash32
	// waypoints are the target and some of its ancestors, downwards. Those from known on are not in the table yet.
	waypoints []hash.Hash32
	known     int
}

// phase is a part of a move.
type phase int16

const (
	lowering  phase = iota // revert down to the floor
	searching              // search for the highest canonical ancestor of the target
	reverting              // revert down to it, and apply from there to the target
)

// spend reports whether this transaction may do something more with a block.
func (b *batch) spend() bool {
	b.spent++
	return b.spent <= b.chain.piece
}

// begin makes a task of what an event leads to, and does it.
func (b *batch) begin(ctx context.Context, t *task) error {
	b.state.task = t
	return b.work(ctx)
}

// work goes on with the task. It returns errUnfinished when this transaction has done its piece.
func (b *batch) work(ctx context.Context) error {
	for t := b.state.task; ; {
		switch {
		case t.move != nil:
			if err := b.advance(ctx, t.move, t.cause); err != nil {
				return err
			}
			t.move = nil
		case len(t.arrivals) > 0:
			if err := b.attachNext(ctx, t); err != nil {
				return err
			}
		case t.orphaned:
			t.orphaned = false
			b.burnChangedFrom = math.MinInt64 // what is canonical says nothing: all of it stands on an orphaned block
			if err := b.chooseBest(ctx, t); err != nil {
				return err
			}
		default:
			b.state.task = nil
			return b.forget(ctx, t)
		}
	}
}

// attachNext goes on with the first of the arrivals: it makes the block, and then those that waited for it, candidates for
// the tip, in the order of arrival.
func (b *batch) attachNext(ctx context.Context, t *task) error {
	n, err := b.node(ctx, t.arrivals[0].block)
	if err != nil {
		return err
	}
	switch t.arrivals[0].stage {
	case arrived:
		if !b.spend() {
			return errUnfinished
		}
		children, err := b.join(ctx, n)
		if err != nil {
			return err
		}
		t.arrivals[0].stage = attached
		for _, child := range children {
			t.arrivals = append(t.arrivals, arrival{block: child.id})
		}
	case attached:
		t.arrivals[0].stage = extended
		if root := b.state.root; root != nil && root.parent == n.id && root.height > n.height && !n.canonical {
			// The chain began above n: extend it downwards. As steps are appended only, the whole chain is reverted and
			// applied again from the new root. If Bitcoin has orphaned all of it, something below may be better now.
			orphaned, err := b.orphaned(ctx, root)
			if err != nil {
				return err
			}
			t.orphaned = t.orphaned || orphaned && b.chain.rule != Reference
			t.move = &move{phase: lowering, target: b.state.tip.id}
		}
	case extended:
		t.arrivals = t.arrivals[1:]
		return b.consider(ctx, n, t)
	}
	return nil
}

// join attaches a block and returns those that waited for it.
func (b *batch) join(ctx context.Context, n *node) (children []*node, err error) {
	if err := b.inheritBurnView(ctx, n); err != nil {
		return nil, err
	}
	waitedFor := n.stored || b.closeGap(n)
	n.attached = true
	if n.stored {
		b.rows.updated = append(b.rows.updated, n)
	}
	if !waitedFor {
		return nil, nil
	}
	waiting, err := b.waiting(ctx, n.id)
	if err != nil {
		return nil, err
	}
	for _, child := range waiting {
		if child.height <= n.height {
			b.quarantine(projections.LogItem{Seq: child.seq, Path: nodeevent.PathBlock}, tooLow(child, n))
			continue
		}
		children = append(children, child)
	}
	return children, nil
}

// consider makes n the tip if it is better than the current one.
func (b *batch) consider(ctx context.Context, n *node, t *task) error {
	tip := b.state.tip
	if tip != nil && !b.chain.better(n, tip) {
		return nil
	}
	good, err := b.isGood(ctx, n, t.cause)
	if err != nil || !good {
		return err
	}
	if b.burnChangedFrom != math.MaxInt64 { // what was restored may make a higher block good, too
		return b.chooseBest(ctx, t)
	}
	t.move = moveTo(n)
	return nil
}

// moveTo returns the move that makes n the tip.
func moveTo(n *node) *move { return &move{phase: searching, target: n.id} }

// advance goes on with a move.
func (b *batch) advance(ctx context.Context, m *move, cause int64) error {
	if m.phase == lowering {
		floor, err := b.nodeOrNil(ctx, m.floor)
		if err != nil {
			return err
		}
		if err := b.rewind(ctx, floor, cause); err != nil {
			return err
		}
		if !m.replaced.IsZero() {
			if err := b.substitute(ctx, m.replaced); err != nil {
				return err
			}
		}
		m.phase = searching
	}
	if m.phase == searching {
		if err := b.search(ctx, m); err != nil {
			return err
		}
		m.phase = reverting
	}
	_, fork, err := b.below(ctx, m.waypoints[len(m.waypoints)-1])
	if err != nil {
		return err
	}
	if err := b.rewind(ctx, fork, cause); err != nil {
		return err
	}
	b.addBurnSteps()
	for last := len(m.waypoints) - 1; last >= 0; last-- {
		up, _, err := b.below(ctx, m.waypoints[last])
		if err != nil {
			return err
		}
		for i := len(up) - 1; i >= 0; i-- {
			if !b.spend() {
				return errUnfinished
			}
			b.apply(up[i], cause)
		}
		m.waypoints = m.waypoints[:last]
	}
	return nil
}

// search finds the way from the target down to its highest canonical ancestor, or to a root, and sets waypoints.
func (b *batch) search(ctx context.Context, m *move) error {
	if len(m.waypoints) == 0 {
		m.waypoints = []hash.Hash32{m.target}
	}
	n, err := b.node(ctx, m.waypoints[len(m.waypoints)-1])
	if err != nil {
		return err
	}
	for distance := 1; ; distance++ {
		if n, err = b.parent(ctx, n); err != nil || n == nil || n.canonical {
			return err
		}
		if !b.spend() {
			return errUnfinished
		}
		if distance%max(1, b.chain.piece/4) == 0 {
			m.waypoints = append(m.waypoints, n.id)
		}
	}
}

// below returns the blocks from a waypoint down to its highest canonical ancestor, and that ancestor; nil if there is none.
// It is for the lowest waypoint, so that there are few.
func (b *batch) below(ctx context.Context, waypoint hash.Hash32) (up []*node, fork *node, err error) {
	n, err := b.node(ctx, waypoint)
	for err == nil && n != nil && !n.canonical {
		up = append(up, n)
		n, err = b.parent(ctx, n)
	}
	return up, n, err
}

func (b *batch) nodeOrNil(ctx context.Context, id hash.Hash32) (*node, error) {
	if id.IsZero() {
		return nil, nil
	}
	return b.node(ctx, id)
}

// Kinds of rows of the table unfinished.
const (
	rowTarget int16 = iota + 1
	rowFloor
	rowReplaced
	rowArrival
	rowWaypoint
	rowOrphaned
)

// remember stores what is left of the task. Waypoints are many, so only those that came or went are written.
func (b *batch) remember(ctx context.Context) error {
	t := b.state.task
	rows := [][]any{}
	add := func(kind int16, number int, stage int16, id hash.Hash32) {
		rows = append(rows, []any{t.cause, int64(number), kind, stage, id[:]})
	}
	for i, a := range t.arrivals {
		add(rowArrival, i, int16(a.stage), a.block)
	}
	if t.orphaned {
		add(rowOrphaned, 0, 0, hash.Hash32{})
	}
	var known int // waypoints of this move that the table has; others are of an earlier move
	if m := t.move; m != nil {
		add(rowTarget, 0, int16(m.phase), m.target)
		add(rowFloor, 0, 0, m.floor)
		add(rowReplaced, 0, 0, m.replaced)
		known = min(m.known, len(m.waypoints))
		for m.known = known; m.known < len(m.waypoints); m.known++ {
			add(rowWaypoint, m.known, 0, m.waypoints[m.known])
		}
	}
	t.stored = true
	_, err := b.tx.Exec(ctx, b.sql(`DELETE FROM {schema}.unfinished WHERE kind <> $1 OR number >= $2`), rowWaypoint, known)
	if err != nil {
		return fmt.Errorf("note what is left to do for event %d: %w", t.cause, err)
	}
	return b.copy(ctx, "unfinished", []string{"source_seq", "number", "kind", "stage", "index_block_hash"}, rows)
}

// forget deletes the rows of a task that is done.
func (b *batch) forget(ctx context.Context, t *task) error {
	if !t.stored {
		return nil
	}
	if _, err := b.tx.Exec(ctx, b.sql(`DELETE FROM {schema}.unfinished`)); err != nil {
		return fmt.Errorf("note that all is done for event %d: %w", t.cause, err)
	}
	return nil
}

// unfinishedRow is a row of the table unfinished.
type unfinishedRow struct {
	cause       int64
	kind, stage int16
	id          hash.Hash32
}

// addTo adds the row to what is known of a task; nil for nothing so far. Rows come by kind and number.
func (r unfinishedRow) addTo(t *task) *task {
	if t == nil {
		t = &task{cause: r.cause, stored: true}
	}
	switch r.kind {
	case rowTarget:
		t.move = &move{phase: phase(r.stage), target: r.id}
	case rowFloor:
		t.move.floor = r.id
	case rowReplaced:
		t.move.replaced = r.id
	case rowArrival:
		t.arrivals = append(t.arrivals, arrival{r.id, stage(r.stage)})
	case rowWaypoint:
		t.move.waypoints = append(t.move.waypoints, r.id)
		t.move.known++
	case rowOrphaned:
		t.orphaned = true
	}
	return t
}
