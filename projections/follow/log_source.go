package follow

import (
	"context"
	"log/slog"
	"slices"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
	"strata/eventstore/topic"
	"strata/projections"
	"strata/projections/decode"
)

// logSource reads the log.
type logSource struct {
	log     *eventstore.Log
	wake    *eventstore.Wake
	decoder *decode.Decoder
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

// own returns the items of another leader with the content that this one reads.
func (s *logSource) own(ctx context.Context, items []projections.LogItem) ([]projections.LogItem, error) {
	own := make([]projections.LogItem, len(items))
	var seqs []int64
	for i, item := range items {
		own[i] = projections.LogItem{Seq: item.Seq, Path: item.Path, Size: item.Size}
		if slices.Contains(s.input.paths, item.Path) {
			seqs = append(seqs, item.Seq)
		}
	}
	if len(seqs) == 0 {
		return own, nil
	}
	events, err := s.log.GetMany(ctx, seqs)
	if err != nil {
		return nil, err
	}
	decoded, err := s.input.decode(s.decoder, ctx, events)
	if err != nil {
		return nil, err
	}
	for _, item := range decoded {
		own[item.Seq-own[0].Seq] = item
	}
	return own, nil
}

func (s *logSource) grown() <-chan struct{} { return wakeChannel(s.wake) }

func (s *logSource) subscribe(spec projections.Spec, logger *slog.Logger) (message.Subscriber, string, error) {
	subscriber, err := topic.NewSubscriber(s.log.Pool(), topic.SubscriberConfig{
		Offsets: topic.ProjectionOffsets{Name: spec.Name, Version: spec.Version},
		Paths:   s.input.paths,
		Moves:   true,
		Recent:  s.log,
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
