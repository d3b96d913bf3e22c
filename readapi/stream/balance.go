package stream

import (
	"bytes"
	"context"
	"errors"
	"time"

	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/param"
	"strata/readapi/internal/register"
	"strata/readapi/internal/view"
	"strata/readapi/stream/internal/sse"
)

// liveBalancePage is the number of accounts whose balances are read in one round trip.
const liveBalancePage = 100

// balanceMessages reads the balances of accounts, and returns a message for each feed, in their order; none before the
// first block. The step of a message is the sum of the positions of balances and mempool, so it never decreases.
func (a *api) balanceMessages(ctx context.Context, feeds []live.Feed) ([]*live.Message, error) {
	value, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		return a.balanceMessagesOf(ctx, s, feeds)
	})
	if errors.Is(err, engine.ErrNoChain) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return value.([]*live.Message), nil
}

func (a *api) balanceMessagesOf(ctx context.Context, s *engine.Snapshot, feeds []live.Feed) ([]*live.Message, error) {
	version, ok := s.Tip("balances")
	if !ok {
		return nil, engine.ErrNoChain
	}
	position, err := live.ParsePosition(version.Header()[0])
	if err != nil {
		return nil, err
	}
	at := param.Moment{Height: *version.Height, Latest: true}
	b := s.Batch()
	messages, queued := make([]*live.Message, len(feeds)), make([]func() (*live.Message, error), len(feeds))
	for i, feed := range feeds {
		queued[i] = a.queueBalance(b, feed, at, placeOfBalances(version, s.Active("mempool")).step(), position)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for i, message := range queued {
		if messages[i], err = message(); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

// queueBalance adds the queries for the balances of a feed's account to a batch. The function that it returns makes the
// message once the batch has run.
func (a *api) queueBalance(b *engine.Batch, feed live.Feed, at param.Moment, step int64, position live.Position) func() (*live.Message, error) {
	if feed.Kind == socketBalances {
		stx := view.QueueEstimatedSTX(b, feed.Name, at)
		return func() (*live.Message, error) {
			balance, err := stx.Shape()
			if err != nil {
				return nil, err
			}
			return notification(step, position, feed, addressBalance{feed.Name, *balance})
		}
	}
	all := view.QueueBalances(b, feed.Name, at)
	return func() (*live.Message, error) {
		balances, err := all.Shape()
		if err != nil {
			return nil, err
		}
		return sse.Message(step, position, liveBalance, balanceBody{feed.Name, *balances})
	}
}

// sentBalance is the last message about an account.
type sentBalance struct {
	place balancesPlace
	data  []byte
}

// balancesPlace holds the positions of the two projections that balances are read from: mempool has the pending
// amounts.
type balancesPlace struct{ balances, mempool int64 }

func placeOfBalances(balances, mempool *register.Version) (p balancesPlace) {
	if balances != nil {
		p.balances = balances.Position
	}
	if mempool != nil {
		p.mempool = mempool.Position
	}
	return p
}

// step returns a number that grows with either position.
func (p balancesPlace) step() int64 { return p.balances + p.mempool }

// tellBalances publishes the balances of each followed account when they have changed.
func (f *follower) tellBalances(ctx context.Context) error {
	state := f.api.Watch.State(time.Now())
	if state == nil {
		return nil
	}
	version, mempool := state.Active("balances"), state.Active("mempool")
	if version == nil || version.Height == nil {
		return nil
	}
	if f.balancesOf != instance(version) {
		f.balancesOf, f.balances = instance(version), map[live.Feed]sentBalance{}
	}
	var changed []live.Feed
	followed, now := f.hub.Followed(liveBalances, socketBalances), placeOfBalances(version, mempool)
	for feed := range f.balances {
		if _, ok := followed[feed]; !ok {
			delete(f.balances, feed)
		}
	}
	for feed := range followed {
		last, ok := f.balances[feed]
		since := last.place
		if !ok && feed.Kind == socketBalances { // WebSockets get changes only: all since the client subscribed
			ok, since = true, f.balancesSeen
		}
		account := shard.Of(shard.Account(feed.Name))
		if !ok || version.Changed(account) > since.balances || mempool != nil && mempool.Changed(account) > since.mempool {
			changed = append(changed, feed)
		}
	}
	for len(changed) > 0 {
		n := min(len(changed), liveBalancePage)
		messages, err := f.api.balanceMessages(ctx, changed[:n])
		if err != nil {
			return err
		}
		for i, m := range messages {
			feed := changed[i]
			if last, ok := f.balances[feed]; !ok || !bytes.Equal(last.data, m.Data) {
				f.hub.Tell(live.Delivery{Feed: feed, Entry: live.Entry{Message: m, Last: true}})
			}
			f.balances[feed] = sentBalance{now, m.Data}
		}
		changed = changed[n:]
	}
	f.balancesSeen = now
	return nil
}
