package readapi

import (
	"bytes"
	"context"
	"errors"
	"time"

	"strata/internal/shard"
	"strata/readapi/internal/live"
)

// liveBalancePage is how many accounts are asked for in one round trip.
const liveBalancePage = 100

// balanceMessages reads what accounts have: a message for each feed, in their order, of which the step is the position of the
// projection. There are none while there is no block.
func (a *API) balanceMessages(ctx context.Context, feeds []live.Feed) ([]*live.Message, error) {
	value, _, err := a.read(ctx, nil, nil, func(ctx context.Context, s *snapshot) (any, error) {
		s.goesOn = true
		return a.balanceMessagesOf(ctx, s, feeds)
	})
	if errors.Is(err, errNoChain) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return value.([]*live.Message), nil
}

func (a *API) balanceMessagesOf(ctx context.Context, s *snapshot, feeds []live.Feed) ([]*live.Message, error) {
	version, ok := s.tip("balances")
	if !ok {
		return nil, errNoChain
	}
	position, err := live.ParsePosition(version.Header()[0])
	if err != nil {
		return nil, err
	}
	at := moment{height: *version.Height, latest: true}
	b := s.batch()
	queued := make([]*queuedBalances, len(feeds))
	for i, feed := range feeds {
		queued[i] = a.queueBalances(b, feed.Name, at)
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	messages := make([]*live.Message, len(feeds))
	for i, q := range queued {
		all, err := q.shape()
		if err != nil {
			return nil, err
		}
		data, err := eventText(liveBalance, balanceBody{feeds[i].Name, *all})
		if err != nil {
			return nil, err
		}
		messages[i] = &live.Message{Step: version.Position, Position: position, Data: data}
	}
	return messages, nil
}

// toldBalance is what was last told of an account.
type toldBalance struct {
	position int64
	data     []byte
}

// tellBalances tells those who follow an account what it has, when that may have changed.
func (f *follower) tellBalances(ctx context.Context) error {
	state := f.api.watch.State(time.Now())
	if state == nil {
		return nil
	}
	version := state.Active("balances")
	if version == nil || version.Height == nil {
		return nil
	}
	if f.balancesOf != instance(version) {
		f.balancesOf, f.balances = instance(version), map[live.Feed]toldBalance{}
	}
	var changed []live.Feed
	followed := f.hub.Followed(liveBalances)
	for feed := range f.balances {
		if _, ok := followed[feed]; !ok {
			delete(f.balances, feed)
		}
	}
	for feed := range followed {
		told, ok := f.balances[feed]
		if !ok || version.Changed(shard.Of(shard.Account(feed.Name))) > told.position {
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
				f.hub.Tell(feed, m)
			}
			f.balances[feed] = toldBalance{m.Step, m.Data}
		}
		changed = changed[n:]
	}
	return nil
}
