package follow

import (
	"context"
	"math"
	"slices"
	"time"

	"strata/internal/pause"
	"strata/projections"
)

// rider is a follower of steps on board of the convoy of their leader.
type rider[T projections.Item] struct {
	*follower[T]
	source *stepSource[T]
	off    chan error // what made it leave, if it was not its own decision; nil when it may come back
}

func (c *convoy[T]) ride(ctx context.Context, f *follower[T]) (rode bool, err error) {
	r := &rider[T]{follower: f, source: f.source.(*stepSource[T]), off: make(chan error, 1)}
	return onBoard(ctx, f, c, r.off, func() (bool, error) { return c.board(ctx, r) }, func() { c.leave(r) })
}

// board gets a rider on board if it stands where the leader stands. The leader waits while a rider that is a few steps
// behind folds them: at a busy tip it would never be in time otherwise.
func (c *convoy[T]) board(ctx context.Context, r *rider[T]) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leader == nil {
		return false, nil
	}
	head, err := r.source.head(ctx)
	if err != nil {
		return false, err
	}
	there, err := comeTo(ctx, r.follower, head)
	if there {
		c.riders = append(c.riders, r)
	}
	return there, err
}

// comeTo lets a follower fold up to a position, if few items are missing, and reports whether it stands there.
func comeTo[T projections.Item](ctx context.Context, f *follower[T], position int64) (there bool, err error) {
	if position-f.position > bulkLag {
		return false, nil
	}
	err = f.foldRest(ctx, position)
	return err == nil && f.position == position, err
}

// leave gets a rider off, if it still is on board. It waits until what is being folded is committed.
func (c *convoy[T]) leave(r *rider[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(r)
}

// putOff makes a rider leave. The convoy is locked.
func (c *convoy[T]) putOff(r *rider[T], err error) {
	c.remove(r)
	r.off <- err
}

func (c *convoy[T]) remove(r *rider[T]) {
	c.riders = slices.DeleteFunc(c.riders, func(other *rider[T]) bool { return other == r })
}

// towed is a leader of another line on board, with the riders of its own convoy.
type towed struct {
	train  train
	leader *follower[projections.LogItem]
	off    chan error
}

// tower is a convoy as the leaders of other lines see it.
type tower[T projections.Item] struct {
	*convoy[T]
	train train // the convoy of the leader that rides
}

func (c tower[T]) ride(ctx context.Context, f *follower[projections.LogItem]) (rode bool, err error) {
	t := &towed{train: c.train, leader: f, off: make(chan error, 1)}
	return onBoard(ctx, f, c.convoy, t.off, func() (bool, error) { return c.boardTowed(ctx, t) }, func() { c.leaveTowed(t) })
}

// boardTowed gets the leader of another line on board if it has read as far as the leader of this one.
func (c *convoy[T]) boardTowed(ctx context.Context, t *towed) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leader == nil {
		return false, nil
	}
	there, err := comeTo(ctx, t.leader, c.leader.position)
	if there {
		c.towed = append(c.towed, t)
	}
	return there, err
}

func (c *convoy[T]) leaveTowed(t *towed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeTowed(t)
}

// putOffTowed makes the leader of another line leave. The convoy is locked.
func (c *convoy[T]) putOffTowed(t *towed, err error) {
	c.removeTowed(t)
	t.off <- err
}

func (c *convoy[T]) removeTowed(t *towed) {
	c.towed = slices.DeleteFunc(c.towed, func(other *towed) bool { return other == t })
}

// boardInterval is how often a follower tries to get on board.
const boardInterval = 10 * time.Millisecond

// onBoard gets a follower on board with the function of that name, and waits until it is off.
func onBoard[T projections.Item](
	ctx context.Context, f *follower[T], c interface{ isOpen() bool }, off <-chan error, board func() (bool, error), leave func(),
) (rode bool, err error) {
	for {
		// What is there already is folded alone, without stopping the convoy.
		if err := f.foldRest(ctx, math.MaxInt64); err != nil {
			return false, err
		}
		boarded, err := board()
		if boarded {
			break
		}
		if err != nil || !c.isOpen() || ctx.Err() != nil {
			return false, err
		}
		pause.For(ctx, boardInterval)
	}
	f.metrics.onBoard.Inc()
	defer f.metrics.onBoard.Dec()
	select {
	case err := <-off:
		return true, err
	case <-ctx.Done():
		leave()
		return true, ctx.Err()
	}
}
