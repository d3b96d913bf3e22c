package topic_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"

	"strata/eventstore"
	"strata/eventstore/topic"
)

// Polling is off (its interval is an hour): only the notification can be what wakes.
func TestNotificationWakes(t *testing.T) {
	f := newFixture(t)
	messages := subscribe(t, f, "x", topic.SubscriberConfig{})
	var took []time.Duration
	for i := range 21 {
		receiveNothingYet(t, messages)
		start := time.Now()
		f.append(t, "/x", string(rune('a'+i)))
		msg := receive(t, messages)
		took = append(took, time.Since(start))
		msg.Ack()
	}
	slices.Sort(took)
	t.Logf("from Append to the handler: median %s, longest %s", took[len(took)/2], took[len(took)-1])
	if median := took[len(took)/2]; median > 100*time.Millisecond {
		t.Errorf("median of %s from Append to the handler, want well under 100 ms", median)
	}
}

// receiveNothingYet gives the subscriber time to wait.
func receiveNothingYet[T any](t *testing.T, messages <-chan T) {
	t.Helper()
	select {
	case <-messages:
		t.Fatal("got a message, want none")
	case <-time.After(10 * time.Millisecond):
	}
}

// A notification that is lost costs one interval.
func TestPollingFindsWhatWasNotNotified(t *testing.T) {
	f := newFixture(t)
	deaf := eventstore.NewWake(f.pool, "strata_other_channel", 50*time.Millisecond, nil)
	defer deaf.Stop()
	f.wake = deaf
	messages := subscribe(t, f, "x", topic.SubscriberConfig{})
	for range 3 {
		receiveNothingYet(t, messages)
		f.append(t, "/x", "x")
		receive(t, messages).Ack()
	}
}

// A wake-up between a query that found nothing and HandleError must not be lost.
func TestBackoffKeepsTheWakeUp(t *testing.T) {
	wake := newFixture(t).wake
	backoff := topic.NewBackoff(context.Background(), wake)
	for range 3 {
		wake.Signal() // after the query began
		returned := make(chan time.Duration, 1)
		go func() { returned <- backoff.HandleError(watermill.NopLogger{}, true, nil) }()
		select {
		case pause := <-returned:
			if pause != 0 {
				t.Errorf("got a pause of %s, want none", pause)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("the wake-up was lost")
		}
	}
	// Without one it waits.
	returned := make(chan time.Duration, 1)
	go func() { returned <- backoff.HandleError(watermill.NopLogger{}, true, nil) }()
	receiveNothingYet(t, returned)
	wake.Signal()
	<-returned
}

func TestBackoffAfterErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	backoff := topic.NewBackoff(ctx, newFixture(t).wake)
	handle := func(noMsg bool, err error) time.Duration {
		return backoff.HandleError(watermill.NopLogger{}, noMsg, err)
	}
	broken := errors.New("broken")
	ms := time.Millisecond
	for i, want := range []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 5000 * ms, 5000 * ms} {
		if got := handle(false, broken); got != want {
			t.Errorf("pause after error %d: got %s, want %s", i+1, got, want)
		}
	}
	if got := handle(false, nil); got != 0 {
		t.Errorf("pause after a message: got %s, want none", got)
	}
	if got := handle(false, broken); got != 100*ms {
		t.Errorf("pause after a message and an error: got %s, want 100 ms", got)
	}
	cancel()
	handle(true, nil) // returns
}

// Nothing that waits keeps a subscription open, however long the interval.
func TestSubscriptionsEndAtOnce(t *testing.T) {
	f := newFixture(t)
	for name, own := range map[string]bool{"shared wake": false, "its own wake": true} {
		t.Run(name, func(t *testing.T) {
			config := topic.SubscriberConfig{Offsets: topic.ConsumerOffsets{}, Group: name, Wake: f.wake}
			if own {
				config.Wake = nil
			}
			subscriber, err := topic.NewSubscriber(f.pool, config)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancelled, err := subscriber.Subscribe(ctx, "x")
			if err != nil {
				t.Fatal(err)
			}
			closed, err := subscriber.Subscribe(context.Background(), "y")
			if err != nil {
				t.Fatal(err)
			}
			receiveNothingYet(t, cancelled)
			start := time.Now()
			cancel()
			<-cancelled
			receiveNothingYet(t, closed)
			for range 2 {
				if err := subscriber.Close(); err != nil {
					t.Error(err)
				}
			}
			if _, open := <-closed; open {
				t.Error("got a message, want the channel closed")
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if _, err := subscriber.Subscribe(context.Background(), "x"); !errors.Is(err, topic.ErrSubscriberClosed) {
				t.Errorf("subscribe after Close: got %v, want ErrSubscriberClosed", err)
			}
		})
	}
	if _, err := topic.NewSubscriber(f.pool, topic.SubscriberConfig{}); err == nil {
		t.Error("a subscriber without offsets was made")
	}
}
