package topic_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"

	"strata/eventstore/topic"
	"strata/internal/testkit/eventually"
)

// Polling is off (its interval is an hour): only the notification can be what wakes.
func TestNotificationWakes(t *testing.T) {
	f := newFixture(t)
	messages := subscribe(t, f, "x", topic.SubscriberConfig{})
	var took []time.Duration
	for i := range 21 {
		awaitWait(t, f.wake, messages)
		start := time.Now()
		f.append(t, "/x", string(rune('a'+i)))
		msg := receive(t, messages)
		took = append(took, time.Since(start))
		msg.Ack()
	}
	slices.Sort(took)
	t.Logf("from Append to the handler: median %s, longest %s", took[len(took)/2], took[len(took)-1])
}

// A notification that is lost costs one interval.
func TestPollingFindsWhatWasNotNotified(t *testing.T) {
	f := newFixture(t)
	f.wake = newWake(t, f.pool, "strata_other_channel", 50*time.Millisecond)
	messages := subscribe(t, f, "x", topic.SubscriberConfig{})
	for range 3 {
		awaitWait(t, f.wake, messages)
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
		if pause := eventually.Receive(t, "the wake-up is not lost", returned); pause != 0 {
			t.Errorf("got a pause of %s, want none", pause)
		}
		wake.Waiting.Discard()
	}
	// Without one it waits.
	returned := make(chan time.Duration, 1)
	go func() { returned <- backoff.HandleError(watermill.NopLogger{}, true, nil) }()
	awaitWait(t, wake, returned)
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
			wake := subscriber.Wake()
			wake.Waiting.Init()
			cancelled, err := subscriber.Subscribe(ctx, "x")
			if err != nil {
				t.Fatal(err)
			}
			awaitWait(t, wake, cancelled)
			cancel()
			eventually.Receive(t, "the cancelled subscription ends", cancelled)
			wake.Waiting.Discard()
			closed, err := subscriber.Subscribe(context.Background(), "y")
			if err != nil {
				t.Fatal(err)
			}
			awaitWait(t, wake, closed)
			for range 2 {
				ended := make(chan error, 1)
				go func() { ended <- subscriber.Close() }()
				if err := eventually.Receive(t, "the subscriber is closed", ended); err != nil {
					t.Error(err)
				}
			}
			if _, open := <-closed; open {
				t.Error("got a message, want the channel closed")
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
