package topic_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"

	"strata/eventstore/topic"
)

var errNotOurTurn = errors.New("the position has moved")

// apply handles one event as a projection does: position and rows in one transaction of its own.
func apply(f fixture, msg *message.Message, delay time.Duration) error {
	seq, err := topic.Seq(msg)
	if err != nil {
		return err
	}
	ctx := context.Background() // not the message's: it ends when the subscriber is closed
	err = pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) error {
		moved, err := tx.Exec(ctx, `UPDATE strata.projection SET position = $1 WHERE name = 'p' AND version = 1 AND position = $1 - 1`, seq)
		if err != nil {
			return err
		}
		if moved.RowsAffected() == 0 {
			return errNotOurTurn
		}
		time.Sleep(delay)
		_, err = tx.Exec(ctx, `INSERT INTO public.applied VALUES ($1)`, seq)
		return err
	})
	if errors.Is(err, errNotOurTurn) {
		return nil
	}
	return err
}

func newProjection(t *testing.T) fixture {
	t.Helper()
	f := newFixture(t)
	f.exec(t, `CREATE TABLE public.applied (seq bigint)`)
	f.exec(t, `INSERT INTO strata.projection (name, version, input) VALUES ('p', 1, 'log')`)
	return f
}

func newProjectionSubscriber(t *testing.T, f fixture) (*topic.Subscriber, <-chan *message.Message) {
	t.Helper()
	subscriber, err := topic.NewSubscriber(f.pool, topic.SubscriberConfig{
		Offsets: topic.ProjectionOffsets{Name: "p", Version: 1}, Wake: f.wake, ResendInterval: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := subscriber.Subscribe(context.Background(), topic.All)
	if err != nil {
		t.Fatal(err)
	}
	return subscriber, messages
}

// The subscriber is closed again and again in the middle of a handler that finishes all the same; handlers nack and
// ack without having done anything; a second subscriber handles the same events. Every event is applied once.
func TestProjectionAppliesOnce(t *testing.T) {
	const events = 60
	f := newProjection(t)
	for i := range events {
		f.append(t, "/x", fmt.Sprint(i))
	}
	other, otherMessages := newProjectionSubscriber(t, f)
	otherDone := make(chan struct{})
	go func() {
		defer close(otherDone)
		for msg := range otherMessages {
			if err := apply(f, msg, 2*time.Millisecond); err != nil {
				t.Error(err)
			}
			msg.Ack()
		}
	}()
	deadline := time.Now().Add(2 * time.Minute)
	for position := int64(0); position < events; position = query[int64](t, f, `SELECT position FROM strata.projection`) {
		if time.Now().After(deadline) {
			t.Fatalf("position is %d, want %d", position, events)
		}
		subscriber, messages := newProjectionSubscriber(t, f)
		for range 2 {
			select {
			case msg := <-messages:
				if err := apply(f, msg, 0); err != nil {
					t.Error(err)
				}
				msg.Nack() // it is done, but comes again
			case <-time.After(time.Second):
			}
		}
		finished := make(chan error, 1)
		select {
		case msg := <-messages:
			started := make(chan struct{})
			go func() {
				close(started)
				finished <- apply(f, msg, 10*time.Millisecond)
				msg.Ack()
			}()
			<-started
		case <-time.After(time.Second):
			finished <- nil
		}
		if err := subscriber.Close(); err != nil { // in the middle of the handler
			t.Error(err)
		}
		if err := <-finished; err != nil {
			t.Error(err)
		}
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	<-otherDone
	if n, distinct := query[int](t, f, `SELECT count(*) FROM public.applied`), query[int](t, f, `SELECT count(DISTINCT seq) FROM public.applied`); n != events || distinct != events {
		t.Errorf("%d rows for %d of %d events", n, distinct, events)
	}
}

// Ack without having moved the position: the event comes again with the next batch.
func TestProjectionPositionDecides(t *testing.T) {
	f := newProjection(t)
	f.append(t, "/x", "x")
	subscriber, messages := newProjectionSubscriber(t, f)
	defer subscriber.Close() //nolint:errcheck // the test is over
	for range 3 {
		msg := receive(t, messages)
		if msg.UUID != "1" {
			t.Errorf("got message %s, want 1", msg.UUID)
		}
		msg.Ack()
	}
	msg := receive(t, messages)
	if err := apply(f, msg, 0); err != nil {
		t.Fatal(err)
	}
	msg.Ack()
	awaitWait(t, f.wake, messages)
	f.append(t, "/x", "y")
	if msg := receive(t, messages); msg.UUID != "2" {
		t.Errorf("got message %s, want 2", msg.UUID)
	}
}

func TestProjectionThatIsNotRegistered(t *testing.T) {
	f := newProjection(t)
	subscriber, err := topic.NewSubscriber(f.pool, topic.SubscriberConfig{Offsets: topic.ProjectionOffsets{Name: "p", Version: 2}, Wake: f.wake})
	if err != nil {
		t.Fatal(err)
	}
	defer subscriber.Close() //nolint:errcheck // nothing was subscribed to
	_, err = subscriber.Subscribe(context.Background(), topic.All)
	if err == nil || !strings.Contains(err.Error(), "projection p version 2 is not registered") {
		t.Errorf("got %v, want an error that names the projection", err)
	}
}
