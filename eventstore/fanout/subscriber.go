package fanout

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
	"strata/eventstore/topic"
	"strata/internal/pause"
)

// resendInterval is the time between a Nack and the next delivery.
const resendInterval = 100 * time.Millisecond

// Subscriber delivers the log as watermill messages, in order, each after the Ack of the one before. Their UUIDs are positions. It
// keeps no position: the consumer does, with what it derives from the events.
type Subscriber struct {
	config ReaderConfig
	after  func(ctx context.Context) (int64, error)

	mu      sync.Mutex
	closing context.CancelFunc
	ctx     context.Context
	running sync.WaitGroup
}

var _ message.Subscriber = (*Subscriber)(nil)

// NewSubscriber returns a subscriber. after returns the position that the consumer has; each subscription begins after it.
func NewSubscriber(config ReaderConfig, after func(ctx context.Context) (int64, error)) *Subscriber {
	s := &Subscriber{config: config, after: after}
	s.ctx, s.closing = context.WithCancel(context.Background())
	return s
}

// Subscribe implements message.Subscriber. The topic is topic.All.
func (s *Subscriber) Subscribe(ctx context.Context, name string) (<-chan *message.Message, error) {
	if name != topic.All {
		return nil, errors.New("the stream has one topic: " + topic.All)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, topic.ErrSubscriberClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(s.ctx, cancel)
	after, err := s.after(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	out := make(chan *message.Message)
	reader := NewReader(s.config, after)
	s.running.Go(func() { reader.Run(ctx) })
	s.running.Go(func() {
		defer cancel()
		defer close(out)
		s.deliver(ctx, reader, out)
	})
	return out, nil
}

// deliver hands over one event after the other.
func (s *Subscriber) deliver(ctx context.Context, reader *Reader, out chan<- *message.Message) {
	for ctx.Err() == nil {
		events, err := reader.Next(ctx)
		if err != nil {
			if ctx.Err() == nil && s.config.Logger != nil {
				s.config.Logger.LogAttrs(ctx, slog.LevelWarn, "can't read the log; trying again", slog.Any("error", err))
			}
			pause.For(ctx, retryPause)
			continue
		}
		for i := range events {
			if !s.hand(ctx, &events[i], out) {
				return
			}
		}
	}
}

// hand delivers an event until it is acked; false when ctx has ended.
func (s *Subscriber) hand(ctx context.Context, e *eventstore.Event, out chan<- *message.Message) bool {
	for {
		msg := topic.NewMessage(e)
		msg.SetContext(ctx)
		select {
		case out <- msg:
		case <-ctx.Done():
			return false
		}
		select {
		case <-msg.Acked():
			return true
		case <-msg.Nacked():
			pause.For(ctx, resendInterval)
		case <-ctx.Done():
			return false
		}
	}
}

// Close ends all subscriptions, and returns when they have ended.
func (s *Subscriber) Close() error {
	s.mu.Lock()
	s.closing()
	s.mu.Unlock()
	s.running.Wait()
	return nil
}
