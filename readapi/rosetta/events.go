package rosetta

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/ledger"
	"strata/readapi/rosetta/internal/wire"
)

// Limits of the pages of /events/blocks.
const (
	eventsDefault = 100
	eventsMost    = 1000
)

func (c *call) events(ctx context.Context, in *wire.EventsRequest) (answer *wire.EventsAnswer, err error) {
	limit := int64(eventsDefault)
	if in.Limit != nil {
		limit = min(*in.Limit, eventsMost)
	}
	if limit < 0 || in.Offset != nil && *in.Offset < 0 {
		return nil, fault.Newf(fault.InvalidParams, "offset and limit must not be negative")
	}
	err = c.read(ctx, func(ctx context.Context, s *engine.Snapshot) error {
		highest, events, err := ledger.ReadChanges(ctx, s, in.Offset, limit)
		if err != nil {
			return err
		}
		answer = &wire.EventsAnswer{MaxSequence: highest, Events: []wire.BlockEvent{}}
		for _, e := range events {
			kind := "block_removed"
			if e.Added {
				kind = "block_added"
			}
			answer.Events = append(answer.Events, wire.BlockEvent{Sequence: e.Sequence, BlockIdentifier: c.BlockIdentifier(e.ID), Type: kind})
		}
		return nil
	})
	return answer, err
}
