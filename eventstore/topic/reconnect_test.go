package topic_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore/topic"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

// TestReconnect kills and stops the server while publishers publish, each until it has succeeded, and a subscriber
// reads: everything published must arrive, in the order of each publisher.
func TestReconnect(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	server := pgtest.Dedicated(t)
	if err := migrations.Up(context.Background(), server.URL()); err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, server.New(t), 100*time.Millisecond)
	subscriber, err := topic.NewSubscriber(f.pool, topic.SubscriberConfig{Offsets: topic.ConsumerOffsets{}, Wake: f.wake})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := subscriber.Subscribe(context.Background(), "x")
	if err != nil {
		t.Fatal(err)
	}

	const publishers, each = 8, 150
	publisher := topic.NewPublisher(f.log)
	var publishing sync.WaitGroup
	// Every other publisher waits twice, on its way, until the server is down. The others publish meanwhile.
	arrived, down := make(chan struct{}), []chan struct{}{make(chan struct{}), make(chan struct{})}
	var failures atomic.Int64
	for i := range publishers {
		publishing.Go(func() {
			for j := range each {
				if n := j/(each/3) - 1; i%2 == 0 && j%(each/3) == 0 && n >= 0 {
					if i == 0 {
						arrived <- struct{}{}
					}
					<-down[n]
				}
				msg := message.NewMessage(fmt.Sprintf("%d %d", i, j), nil)
				for publisher.Publish("x", msg) != nil {
					failures.Add(1)
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	restarted := make(chan struct{})
	go func() {
		defer close(restarted)
		for n, end := range []func(testing.TB){server.Kill, server.Stop} {
			<-arrived
			before := failures.Load()
			end(t)
			close(down[n])
			eventually.Holds(t, "a publisher notices", func() bool { return failures.Load() > before })
			server.Start(t)
		}
	}()

	next := map[int]int{} // by publisher; a repeated message is one before
	for total := 0; total < publishers*each; {
		msg := receive(t, messages)
		var i, j int
		if _, err := fmt.Sscanf(msg.UUID, "%d %d", &i, &j); err != nil {
			t.Fatal(err)
		}
		switch {
		case j == next[i]:
			next[i]++
			total++
		case j > next[i]:
			t.Fatalf("publisher %d: got message %d, want %d", i, j, next[i])
		}
		msg.Ack()
	}
	publishing.Wait()
	<-restarted
	if err := subscriber.Close(); err != nil {
		t.Error(err)
	}
}
