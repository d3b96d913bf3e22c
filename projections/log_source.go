package projections

import (
	"context"
	"log/slog"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/topic"
)

// logSource reads the log.
type logSource struct {
	log    *eventstore.Log
	live   *pgxpool.Pool // to read while an item is handed over
	paths  []string      // of the events whose bodies are wanted
	decode func(context.Context, []eventstore.Event) ([]LogItem, error)
	wake   *eventstore.Wake
}

func (s *logSource) head(ctx context.Context) (int64, error) { return s.log.Size(ctx) }

func (s *logSource) bytes(ctx context.Context, after, head int64) (int64, error) {
	return s.log.Bytes(ctx, after, head, s.paths)
}

func (s *logSource) final(context.Context) (bool, error) { return true, nil }

func (s *logSource) read(ctx context.Context, after int64) ([]LogItem, error) {
	events, err := s.log.Read(ctx, eventstore.Range{After: after, Events: batchItems, Bytes: batchBytes, Paths: s.paths})
	if err != nil {
		return nil, err
	}
	return s.decode(ctx, events)
}

func (s *logSource) grown() <-chan struct{} { return signOf(s.wake) }

func (s *logSource) subscribe(spec Spec, logger *slog.Logger) (message.Subscriber, string, error) {
	subscriber, err := topic.NewSubscriber(s.live, topic.SubscriberConfig{
		Offsets: topic.ProjectionOffsets{Name: spec.Name, Version: spec.Version},
		Paths:   s.paths,
		Wake:    s.wake,
		Logger:  logger,
	})
	return subscriber, topic.All, err
}

func (s *logSource) item(ctx context.Context, msg *message.Message) (LogItem, error) {
	event, err := topic.Event(msg)
	if err != nil {
		return LogItem{}, err
	}
	items, err := s.decode(ctx, []eventstore.Event{event})
	if err != nil {
		return LogItem{}, err
	}
	return items[0], nil
}
