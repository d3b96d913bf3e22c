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
)

// liveBalancePage is how many accounts are asked for in one round trip.
const liveBalancePage = 100

// balanceMessages reads what accounts have: a message for each feed, in their order, of which the step only ever grows, with the
// balances and with what waits. There are none while there is no block.
func (a *api) balanceMessages(ctx context.Context, feeds []live.Feed) ([]*live.Message, error) {
	value, _, err := a.Read(ctx, nil, nil, func(ctx context.Context, s *engine.Snapshot) (any, error) {
		s.KeepOpen = true
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

// queueBalance adds the queries for what a feed is to say of somebody to a batch.
func (a *api) queueBalance(b *engine.Batch, feed live.Feed, at param.Moment, step int64, position live.Position) func() (*live.Message, error) {
	if feed.Kind == socketBalances {
		stx := view.QueueSTX(b, feed.Name, at)
		return func() (*live.Message, error) {
			balance, err := stx.Shape()
			if err != nil {
				return nil, err
			}
			data, err := engine.Encode(rpcNotification{rpcVersion, socketBalance, addressBalance{feed.Name, *balance}})
			return &live.Message{Step: step, Position: position, Data: data}, err
		}
	}
	all := view.QueueBalances(b, feed.Name, at)
	return func() (*live.Message, error) {
		balances, err := all.Shape()
		if err != nil {
			return nil, err
		}
		return eventMessage(step, position, liveBalance, balanceBody{feed.Name, *balances})
	}
}

// toldBalance is what was last told of an account.
type toldBalance struct {
	at   balancesPlace
	data []byte
}

// balancesPlace is where the projections are that balances are made of: what is there, and what waits.
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

// step is a number that grows with either.
func (p balancesPlace) step() int64 { return p.balances + p.mempool }

// tellBalances tells those who follow an account what it has, when that may have changed.
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
		f.balancesOf, f.balances = instance(version), map[live.Feed]toldBalance{}
	}
	var changed []live.Feed
	followed, now := f.hub.Followed(liveBalances, socketBalances), placeOfBalances(version, mempool)
	for feed := range f.balances {
		if _, ok := followed[feed]; !ok {
			delete(f.balances, feed)
		}
	}
	for feed := range followed {
		told, ok := f.balances[feed]
		since := told.at
		if !ok && feed.Kind == socketBalances { // it is told of changes alone, of all since it was followed
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
			if told, ok := f.balances[feed]; !ok || !bytes.Equal(told.data, m.Data) {
				f.hub.Tell(live.Delivery{Feed: feed, Entry: live.Entry{Message: m, Last: true}})
			}
			f.balances[feed] = toldBalance{now, m.Data}
		}
		changed = changed[n:]
	}
	f.balancesSeen = now
	return nil
}
