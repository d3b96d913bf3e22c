package fanout

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/internal/instrument"
	"strata/internal/pause"
)

// PublisherConfig configures a Publisher.
type PublisherConfig struct {
	Stream StreamConfig
	Log    *eventstore.Log
	Conn   *nats.Conn
	// Wake signals that the log has grown. Required.
	Wake     *eventstore.Wake
	Logger   *slog.Logger
	Registry prometheus.Registerer
}

// Limits of a Publisher.
const (
	publishEvents = 256
	publishBytes  = 4 << 20
	// messageBytes is the largest body that a message has: NATS takes 1 MiB with all headers by default.
	messageBytes = 768 << 10
	// publishPatience is how long the stream may take for a batch.
	publishPatience = 10 * time.Second
	// retryPause is how long to wait after an error.
	retryPause = 500 * time.Millisecond
)

// Publisher appends the events of the log to a stream.
type Publisher struct {
	config    PublisherConfig
	subject   string // of the stream, as it was found
	published prometheus.Gauge
}

// NewPublisher returns a publisher.
func NewPublisher(config PublisherConfig) *Publisher {
	config.Stream = config.Stream.withDefaults()
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Publisher{config: config, published: instrument.Registered(config.Registry, prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "strata_fanout_published_position", Help: "The position of the last event that is in the stream.",
	}))}
}

// Run publishes until ctx ends.
func (p *Publisher) Run(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		err := p.publish(ctx, func() {
			if failing {
				p.config.Logger.LogAttrs(ctx, slog.LevelInfo, "the log is published again")
			}
			failing = false
		})
		if ctx.Err() != nil {
			return
		}
		if !failing && !raced(err) {
			failing = true
			p.config.Logger.LogAttrs(ctx, slog.LevelWarn, "can't publish the log; trying again, and consumers read the log itself meanwhile", slog.Any("error", err))
		}
		pause.For(ctx, retryPause)
	}
}

// raced reports whether another publisher was faster, or this one has lost count: the stream tells where it stands.
func raced(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) &&
		(refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// publish goes on where the stream stands, until an error. It calls good after each success.
func (p *Publisher) publish(ctx context.Context, good func()) error {
	js, err := jetstream.New(p.config.Conn, jetstream.WithPublishAsyncTimeout(publishPatience))
	if err != nil {
		return err
	}
	var archive string
	if err := p.config.Log.Pool().QueryRow(ctx, `SELECT id::text FROM strata.archive`).Scan(&archive); err != nil {
		return fmt.Errorf("read the identity of the log: %w", err)
	}
	last, sequence, err := p.last(ctx, js, archive)
	if err != nil {
		return err
	}
	good()
	for ctx.Err() == nil {
		p.published.Set(float64(last))
		taken := p.config.Wake.C()
		events, err := p.config.Log.Read(ctx, eventstore.Range{After: last, Events: publishEvents, Bytes: publishBytes})
		if err != nil {
			return err
		}
		if len(events) == 0 {
			p.config.Wake.Wait(ctx, taken)
			continue
		}
		if err := p.send(ctx, js, archive, events, sequence); err != nil {
			return err
		}
		last, sequence = events[len(events)-1].Seq, sequence+uint64(len(events))
		good()
	}
	return nil
}

// send appends events to the stream, whose last message has this number in the stream. The stream refuses them if another one came
// between.
func (p *Publisher) send(ctx context.Context, js jetstream.JetStream, archive string, events []eventstore.Event, sequence uint64) error {
	ctx, cancel := context.WithTimeout(ctx, publishPatience)
	defer cancel()
	var futures []jetstream.PubAckFuture
	limit := messageBytes
	if most := int(p.config.Conn.MaxPayload()); most > 0 {
		limit = min(limit, most*3/4)
	}
	for i := range events {
		msg, err := newMessage(p.subject, archive, &events[i], limit)
		if err != nil {
			return err
		}
		future, err := js.PublishMsgAsync(msg, jetstream.WithMsgID(messageID(events[i].Seq)), jetstream.WithExpectStream(p.config.Stream.Name),
			jetstream.WithExpectLastSequence(sequence+uint64(i)))
		if err != nil {
			return fmt.Errorf("publish event %d: %w", events[i].Seq, err)
		}
		futures = append(futures, future)
	}
	for i, future := range futures {
		select {
		case <-future.Ok():
		case err := <-future.Err():
			return fmt.Errorf("publish event %d: %w", events[i].Seq, err)
		case <-ctx.Done():
			return fmt.Errorf("publish event %d: %w", events[i].Seq, ctx.Err())
		}
	}
	return nil
}

// last returns the position of the last event in the stream, and the number of its message in the stream. An empty stream begins with
// the newest event of the log, which shows consumers where the log stands: they read the rest from there.
func (p *Publisher) last(ctx context.Context, js jetstream.JetStream, archive string) (seq int64, sequence uint64, err error) {
	stream, err := p.config.Stream.open(ctx, js)
	if err != nil {
		return 0, 0, err
	}
	p.subject = p.config.Stream.subjectOf(stream)
	msg, err := stream.GetLastMsgForSubject(ctx, p.subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		info, err := stream.Info(ctx)
		if err != nil {
			return 0, 0, fmt.Errorf("read the state of the stream %s: %w", p.config.Stream.Name, err)
		}
		if info.State.LastSeq > 0 {
			return 0, 0, fmt.Errorf("the stream %s has forgotten all of its messages, and so where it stands: remove it, and it begins anew", p.config.Stream.Name)
		}
		seq, err = p.config.Log.Size(ctx)
		return max(0, seq-1), 0, err
	}
	if err != nil {
		return 0, 0, fmt.Errorf("read the last message of the stream %s: %w", p.config.Stream.Name, err)
	}
	seq, of, err := parse(msg.Header)
	if err != nil {
		return 0, 0, err
	}
	if of != archive {
		return 0, 0, fmt.Errorf("the stream %s has the log of another database (%s, not %s): name another one with --nats-stream", p.config.Stream.Name, of, archive)
	}
	return seq, msg.Sequence, nil
}
