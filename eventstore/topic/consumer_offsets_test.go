package topic_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore/topic"
	"strata/internal/testkit/eventually"
)

// Several subscribers of a group: one handles at a time, in order, and when it goes another one goes on. The pool
// is smaller than their number, and handlers use it too.
func TestOneOfAGroupDelivers(t *testing.T) {
	const events, subscribers = 60, 6
	config, err := pgxpool.ParseConfig(migrated.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 3
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	f := newFixtureOn(t, pool, 20*time.Millisecond)
	for i := range events {
		f.append(t, "/x", fmt.Sprint(i))
	}
	var (
		busy    [subscribers]atomic.Bool
		closed  [subscribers]atomic.Bool // whoever is closed while it handles a message may see another one go on
		mu      sync.Mutex
		seen    []int64
		all     sync.WaitGroup
		handled = make(chan int64, 1000)
		open    []*topic.Subscriber
	)
	for n := range subscribers {
		subscriber, err := topic.NewSubscriber(f.pool, topic.SubscriberConfig{Offsets: topic.ConsumerOffsets{}, Group: "g", Wake: f.wake, Events: 10})
		if err != nil {
			t.Fatal(err)
		}
		messages, err := subscriber.Subscribe(context.Background(), "x")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, subscriber)
		all.Go(func() {
			for msg := range messages {
				busy[n].Store(true)
				for other := range subscribers {
					if other != n && busy[other].Load() && !closed[other].Load() && !closed[n].Load() {
						t.Error("two of the group handle a message at the same time")
					}
				}
				seq, err := topic.Seq(msg)
				if err != nil {
					t.Error(err)
				}
				if _, err := f.pool.Exec(context.Background(), `SELECT`); err != nil {
					t.Error(err)
				}
				mu.Lock()
				seen = append(seen, seq)
				mu.Unlock()
				busy[n].Store(false)
				msg.Ack()
				handled <- seq
			}
		})
	}
	// Whoever delivers is among those that are closed; the others go on. What was cut off comes again.
	for i, seq := 0, int64(0); seq < events; i++ {
		seq = eventually.Receive(t, fmt.Sprint("a message after event ", seq), handled)
		if i%10 == 5 && len(open) > 1 {
			closed[subscribers-len(open)].Store(true)
			if err := open[0].Close(); err != nil {
				t.Error(err)
			}
			open = open[1:]
		}
	}
	for _, subscriber := range open {
		if err := subscriber.Close(); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	last := int64(0)
	for _, seq := range seen {
		if seq > last+1 {
			t.Errorf("after %d came %d", last, seq)
		}
		last = max(last, seq)
	}
	if last != events {
		t.Errorf("the last event is %d, want %d", last, events)
	}
	if position := query[int64](t, f, `SELECT position FROM log.consumer WHERE consumer_group = 'g' AND topic = 'x'`); position > events {
		t.Errorf("position is %d of %d", position, events)
	}
}

func TestGroupsAndTopicsAreIndependent(t *testing.T) {
	f := newFixture(t)
	f.append(t, "/a", "1")
	f.append(t, "/b", "2")
	f.append(t, "/a", "3")
	for _, c := range []struct {
		group, topic string
		want         []string
	}{
		{"g", "a", []string{"1", "3"}},
		{"g", "b", []string{"2"}},
		{"g", topic.All, []string{"1", "2", "3"}},
		{"h", "a", []string{"1", "3"}},
		{"g", "a", nil}, // goes on where the first one ended
	} {
		subscriber, err := topic.NewSubscriber(f.pool, topic.SubscriberConfig{Offsets: topic.ConsumerOffsets{}, Group: c.group, Wake: f.wake})
		if err != nil {
			t.Fatal(err)
		}
		f.wake.Waiting.Discard()
		messages, err := subscriber.Subscribe(context.Background(), c.topic)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			msg := receive(t, messages)
			if string(msg.Payload) != want {
				t.Errorf("group %s, topic %s: got %q, want %q", c.group, c.topic, msg.Payload, want)
			}
			msg.Ack()
		}
		awaitWait(t, f.wake, messages)
		if err := subscriber.Close(); err != nil {
			t.Error(err)
		}
	}
}
