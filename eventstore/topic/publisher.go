package topic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"

	"strata/eventstore"
)

// ErrPublisherClosed is the error of Publish after Close.
var ErrPublisherClosed = errors.New("the publisher is closed")

// ErrTopic is the error of Publish for a topic that does not stand for one path.
var ErrTopic = errors.New("no topic to publish to")

// Appender is the part of eventstore.Log that Publisher needs.
type Appender interface {
	Append(ctx context.Context, in eventstore.Incoming) (int64, error)
	AppendBatch(ctx context.Context, batch []eventstore.Incoming, inTx func(tx pgx.Tx, first int64) error) (int64, error)
}

var _ message.Publisher = (*Publisher)(nil)

// Publisher appends messages to the log: the topic becomes the path, the payload the body, and UUID and metadata the
// origin. It is safe for concurrent use.
type Publisher struct {
	log Appender

	mu     sync.RWMutex // read-locked by each Publish, locked by Close
	closed bool
}

// NewPublisher returns a Publisher on a log. The caller closes the log.
func NewPublisher(log Appender) *Publisher { return &Publisher{log: log} }

// Publish appends messages in order and returns when they are durable. It appends all messages of a call in one
// transaction, or none. It returns ErrTopic for All and for the empty topic, ErrPublisherClosed after Close, and
// otherwise the log's error. After eventstore.ErrUnavailable the caller may publish the same messages again.
//
// The context is that of the first message.
func (p *Publisher) Publish(topic string, messages ...*message.Message) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.closed {
		return ErrPublisherClosed
	}
	if topic == "" || topic == All {
		return fmt.Errorf("publish to %q: %w: name the path, such as new_block", topic, ErrTopic)
	}
	if len(messages) == 0 {
		return nil
	}
	batch := make([]eventstore.Incoming, len(messages))
	now := time.Now()
	for i, msg := range messages {
		origin, err := closeEnvelope(msg)
		if err != nil {
			return err
		}
		batch[i] = eventstore.Incoming{
			ReceivedAt: now,
			Source:     Source,
			Path:       Path(topic),
			Origin:     origin,
			Body:       eventstore.NewBody(msg.Payload),
		}
	}
	ctx := messages[0].Context()
	var err error
	if len(batch) == 1 {
		_, err = p.log.Append(ctx, batch[0]) // shares a transaction with concurrent appends
	} else {
		_, err = p.log.AppendBatch(ctx, batch, nil)
	}
	if err != nil {
		return fmt.Errorf("publish %d messages to %s: %w", len(messages), topic, err)
	}
	return nil
}

// Close refuses further messages and waits for calls of Publish under way. It may be called twice. The log stays open.
func (p *Publisher) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return nil
}
