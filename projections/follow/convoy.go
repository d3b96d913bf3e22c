package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// convoy folds the events that a leader reads, and the steps that the leader makes of them, in one transaction: those
// followers of the steps that stand where the leader stands are on board. So all their tables change together, and
// readers see one block. Leaders of other lines ride, too, with those on board of theirs.
//
// Whoever is behind, fails, or folds other versions follows alone, and gets on board when it has arrived. While the
// leader itself is far behind, nobody is: the leader and its followers then fold different batches at the same time.
type convoy[T projections.Item] struct {
	// mu is held while the leader folds, and while somebody gets on or off. A convoy that rides is locked after the one
	// that it rides with.
	mu     sync.Mutex
	leader *follower[projections.LogItem] // nil unless it is at the head, in this process
	opened chan struct{}                  // closed when the convoy opens
	riders []*rider[T]
	towed  []*towed
}

// convoys are those of a line, by the version of the leader.
type convoys[T projections.Item] struct {
	mu       sync.Mutex
	byLeader map[projections.Schema]*convoy[T]
}

func newConvoys[T projections.Item]() *convoys[T] {
	return &convoys[T]{byLeader: map[projections.Schema]*convoy[T]{}}
}

// of returns the convoy of a version of the leader.
func (c *convoys[T]) of(leader projections.Schema) *convoy[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byLeader[leader] == nil {
		c.byLeader[leader] = &convoy[T]{opened: make(chan struct{})}
	}
	return c.byLeader[leader]
}

// driver is a convoy as its leader sees it, which folds items of type L.
type driver[L projections.Item] interface {
	// open lets followers get on board.
	open(leader *follower[L])
	// close puts all followers off.
	close()
	// check puts off the followers whose position somebody else has moved.
	check(ctx context.Context) error
	// drive folds items of the leader, together with everybody on board.
	drive(ctx context.Context, leader *follower[L], items []L) error
}

// carrier is a convoy as those see it that get on board.
type carrier[T projections.Item] interface {
	// whenOpen returns a channel that is closed when the convoy opens.
	whenOpen() <-chan struct{}
	// ride gets a follower on board, and returns when it is off again. It returns false when the convoy is not open.
	ride(ctx context.Context, f *follower[T]) (rode bool, err error)
}

func (c *convoy[T]) open(leader *follower[projections.LogItem]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leader == nil {
		close(c.opened)
	}
	c.leader = leader
}

func (c *convoy[T]) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.putAllOff()
}

// putAllOff closes the convoy, which is locked.
func (c *convoy[T]) putAllOff() {
	if c.leader == nil {
		return
	}
	c.leader, c.opened = nil, make(chan struct{})
	for _, r := range c.riders {
		r.off <- nil
	}
	for _, t := range c.towed {
		t.off <- nil
	}
	c.riders, c.towed = nil, nil
}

func (c *convoy[T]) whenOpen() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opened
}

func (c *convoy[T]) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leader != nil
}

// drive implements driver. Whoever fails on board is put off: it folds the same items again alone, which tells a fault
// that lasts from one that passes. What is too much for one transaction, the leader folds alone, in several, while the others
// follow behind.
func (c *convoy[T]) drive(ctx context.Context, leader *follower[projections.LogItem], items []projections.LogItem) error {
	wasOpen := c.isOpen()
	left, err := c.driveTogether(ctx, leader, items)
	if err != nil || left == 0 {
		return err
	}
	leader.logger.LogAttrs(ctx, slog.LevelInfo, "an event changes much of the chain; the projection folds it in pieces",
		slog.String("projection", leader.spec.String()), slog.Int64("position", leader.position))
	if err := leader.applyAlone(ctx, items[len(items)-left:]); err != nil {
		return err
	}
	if wasOpen {
		c.open(leader)
	}
	return nil
}

// driveTogether folds items with everybody on board. If they are too much for one transaction it closes the convoy, and
// returns how many items at the end are left.
func (c *convoy[T]) driveTogether(ctx context.Context, leader *follower[projections.LogItem], items []projections.LogItem) (left int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.riders) > 0 || len(c.towed) > 0 {
		failed, err := c.fold(ctx, leader, items)
		if errors.Is(err, errTooMuch) {
			c.putAllOff()
			return len(items), nil
		}
		if failed == nil {
			return 0, err
		}
		leader.logger.LogAttrs(ctx, slog.LevelWarn, "projection leaves the common transaction and follows alone",
			slog.String("projection", failed.place.version.String()), slog.Any("error", err))
		if !errors.Is(err, errMoved) {
			err = nil
		}
		c.putOffPassenger(failed, err)
	}
	if left, err = leader.applyOnce(ctx, items); left > 0 {
		c.putAllOff()
	}
	return left, err
}

// putOffPassenger makes a passenger leave, whichever convoy it belongs to.
func (c *convoy[T]) putOffPassenger(p *passenger, err error) {
	for _, t := range slices.Clone(c.towed) {
		t.train.lock()
		defer t.train.unlock()
	}
	p.putOff(err)
}

// fold folds items of the leader, and what follows from them, in one transaction. failed is the passenger at fault, if
// one is; nothing is committed then.
func (c *convoy[T]) fold(ctx context.Context, leader *follower[projections.LogItem], items []projections.LogItem) (failed *passenger, err error) {
	trains := []train{c}
	for _, t := range c.towed {
		t.train.lock()
		defer t.train.unlock()
		trains = append(trains, t.train)
	}
	t := newTrip(leader, trains, c.passengers(leader))
	err = t.make(ctx, items)
	if t.questions(err) {
		t = newTrip(leader, trains, t.passengers)
		t.careful = true
		err = t.make(ctx, items)
	}
	return t.failed, err
}

// passengers returns everybody on board: first the leader, who can't be put off.
func (c *convoy[T]) passengers(leader *follower[projections.LogItem]) []*passenger {
	all := []*passenger{passengerOf(leader, nil)}
	all = append(all, c.ridersOnBoard()...)
	for _, t := range c.towed {
		all = append(all, passengerOf(t.leader, func(err error) { c.putOffTowed(t, err) }))
		all = append(all, t.train.ridersOnBoard()...)
	}
	return all
}

// check implements driver. While something is being folded it does nothing: the fold itself checks.
func (c *convoy[T]) check(ctx context.Context) error {
	if !c.mu.TryLock() {
		return nil
	}
	defer c.mu.Unlock()
	if c.leader == nil || len(c.riders) == 0 && len(c.towed) == 0 {
		return nil
	}
	for _, t := range c.towed {
		t.train.lock()
		defer t.train.unlock()
	}
	passengers := c.passengers(c.leader)[1:]
	batch := &pgx.Batch{}
	there := queuePlaces(batch, atPlaces, placesOf(passengers))
	if err := c.leader.pool.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("check the positions of %d projections: %w", len(passengers), err)
	}
	for _, p := range passengers {
		if !there[p.place.version] {
			p.putOff(errMoved)
		}
	}
	return nil
}

// train is a leader that folds a part of the log with the followers of its steps, whatever kind of steps it writes.
type train interface {
	lock()
	unlock()
	signal()
	// logFold returns the fold of the leader, of items that driver has read.
	logFold(ctx context.Context, driver *follower[projections.LogItem], items []projections.LogItem) (*participant, error)
	// stepFolds returns the folds of those on board, once the leader has folded, and the channel on which others wait for
	// its steps; an empty channel when there are none.
	stepFolds(ctx context.Context) (folds []*participant, channel string, err error)
	ridersOnBoard() []*passenger
}

func (c *convoy[T]) lock() { c.mu.Lock() }

func (c *convoy[T]) unlock() { c.mu.Unlock() }

func (c *convoy[T]) signal() { c.leader.signal() }

func (c *convoy[T]) logFold(ctx context.Context, driver *follower[projections.LogItem], items []projections.LogItem) (*participant, error) {
	if c.leader == driver {
		return participantOf(driver, items), nil
	}
	own, err := c.leader.source.(*logSource).own(ctx, items)
	if err != nil {
		return nil, err
	}
	return participantOf(c.leader, own), nil
}

func (c *convoy[T]) stepFolds(ctx context.Context) (folds []*participant, channel string, err error) {
	steps := c.leader.projection.(projections.Leading[T]).Written()
	if len(steps) == 0 {
		return nil, "", nil
	}
	for _, r := range c.riders {
		own := slices.Clone(steps)
		if err := r.source.load(ctx, own); err != nil {
			return nil, "", err
		}
		folds = append(folds, participantOf(r.follower, own))
	}
	return folds, stepChannel(c.leader.spec.Name), nil
}

func (c *convoy[T]) ridersOnBoard() []*passenger {
	all := make([]*passenger, len(c.riders))
	for i, r := range c.riders {
		all[i] = passengerOf(r.follower, func(err error) { c.putOff(r, err) })
	}
	return all
}
