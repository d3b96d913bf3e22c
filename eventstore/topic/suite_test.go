package topic_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/tests"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/topic"
	"strata/internal/pgtest"
	"strata/migrations"
)

// features are what of watermill's features there is; doc.go says it to readers.
func features() tests.Features {
	return tests.Features{
		ConsumerGroups:  true,
		GuaranteedOrder: true, // also with several subscribers of a group: one of them is active at a time
		Persistent:      true,

		// At least once. Processing once is the handler's compare-and-set on its position.
		ExactlyOnceDelivery: false,
		// The stronger GuaranteedOrder is there.
		GuaranteedOrderWithSingleSubscriber: false,
		// Any number of instances works on one log.
		RequireSingleInstance: false,
		// A group gets a message once; a new group gets the old ones: TestSuiteNewGroups.
		NewSubscriberReceivesOldMessages: false,
		// A message goes through the database, its context does not.
		ContextPreserved: false,
		// TestSuiteReconnect restarts a server.
		RestartServiceCommand: nil,
	}
}

// suitePool is a pool that is large enough for the suite's subscribers.
func suitePool(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 100
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// constructor makes the suite's publishers and subscribers on one log.
func constructor(t *testing.T, url string, group func(string) string) tests.ConsumerGroupPubSubConstructor {
	f := newFixtureOn(t, suitePool(t, url), time.Second)
	return func(t *testing.T, name string) (message.Publisher, message.Subscriber) {
		t.Helper()
		subscriber, err := topic.NewSubscriber(f.pool, topic.SubscriberConfig{
			Offsets:        topic.ConsumerOffsets{},
			Group:          group(name),
			Wake:           f.wake,
			ResendInterval: 5 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		return topic.NewPublisher(f.log), subscriber
	}
}

func same(name string) string { return name }

func TestSuite(t *testing.T) {
	withGroup := constructor(t, migrated.URL(t), same)
	tests.TestPubSub(t, features(), func(t *testing.T) (message.Publisher, message.Subscriber) {
		return withGroup(t, "suite")
	}, withGroup)
}

func TestSuiteNewGroups(t *testing.T) {
	newGroup := constructor(t, migrated.URL(t), func(string) string { return watermill.NewUUID() })
	features := features()
	features.NewSubscriberReceivesOldMessages = true
	tests.TestNewSubscriberReceivesOldMessages(t, tests.TestContext{TestID: tests.NewTestID(), Features: features},
		func(t *testing.T) (message.Publisher, message.Subscriber) { return newGroup(t, "") })
}

// TestSuiteReconnect kills and stops the server while the suite publishes and reads.
func TestSuiteReconnect(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	server := pgtest.Dedicated(t)
	if err := migrations.Up(context.Background(), server.URL()); err != nil {
		t.Fatal(err)
	}
	withGroup := constructor(t, server.URL(), same)

	// The suite's command asks by making a file, and is answered when the file is gone.
	ask := filepath.Join(t.TempDir(), "restart")
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for end, next := server.Kill, server.Stop; ; end, next = next, end {
			for {
				select {
				case <-over:
					return
				case <-time.After(10 * time.Millisecond):
				}
				if _, err := os.Stat(ask); err == nil {
					break
				}
			}
			end(t)
			server.Start(t)
			if err := os.Remove(ask); err != nil {
				t.Error(err)
			}
		}
	}()
	defer func() { close(over); <-ended }()

	features := features()
	features.RestartServiceCommand = []string{"sh", "-c", `: > "$0" && while [ -e "$0" ]; do sleep 0.05; done`, ask}
	tests.TestReconnect(t, tests.TestContext{TestID: tests.NewTestID(), Features: features},
		func(t *testing.T) (message.Publisher, message.Subscriber) { return withGroup(t, "suite") })
}

var _ topic.Appender = (*eventstore.Log)(nil)
