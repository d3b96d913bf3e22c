package topic_test

import (
	"context"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/tests"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore/topic"
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
		// The suite's TestReconnect reads the list of what was published while its publishers still write it:
		// TestReconnect does the same without that race.
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
