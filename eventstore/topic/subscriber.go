package topic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"strata/eventstore"
)

// ErrSubscriberClosed is returned by Subscribe after Close.
var ErrSubscriberClosed = wsql.ErrSubscriberClosed

// ResendIntervalDefault is how long after a Nack the message comes again.
const ResendIntervalDefault = 100 * time.Millisecond

// SubscriberConfig configures a Subscriber. The zero value of a field means its default.
type SubscriberConfig struct {
	// Offsets says where to read on: ProjectionOffsets or ConsumerOffsets. Required.
	Offsets wsql.OffsetsAdapter
	// Schema reads another table than the log in its stead, such as the list of steps; then Events, Bytes and Paths
	// mean nothing. Each subscription gets its own.
	Schema func() wsql.SchemaAdapter
	// Group is the consumer group, for ConsumerOffsets.
	Group string
	// Events, Bytes and Paths bound what is read at once, as in SchemaAdapter.
	Events int
	Bytes  int64
	Paths  []string
	// Wake tells when the log has grown. Default: one of the Subscriber's own, at the cost of one connection.
	Wake *eventstore.Wake
	// ResendInterval after a Nack; default ResendIntervalDefault. It can't be interrupted, so Close may take as long.
	ResendInterval time.Duration
	Logger         *slog.Logger
}

var _ message.Subscriber = (*Subscriber)(nil)

// Subscriber delivers the log's events as messages. NewSubscriber makes one. It is safe for concurrent use.
type Subscriber struct {
	pool    *pgxpool.Pool
	config  SubscriberConfig
	ownWake bool

	// subscribing is read-locked by each Subscribe until its subscription is among the others, and locked by Close.
	subscribing sync.RWMutex
	closed      bool

	mu            sync.Mutex
	subscriptions map[*subscription]struct{}
}

// subscription is one call of Subscribe: a watermill-sql subscriber of its own, since its BackoffManager is not told
// whose query it was.
type subscription struct {
	subscriber *wsql.Subscriber
	messages   <-chan *message.Message
	wakeUp     context.CancelFunc // ends the waiting for new events
	closeOnce  sync.Once
	err        error
}

// close ends the subscription and returns when it has ended, at each call.
func (s *subscription) close() error {
	s.closeOnce.Do(func() {
		// Its context is not cancelled: that would abort the transaction that records what was acked.
		s.wakeUp()
		s.err = s.subscriber.Close()
		// Nobody sends any more; the channel itself is closed a moment later.
		for range s.messages {
		}
	})
	return s.err
}

// NewSubscriber makes a Subscriber on a migrated database.
func NewSubscriber(pool *pgxpool.Pool, config SubscriberConfig) (*Subscriber, error) {
	if config.Offsets == nil {
		return nil, errors.New("subscribe to the log: no offsets: set ProjectionOffsets or ConsumerOffsets")
	}
	if config.ResendInterval <= 0 {
		config.ResendInterval = ResendIntervalDefault
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Subscriber{
		pool:          pool,
		config:        config,
		subscriptions: map[*subscription]struct{}{},
	}
	if config.Wake == nil {
		s.config.Wake = eventstore.NewWake(pool, eventstore.Channel, 0, config.Logger)
		s.ownWake = true
	}
	return s, nil
}

// Subscribe delivers the events of topic (All, or see Path) until ctx ends or Close. A message that is under way
// then is cut off; it is delivered again by the next subscription, unless its handler has moved the position.
//
// It returns ErrSubscriberClosed after Close, and watermill-sql's ErrInvalidTopicName for a topic with other
// characters than letters, digits and -$:._ .
func (s *Subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	s.subscribing.RLock()
	defer s.subscribing.RUnlock()
	if s.closed {
		return nil, ErrSubscriberClosed
	}
	waiting, wakeUp := context.WithCancel(ctx)
	noDeadline := time.Duration(0) // a handler that takes long must not be raced by a second delivery
	inner, err := wsql.NewSubscriber(attachingBeginner{beginner{wsql.BeginnerFromPgx(s.pool)}}, wsql.SubscriberConfig{
		ConsumerGroup:  s.config.Group,
		AckDeadline:    &noDeadline,
		ResendInterval: s.config.ResendInterval,
		BackoffManager: NewBackoff(waiting, s.config.Wake),
		SchemaAdapter:  s.schema(),
		OffsetsAdapter: s.config.Offsets,
	}, WatermillLogger(s.config.Logger))
	if err != nil {
		wakeUp()
		return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	messages, err := inner.Subscribe(ctx, topic)
	if err != nil {
		wakeUp()
		return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	sub := &subscription{subscriber: inner, messages: messages, wakeUp: wakeUp}
	s.mu.Lock()
	s.subscriptions[sub] = struct{}{}
	s.mu.Unlock()
	context.AfterFunc(ctx, func() {
		_ = sub.close() // Close, if it comes, asks again
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subscriptions, sub)
	})
	return messages, nil
}

func (s *Subscriber) schema() wsql.SchemaAdapter {
	if s.config.Schema != nil {
		return s.config.Schema()
	}
	return &SchemaAdapter{Events: s.config.Events, Bytes: s.config.Bytes, Paths: s.config.Paths}
}

// Close ends all subscriptions and returns when their channels are closed and their connections given back. It may
// be called twice.
func (s *Subscriber) Close() error {
	s.subscribing.Lock()
	defer s.subscribing.Unlock()
	s.closed = true
	s.mu.Lock()
	open := slices.Collect(maps.Keys(s.subscriptions))
	s.mu.Unlock()
	var all errgroup.Group
	for _, sub := range open {
		all.Go(sub.close)
	}
	err := all.Wait()
	if s.ownWake {
		s.config.Wake.Stop()
	}
	return err
}
