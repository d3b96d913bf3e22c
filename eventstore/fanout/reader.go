package fanout

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"strata/eventstore"
	"strata/internal/pause"
)

// ReaderConfig configures a Reader.
type ReaderConfig struct {
	Stream StreamConfig
	// Conn connects to NATS; without it only the log is read.
	Conn *nats.Conn
	// Log is the log that the stream is of, or a replica of it. What the stream lacks is read from there.
	Log *eventstore.Log
	// Interval is how long to wait for the stream before looking into the log; default 5 s, and 250 ms without Conn.
	Interval time.Duration
	Logger   *slog.Logger
}

// Defaults of ReaderConfig.Interval.
const (
	IntervalDefault       = 5 * time.Second
	IntervalWithoutStream = 250 * time.Millisecond
)

// Limits of what Next returns.
const (
	nextEvents = 256
	nextBytes  = 4 << 20
	// laggingPause is how long to wait for a log that lacks what the stream has.
	laggingPause = 50 * time.Millisecond
)

// Reader reads the log in order, without gaps and without repetitions, from a stream and where necessary from the log. It is for
// one goroutine.
type Reader struct {
	config  ReaderConfig
	last    int64
	archive string
	arrived chan eventstore.Event // from the stream, in any order
	held    *eventstore.Event     // arrived, and is not next yet
	// caughtUp says that the log was read to its end once; from then on the stream comes first.
	caughtUp bool
	// FromStream and FromLog count events by where they came from.
	FromStream, FromLog int64
}

// NewReader returns a reader of what follows a position. It reads the stream while Run runs.
func NewReader(config ReaderConfig, after int64) *Reader {
	config.Stream = config.Stream.withDefaults()
	if config.Interval <= 0 {
		config.Interval = IntervalDefault
		if config.Conn == nil {
			config.Interval = IntervalWithoutStream
		}
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Reader{config: config, last: after, arrived: make(chan eventstore.Event, nextEvents)}
}

// Run receives from the stream until ctx ends.
func (r *Reader) Run(ctx context.Context) {
	failing := false
	for r.config.Conn != nil && ctx.Err() == nil {
		err := r.receive(ctx, func() { failing = false })
		if err != nil && ctx.Err() == nil && !failing {
			failing = true
			r.config.Logger.LogAttrs(ctx, slog.LevelWarn, "can't read the stream; reading the log itself", slog.Any("error", err))
		}
		pause.For(ctx, retryPause)
	}
}

// receive reads the stream from its end on, until an error.
func (r *Reader) receive(ctx context.Context, good func()) error {
	js, err := jetstream.New(r.config.Conn)
	if err != nil {
		return err
	}
	consumer, err := js.OrderedConsumer(ctx, r.config.Stream.Name, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverLastPolicy})
	if err != nil {
		return fmt.Errorf("read the stream %s: %w", r.config.Stream.Name, err)
	}
	messages, err := consumer.Messages()
	if err != nil {
		return fmt.Errorf("read the stream %s: %w", r.config.Stream.Name, err)
	}
	defer messages.Stop()
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return fmt.Errorf("read the stream %s: %w", r.config.Stream.Name, err)
		}
		e, archive, whole, err := parse(msg.Headers(), msg.Data())
		if err != nil {
			return err
		}
		if own, err := r.identity(ctx); err != nil {
			return err
		} else if archive != own {
			return fmt.Errorf("the stream %s has the log of another database (%s, not %s)", r.config.Stream.Name, archive, own)
		}
		if !whole {
			e.Body = nil
		}
		good()
		select {
		case r.arrived <- e:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// identity returns the identity of the log.
func (r *Reader) identity(ctx context.Context) (string, error) {
	if r.archive == "" {
		if err := r.config.Log.Pool().QueryRow(ctx, `SELECT id::text FROM strata.archive`).Scan(&r.archive); err != nil {
			return "", fmt.Errorf("read the identity of the log: %w", err)
		}
	}
	return r.archive, nil
}

// Next returns the events that follow what it has returned before, at least one. It waits for them until ctx ends.
func (r *Reader) Next(ctx context.Context) ([]eventstore.Event, error) {
	for {
		if events := r.fromStream(); len(events) > 0 {
			return events, nil
		}
		// What arrived is further on, or nothing has arrived for long: the log has what is missing.
		if r.held != nil || !r.caughtUp {
			if events, err := r.fromLog(ctx); err != nil || len(events) > 0 {
				return events, err
			}
			r.caughtUp = true
		}
		wait, arrived := r.config.Interval, r.arrived
		if r.held != nil { // a replica of the log does not have it yet
			wait, arrived = laggingPause, nil
		}
		timer := time.NewTimer(wait)
		select {
		case e := <-arrived:
			r.held = &e
		case <-timer.C:
			if events, err := r.fromLog(ctx); err != nil || len(events) > 0 {
				return events, err
			}
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		timer.Stop()
	}
}

// fromStream takes what has arrived and is next.
func (r *Reader) fromStream() (events []eventstore.Event) {
	var bytes int64
	for len(events) < nextEvents && bytes < nextBytes {
		if r.held == nil {
			select {
			case e := <-r.arrived:
				r.held = &e
			default:
				return events
			}
		}
		switch next := r.last + 1; {
		case r.held.Seq < next: // it came twice
			r.held = nil
			continue
		case r.held.Seq > next, r.held.Body == nil && r.held.Size > 0: // the log has what is before it, or its body
			return events
		}
		events, bytes = append(events, *r.held), bytes+r.held.Size
		r.last, r.held = r.held.Seq, nil
		r.FromStream++
	}
	return events
}

// fromLog reads what is next from the log.
func (r *Reader) fromLog(ctx context.Context) ([]eventstore.Event, error) {
	limit := nextEvents
	if r.held != nil {
		limit = int(min(max(r.held.Seq-r.last, 1), nextEvents))
	}
	events, err := r.config.Log.Read(ctx, eventstore.Range{After: r.last, Events: limit, Bytes: nextBytes})
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if e.Seq != r.last+1 {
			return nil, errors.New("the log has a gap, which can't be")
		}
		r.last = e.Seq
		r.FromLog++
	}
	return events, nil
}
