package stream

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
)

// follower follows the chain, and tells a hub what happens, once for all who follow it.
type follower struct {
	api  *api
	hub  *live.Hub
	wake chan struct{}

	place live.Place // up to where the hub was told; of no instance before it was told anything
	seen  int64      // the position of chain when there was nothing more to tell

	balancesOf string // instance of balances
	balances   map[live.Feed]toldBalance
	// balancesSeen is what was looked at last, and mempool up to where changes of the mempool were told.
	balancesSeen balancesPlace
	mempool      mempoolPlace

	// catching bounds how many read from the tables what they missed, at a time.
	catching chan struct{}
}

// How a follower follows.
const (
	followInterval = time.Second      // at which to look in any case
	followAgain    = 5 * time.Second  // after a failure, at most
	catchingMost   = 4                // who read from the tables at a time
	liveHubPage    = 16               // steps that are told at once
	catchingWait   = 30 * time.Second // for a turn to read from the tables
)

func newFollower(a *api) *follower {
	return &follower{
		api:  a,
		hub:  live.NewHub(live.Config{Most: a.streams.Most, QueueMessages: a.streams.Queue, Registry: a.Config.Registry}),
		wake: make(chan struct{}, 1), catching: make(chan struct{}, catchingMost),
	}
}

// look makes run look now.
func (f *follower) look() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// subscribe adds somebody, and returns when it is known where the chain stands.
func (f *follower) subscribe(ctx context.Context, protocol string) (*live.Subscriber, error) {
	s, err := f.hub.Subscribe(protocol)
	if err != nil {
		return nil, err
	}
	f.look()
	timer := time.NewTimer(f.api.Config.RequestTimeout)
	defer timer.Stop()
	select {
	case <-f.hub.Ready():
	case <-timer.C:
		err = live.ErrClosed
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		s.Close(endFailed)
		return nil, err
	}
	return s, nil
}

// run follows until ctx ends; then all streams end.
func (f *follower) run(ctx context.Context) {
	f.hub.Open()
	defer func() {
		f.hub.Close()
		f.hub.Wait() // until all are told
	}()
	failing, wait := false, followInterval
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-time.After(wait):
		}
		err := f.follow(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait = min(2*wait, followAgain)
			if !failing && !engine.IsAnswer(err) {
				f.api.Config.Logger.LogAttrs(ctx, slog.LevelWarn, "streams stand still: what happened can't be read", slog.Any("error", err))
				failing = true
			}
		default:
			wait = followInterval
			if failing {
				f.api.Config.Logger.LogAttrs(ctx, slog.LevelInfo, "streams go on")
				failing = false
			}
		}
	}
}

// follow tells the hub all that has happened since it was told last.
func (f *follower) follow(ctx context.Context) error {
	if f.hub.Sleep() {
		f.place = live.Place{}
		return nil
	}
	for ctx.Err() == nil {
		state := f.api.Watch.State(time.Now())
		if state == nil {
			break
		}
		chain := state.Active("chain")
		if chain == nil || f.place.Instance == instance(chain) && f.seen == chain.Position {
			break
		}
		value, _, err := f.api.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
			s.KeepOpen = true
			return f.next(ctx, s)
		})
		if err != nil {
			return err
		}
		if n := value.(*liveNext); n.move {
			f.balancesSeen, f.mempool = n.balances, n.mempool
			f.hub.Move(n.to)
			f.place, f.seen = n.to, n.position
		} else {
			f.hub.Publish(n.deliveries, n.to)
			f.place = n.to
			if n.head {
				f.seen = n.position
			}
		}
	}
	if err := f.tellBalances(ctx); err != nil {
		return err
	}
	return f.tellMempool(ctx)
}

// liveNext is what to tell the hub next.
type liveNext struct {
	deliveries []live.Delivery
	to         live.Place
	move       bool // to is in another instance than where the hub was
	head       bool // there is no more
	position   int64
	// Where the others stand, of a move.
	balances balancesPlace
	mempool  mempoolPlace
}

func (f *follower) next(ctx context.Context, s *engine.Snapshot) (*liveNext, error) {
	chain := s.Active("chain")
	if chain == nil {
		return nil, engine.ErrNoChain
	}
	if err := s.Foreign("chain"); err != nil {
		return nil, err
	}
	n := &liveNext{position: chain.Position, move: f.place.Instance != instance(chain)}
	if n.move {
		mempool := s.Active("mempool")
		n.balances, n.mempool = placeOfBalances(s.Active("balances"), mempool), placeOfMempool(mempool)
	}
	if n.move || !f.hub.Anybody() {
		head, err := headStep(ctx, s)
		if err != nil {
			return nil, err
		}
		n.head, n.to = true, live.Place{Instance: instance(chain), Step: head.step, Position: head.position()}
		// Who has come meanwhile follows from where the hub is, and has to be told of all steps from there.
		if n.move || head.step >= f.place.Step && len(f.hub.Begin(head.step)) == 0 {
			return n, nil
		}
	}
	b := s.Batch()
	found := queueSteps(b, f.place.Step, 1<<63-1, liveHubPage)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	n.to, n.head = f.place, len(found.Rows) < liveHubPage
	if len(found.Rows) == 0 {
		return n, nil
	}
	last := &found.Rows[len(found.Rows)-1]
	n.to = live.Place{Instance: f.place.Instance, Step: last.step, Position: last.position()}
	followed := f.hub.Begin(last.step)
	touches, err := f.api.touches(ctx, s, appliedContents(found.Rows), followed)
	if err != nil {
		return nil, err
	}
	n.deliveries, err = f.api.renderSteps(ctx, s, found.Rows, followed, touches)
	return n, err
}

// errManyCatchUp is why a stream ends that got no turn to read from the tables.
var errManyCatchUp = errors.New("too many streams catch up at a time")

// turn waits for a turn to read from the tables, which done ends.
func (f *follower) turn(ctx context.Context) (done func(), err error) {
	timer := time.NewTimer(catchingWait)
	defer timer.Stop()
	select {
	case f.catching <- struct{}{}:
		return func() { <-f.catching }, nil
	case <-timer.C:
		return nil, errManyCatchUp
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
