package stream

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"strata/internal/clientaddr"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/register"
)

// follower follows the tables and publishes what changes to a hub, once for all clients.
type follower struct {
	api  *api
	hub  *live.Hub
	wake chan struct{}

	place live.Place     // up to which the hub has all steps; its instance is empty before the first
	seen  register.Reach // how far the projections were when the hub last had all steps

	balancesOf   string // the instance of the projection that f.balances is about
	balances     map[live.Feed]sentBalance
	balancesSeen balancesPlace // up to which changes of balances were looked for
	mempool      mempoolPlace  // up to which the hub has the changes of the mempool

	// slots bounds how many streams read the tables at a time to catch up.
	slots chan struct{}
}

const (
	followInterval = time.Second      // at which the follower looks at the tables even if nothing wakes it
	followRetryMax = 5 * time.Second  // longest interval between attempts that fail
	liveHubPage    = 16               // steps that are published at once
	catchUpSlots   = 4                // streams that read the tables at a time
	slotWait       = 30 * time.Second // longest wait for a slot
)

func newFollower(a *api) *follower {
	return &follower{
		api:  a,
		hub:  live.NewHub(live.Config{Most: a.streams.Most, PerClient: a.streams.PerClient, QueueMessages: a.streams.Queue, Registry: a.Config.Registry}),
		wake: make(chan struct{}, 1), slots: make(chan struct{}, catchUpSlots),
	}
}

// wakeUp makes run look at the tables now.
func (f *follower) wakeUp() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// subscribe adds a subscriber, and returns once the hub knows its place on the chain. It fails with live.ErrFull,
// live.ErrClientFull or live.ErrClosed.
func (f *follower) subscribe(ctx context.Context, protocol string) (*live.Subscriber, error) {
	s, err := f.hub.Subscribe(protocol, clientaddr.NetworkOf(engine.ExchangeOf(ctx).Client))
	if err != nil {
		return nil, err
	}
	f.wakeUp()
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

// run follows the tables until ctx ends. Then it ends all streams and waits for them.
func (f *follower) run(ctx context.Context) {
	f.hub.Open()
	defer func() {
		f.hub.Close()
		f.hub.Wait()
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
			wait = min(2*wait, followRetryMax)
			if !failing && !engine.IsAnswer(err) {
				f.api.Config.Logger.LogAttrs(ctx, slog.LevelWarn, "streams paused: cannot read the tables; retrying", slog.Any("error", err))
				failing = true
			}
		default:
			wait = followInterval
			if failing {
				f.api.Config.Logger.LogAttrs(ctx, slog.LevelInfo, "streams resumed")
				failing = false
			}
		}
	}
}

// follow publishes all that has changed since the last time. It does nothing while nobody is subscribed.
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
		if chain == nil || f.place.Instance == instance(chain) && f.seen == state.Reach() {
			break
		}
		value, s, err := f.api.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
			return f.next(ctx, s)
		})
		if err != nil {
			return err
		}
		f.api.Watch.WaitForState(ctx, s.State) // a client that is told of a block finds it in all answers of this process
		if n := value.(*liveNext); n.move {
			f.balancesSeen, f.mempool = n.balances, n.mempool
			f.hub.Move(n.to)
			f.place, f.seen = n.to, n.seen
		} else {
			f.hub.Publish(n.deliveries, n.to)
			f.place = n.to
			if n.head {
				f.seen = n.seen
			}
		}
	}
	if err := f.tellBalances(ctx); err != nil {
		return err
	}
	return f.tellMempool(ctx)
}

// liveNext is the next batch of steps to publish.
type liveNext struct {
	deliveries []live.Delivery
	to         live.Place
	move       bool // to is in another instance than the hub's place
	head       bool // to is the last step that all projections have reached
	seen       register.Reach
	// The places of the other projections; set for a move only.
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
	n := &liveNext{seen: s.State.Reach(), move: f.place.Instance != instance(chain)}
	if n.move {
		mempool := s.Active("mempool")
		n.balances, n.mempool = placeOfBalances(s.Active("balances"), mempool), placeOfMempool(mempool)
	}
	if n.move || !f.hub.Anybody() {
		head, err := headStep(ctx, s, n.seen.Step)
		if err != nil {
			return nil, err
		}
		n.head, n.to = true, live.Place{Instance: instance(chain), Step: head.step, Position: head.position()}
		// A client that has begun to follow in the meantime does so from the hub's place, and must get all steps from
		// there.
		if n.move || head.step >= f.place.Step && len(f.hub.Begin(head.step)) == 0 {
			return n, nil
		}
	}
	b := s.Batch()
	found := queueSteps(b, f.place.Step, n.seen.Step, liveHubPage)
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

// errNoSlot ends a stream that could not read the tables within slotWait.
var errNoSlot = errors.New("too many streams are catching up")

// acquireSlot waits for a slot to read the tables; done frees it.
func (f *follower) acquireSlot(ctx context.Context) (done func(), err error) {
	timer := time.NewTimer(slotWait)
	defer timer.Stop()
	select {
	case f.slots <- struct{}{}:
		return func() { <-f.slots }, nil
	case <-timer.C:
		return nil, errNoSlot
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
