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

// ErrSubscriberClosed is the error of Subscribe after Close.
var ErrSubscriberClosed = wsql.ErrSubscriberClosed

// ResendIntervalDefault is the time between a Nack and the next delivery of the message.
const ResendIntervalDefault = 100 * time.Millisecond

// SubscriberConfig configures a Subscriber. The zero value of a field means its default.
type SubscriberConfig struct {
	// Offsets provides the position to continue from: ProjectionOffsets or ConsumerOffsets. Required.
	Offsets wsql.OffsetsAdapter
	// Schema, if set, returns an adapter that reads another table than the log, such as the list of steps. It is called
	// for each subscription. Events, Bytes and Paths are then ignored.
	Schema func() wsql.SchemaAdapter
	// Group is the consumer group, for ConsumerOffsets.
	Group string
	// Events, Bytes and Paths are those of SchemaAdapter.
	Events int
	Bytes  int64
	Paths  []string
	// Moves says that the handler moves the position before it acks. After the last event that was announced, the topic
	// All is then not queried again before the next announcement.
	Moves bool
	// Recent, if set, is the log, which this process appends to. With Moves and ProjectionOffsets, the topic All then takes
	// what was appended a moment ago from memory.
	Recent *eventstore.Log
	// Wake signals that the log has grown. Default: the Subscriber's own, which takes one connection.
	Wake *eventstore.Wake
	// ResendInterval is the time between a Nack and the next delivery; default ResendIntervalDefault. Close waits for its
	// end.
	ResendInterval time.Duration
	Logger         *slog.Logger
}

var _ message.Subscriber = (*Subscriber)(nil)

// Subscriber delivers the log's events as messages. It is safe for concurrent use.
type Subscriber struct {
	pool    *pgxpool.Pool
	config  SubscriberConfig
	ownWake bool

	// subscribing is read-locked by each Subscribe until its subscription is in subscriptions, and locked by Close.
	subscribing sync.RWMutex
	closed      bool

	mu            sync.Mutex
	subscriptions map[*subscription]struct{}
}

// subscription is the result of one call of Subscribe. It has its own watermill-sql subscriber, because a BackoffManager
// does not learn which subscription ran the query.
type subscription struct {
	subscriber *wsql.Subscriber
	messages   <-chan *message.Message
	wakeUp     context.CancelFunc // ends the waiting for new events
	closeOnce  sync.Once
	err        error
}

// close ends the subscription and waits for its end. It may be called several times.
func (s *subscription) close() error {
	s.closeOnce.Do(func() {
		// Do not cancel its context: that would abort the transaction that records the acks.
		s.wakeUp()
		s.err = s.subscriber.Close()
		// No more messages arrive, but the channel is closed a moment later.
		for range s.messages {
		}
	})
	return s.err
}

// NewSubscriber returns a Subscriber on a migrated database.
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

// Subscribe delivers the events of topic (All, or see Path) until ctx ends or Close is called. That interrupts a message
// under way; the next subscription delivers it again, unless its handler has moved the position.
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
	backoff, schema := NewBackoff(waiting, s.config.Wake), s.schema()
	var recent func() []eventstore.Event
	if log, ok := schema.(*SchemaAdapter); ok && topic == All && s.config.Moves {
		backoff.Delivered = log.delivered.Load
		if s.config.Recent != nil {
			recent = func() []eventstore.Event { return log.recent(s.config.Recent) }
		}
	}
	noDeadline := time.Duration(0) // or a second delivery would race with a slow handler
	inner, err := wsql.NewSubscriber(attachingBeginner{beginner{s.beginner(recent)}}, wsql.SubscriberConfig{
		ConsumerGroup:  s.config.Group,
		AckDeadline:    &noDeadline,
		ResendInterval: s.config.ResendInterval,
		BackoffManager: backoff,
		SchemaAdapter:  schema,
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
		_ = sub.close() // a later Close gets the same error
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subscriptions, sub)
	})
	return messages, nil
}

// beginner returns what begins the transactions of queries. Offsets that are neither locked nor written need none.
func (s *Subscriber) beginner(recent func() []eventstore.Event) wsql.Beginner {
	connections := wsql.BeginnerFromPgx(s.pool)
	if _, ok := s.config.Offsets.(ProjectionOffsets); ok {
		return directBeginner{connections, recent}
	}
	return connections
}

func (s *Subscriber) schema() wsql.SchemaAdapter {
	if s.config.Schema != nil {
		return s.config.Schema()
	}
	return &SchemaAdapter{Events: s.config.Events, Bytes: s.config.Bytes, Paths: s.config.Paths}
}

// Close ends all subscriptions. It returns when their channels are closed and their connections are back in the pool. It
// may be called twice.
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
