package follow

import (
	"context"
	"log/slog"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/topic"
	"strata/projections"
)

// logSource reads the log.
type logSource struct {
	log     *eventstore.Log
	live    *pgxpool.Pool // to read from while an item is being folded
	wake    *eventstore.Wake
	decoder *Decoder
	input   logInput
}

func (s *logSource) head(ctx context.Context) (int64, error) { return s.log.Size(ctx) }

func (s *logSource) bytes(ctx context.Context, after, head int64) (int64, error) {
	return s.log.Bytes(ctx, after, head, s.input.paths)
}

func (s *logSource) final(context.Context) (bool, error) { return true, nil }

func (s *logSource) read(ctx context.Context, after int64) ([]projections.LogItem, error) {
	events, err := s.log.Read(ctx, eventstore.Range{After: after, Events: batchItems, Bytes: batchBytes, Paths: s.input.paths})
	if err != nil {
		return nil, err
	}
	return s.input.decode(s.decoder, ctx, events)
}

func (s *logSource) grown() <-chan struct{} { return wakeChannel(s.wake) }

func (s *logSource) subscribe(spec projections.Spec, logger *slog.Logger) (message.Subscriber, string, error) {
	subscriber, err := topic.NewSubscriber(s.live, topic.SubscriberConfig{
		Offsets: topic.ProjectionOffsets{Name: spec.Name, Version: spec.Version},
		Paths:   s.input.paths,
		Wake:    s.wake,
		Logger:  logger,
	})
	return subscriber, topic.All, err
}

func (s *logSource) item(ctx context.Context, msg *message.Message) (projections.LogItem, error) {
	event, err := topic.Event(msg)
	if err != nil {
		return projections.LogItem{}, err
	}
	items, err := s.input.decode(s.decoder, ctx, []eventstore.Event{event})
	if err != nil {
		return projections.LogItem{}, err
	}
	return items[0], nil
}
