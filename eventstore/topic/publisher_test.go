package topic_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
	"strata/eventstore/topic"
)

func TestPublishComesBack(t *testing.T) {
	f := newFixture(t)
	publisher := topic.NewPublisher(f.log)
	one := message.NewMessage("uuid 1", []byte("one"))
	one.Metadata = message.Metadata{"key": "välue", "nul": "a\x00b", "seq": "999"}
	batch := message.Messages{message.NewMessage("", nil)}
	for i := range 300 {
		batch = append(batch, message.NewMessage(fmt.Sprint("batch ", i), []byte(fmt.Sprint(i))))
	}
	if err := publisher.Publish("a:b", one); err != nil {
		t.Fatal(err)
	}
	if err := publisher.Publish("a:b", batch...); err != nil {
		t.Fatal(err)
	}
	if err := publisher.Publish("a:b"); err != nil {
		t.Errorf("publish nothing: %v", err)
	}
	messages := subscribe(t, f, "a:b", topic.SubscriberConfig{})
	for i, want := range append(message.Messages{one}, batch...) {
		got := receive(t, messages)
		if got.UUID != want.UUID || string(got.Payload) != string(want.Payload) {
			t.Fatalf("message %d: got %q %q, want %q %q", i, got.UUID, got.Payload, want.UUID, want.Payload)
		}
		for key, value := range want.Metadata {
			if key == topic.MetadataSeq {
				value = "1" // the log's word counts
			}
			if got.Metadata[key] != value {
				t.Errorf("message %d: metadata %q is %q, want %q", i, key, got.Metadata[key], value)
			}
		}
		if seq, err := topic.Seq(got); err != nil || seq != int64(i)+1 {
			t.Errorf("message %d: position %d, %v", i, seq, err)
		}
		if path := got.Metadata[topic.MetadataPath]; path != "/a/b" {
			t.Errorf("message %d: path %q", i, path)
		}
		got.Ack()
	}
	awaitWait(t, f.wake, messages)
	if n := query[int](t, f, `SELECT count(DISTINCT xmin::text) FROM log.event`); n != 2 {
		t.Errorf("two calls of Publish took %d transactions", n)
	}
}

func TestPublishRefuses(t *testing.T) {
	f := newFixture(t)
	publisher := topic.NewPublisher(f.log)
	for _, name := range []string{"", topic.All} {
		if err := publisher.Publish(name, message.NewMessage("x", nil)); !errors.Is(err, topic.ErrTopic) {
			t.Errorf("publish to %q: got %v, want ErrTopic", name, err)
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late := message.NewMessage("x", nil)
	late.SetContext(gone)
	if err := publisher.Publish("x", late, late); !errors.Is(err, context.Canceled) {
		t.Errorf("publish with a context that has ended: got %v", err)
	}
	f.log.Close()
	if err := publisher.Publish("x", message.NewMessage("x", nil)); !errors.Is(err, eventstore.ErrClosed) {
		t.Errorf("publish to a closed log: got %v, want ErrClosed", err)
	}
	for range 2 {
		if err := publisher.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := publisher.Publish("x", message.NewMessage("x", nil)); !errors.Is(err, topic.ErrPublisherClosed) {
		t.Errorf("publish after Close: got %v, want ErrPublisherClosed", err)
	}
}
