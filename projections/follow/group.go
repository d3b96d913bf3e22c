package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/dberror"
	"strata/internal/longlock"
	"strata/internal/pause"
	"strata/projections"
)

// group is a leader with the projections that commit together with it, so that readers see all their tables change at
// once. Its members are followers of the leader's steps, and leaders of other lines with the members of their own groups.
//
// A projection that is behind, has failed, or folds another version follows alone, and joins when it stands where the
// leader stands. While the leader is far behind, the group is closed: the leader and its followers then fold different
// batches at the same time.
type group struct {
	leader *follower[projections.LogItem]

	// mu is held while the leader folds, and while a member joins or leaves. The lock of a group comes before those of the
	// groups of its members.
	mu      longlock.Lock
	isOpen  bool
	members []*member
}

// member is a projection that has joined a group.
type member struct {
	joiner
	left chan error // gets why it was removed; nil when it may come back
}

// joiner is a follower as its group sees it, whatever kind of items it folds.
type joiner interface {
	place() place
	forget()
	// foldRest folds what there is to read, up to a position.
	foldRest(ctx context.Context, position int64) error
	// reachLeader folds a few missing items, and reports whether the follower stands where the leader stands.
	reachLeader(ctx context.Context, leader *follower[projections.LogItem]) (bool, error)
	// leads returns the group of a leader; nil for a follower of steps.
	leads() *group
	// partOfEvents is what a leader folds of items that another one has read.
	partOfEvents(ctx context.Context, items []projections.LogItem) (*part, error)
	// partOfSteps is what a follower of steps folds of those that the leader has just written; nil if there are none.
	partOfSteps(ctx context.Context, leader *follower[projections.LogItem]) (*part, error)
}

// groups are those of a line, by the version of the leader.
type groups struct {
	mu       sync.Mutex
	byLeader map[projections.Schema]*group
}

func (g *groups) of(leader projections.Schema) *group {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byLeader == nil {
		g.byLeader = map[projections.Schema]*group{}
	}
	if g.byLeader[leader] == nil {
		g.byLeader[leader] = &group{mu: longlock.New()}
	}
	return g.byLeader[leader]
}

// ledBy returns the group of a leader.
func (g *groups) ledBy(leader *follower[projections.LogItem]) *group {
	own := g.of(leader.spec.Schema)
	own.mu.Lock()
	defer own.mu.Unlock()
	own.leader = leader
	return own
}

// open lets followers join.
func (g *group) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.isOpen = true
}

// close removes all members, and lets none join.
func (g *group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closeLocked()
}

func (g *group) closeLocked() {
	if !g.isOpen {
		return
	}
	g.isOpen = false
	for _, m := range slices.Clone(g.members) {
		g.remove(m, nil)
	}
}

// canJoin reports whether the group is open.
func (g *group) canJoin() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isOpen
}

// joinInterval is how often a follower that is not yet where the leader stands tries to join.
const joinInterval = 10 * time.Millisecond

// join makes a follower a member, and returns when it has left, or when the group is closed.
func (g *group) join(ctx context.Context, f joiner) error {
	m := &member{joiner: f, left: make(chan error, 1)}
	for {
		// What is there already is folded alone, without stopping the group.
		if err := f.foldRest(ctx, math.MaxInt64); err != nil {
			return err
		}
		joined, closed, err := g.admit(ctx, m)
		if joined {
			break
		}
		if err != nil || closed || ctx.Err() != nil {
			return err
		}
		pause.For(ctx, joinInterval)
	}
	select {
	case err := <-m.left:
		return err
	case <-ctx.Done():
		g.mu.Lock() // what is being folded is committed first
		defer g.mu.Unlock()
		g.remove(m, nil)
		return ctx.Err()
	}
}

// admit adds a member that stands where the leader stands. The leader waits while one that is a few items behind folds
// them: at a busy tip it would never be in time otherwise.
func (g *group) admit(ctx context.Context, m *member) (admitted, closed bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.isOpen {
		return false, true, nil
	}
	there, err := m.reachLeader(ctx, g.leader)
	if there {
		g.members = append(g.members, m)
		g.leader.metrics.members.Inc()
	}
	return there, false, err
}

// remove makes a member leave, if it has not. The group is locked.
func (g *group) remove(m *member, err error) {
	if i := slices.Index(g.members, m); i >= 0 {
		g.members = slices.Delete(g.members, i, i+1)
		g.leader.metrics.members.Dec()
		m.left <- err
	}
}

// fold folds items of the leader, together with all members. A member that fails leaves and folds the same items alone,
// which tells a permanent fault from a transient one. What is too much for one transaction the leader folds alone, in
// several, while its followers follow behind.
func (g *group) fold(ctx context.Context, items []projections.LogItem) error {
	left, wasOpen, err := g.foldTogether(ctx, items)
	if err != nil || left == 0 {
		return err
	}
	g.leader.logger.LogAttrs(ctx, slog.LevelInfo, "an event changes much of the chain; the projection folds it in pieces",
		slog.String("projection", g.leader.spec.String()), slog.Int64("position", g.leader.position))
	if err := g.leader.applyAlone(ctx, items[len(items)-left:]); err != nil {
		return err
	}
	if wasOpen {
		g.open()
	}
	return nil
}

// foldTogether returns how many items at the end are left because they are too much for one transaction. It closes the
// group then.
func (g *group) foldTogether(ctx context.Context, items []projections.LogItem) (left int, wasOpen bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	wasOpen = g.isOpen
	for len(g.members) > 0 {
		failed, err := g.foldOnce(ctx, items)
		if errors.Is(err, errTooMuch) {
			g.closeLocked()
			return len(items), wasOpen, nil
		}
		if failed == nil {
			return 0, wasOpen, err
		}
		g.leader.logger.LogAttrs(ctx, slog.LevelWarn, "projection leaves the common transaction and follows alone",
			slog.String("projection", failed.place().version.String()), slog.Any("error", err))
		if !errors.Is(err, errMoved) {
			err = nil
		}
		g.removeAnywhere(failed, err)
	}
	if left, err = g.leader.applyOnce(ctx, items); left > 0 {
		g.closeLocked()
	}
	return left, wasOpen, err
}

// lockMembers locks the groups that members lead.
func (g *group) lockMembers() (unlock func()) {
	var locked []*group
	for _, m := range g.members {
		if own := m.leads(); own != nil {
			own.mu.Lock()
			locked = append(locked, own)
		}
	}
	return func() {
		for _, own := range locked {
			own.mu.Unlock()
		}
	}
}

// removeAnywhere removes a member of this group, or of one that a member leads.
func (g *group) removeAnywhere(m *member, err error) {
	defer g.lockMembers()()
	g.removeLocked(m, err)
}

func (g *group) removeLocked(m *member, err error) {
	for _, other := range g.members {
		if own := other.leads(); own != nil {
			own.remove(m, err)
		}
	}
	g.remove(m, err)
}

// all returns the members of the group and of the groups that these lead, which are locked.
func (g *group) all() (all []*member) {
	for _, m := range g.members {
		all = append(all, m)
		if own := m.leads(); own != nil {
			all = append(all, own.members...)
		}
	}
	return all
}

// foldOnce folds items of the leader, and what follows from them, in one transaction. failed is the member at fault, if
// one is; nothing is committed then.
func (g *group) foldOnce(ctx context.Context, items []projections.LogItem) (failed *member, err error) {
	defer g.lockMembers()()
	err = newGroupTx(g).run(ctx, items)
	if err == nil || dberror.Passing(err) || errors.Is(err, errTooMuch) {
		return nil, err
	}
	// Another process may have moved a member, and a write may have failed later than in its own fold: the second time,
	// the member at fault is looked for.
	t := newGroupTx(g)
	t.careful = true
	err = t.run(ctx, items)
	return t.failed, err
}

// check removes the members whose position another process has moved. While something is being folded it does nothing:
// the fold itself checks.
func (g *group) check(ctx context.Context) error {
	if !g.mu.TryLock() {
		return nil
	}
	defer g.mu.Unlock()
	if len(g.members) == 0 {
		return nil
	}
	defer g.lockMembers()()
	all := g.all()
	batch := &pgx.Batch{}
	there := queuePlaces(batch, atPlaces, placesOf(all))
	if err := g.leader.pool.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("check the positions of %d projections: %w", len(all), err)
	}
	for _, m := range all {
		if !there[m.place().version] {
			g.removeLocked(m, errMoved)
		}
	}
	return nil
}

func placesOf[J joiner](joiners []J) []place {
	places := make([]place, len(joiners))
	for i, j := range joiners {
		places[i] = j.place()
	}
	return places
}
