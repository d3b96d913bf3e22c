package topic_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
	"strata/eventstore/topic"
)

func TestNames(t *testing.T) {
	for name, path := range map[string]string{
		"new_block":       "/new_block",
		"attachments:new": "/attachments/new",
		"a:b:c":           "/a/b/c",
	} {
		if got := topic.Path(name); got != path {
			t.Errorf("Path(%q) = %q, want %q", name, got, path)
		}
		if got := topic.Name(path); got != name {
			t.Errorf("Name(%q) = %q, want %q", path, got, name)
		}
	}
}

// subscribe to one topic with a fresh group until the test ends.
func subscribe(t *testing.T, f fixture, name string, config topic.SubscriberConfig) <-chan *message.Message {
	t.Helper()
	if config.Offsets == nil {
		config.Offsets = topic.ConsumerOffsets{}
	}
	config.Wake = f.wake
	subscriber, err := topic.NewSubscriber(f.pool, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := subscriber.Close(); err != nil {
			t.Error(err)
		}
	})
	f.wake.Waiting.Discard() // of another subscriber
	messages, err := subscriber.Subscribe(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

func TestMessageOfAnEvent(t *testing.T) {
	f := newFixture(t)
	received := time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)
	full := eventstore.Incoming{
		ReceivedAt: received, Source: "observer:a", Path: "/new_block", ContentType: "application/json", Origin: "7",
		Body: eventstore.NewBody([]byte("{\x00}")),
	}
	bare := eventstore.Incoming{ReceivedAt: received, Path: "/empty", Body: eventstore.NewBody(nil)}
	again := full
	again.Path = "/attachments/new"
	// Nobody but the publisher is believed to have an envelope.
	pretender := full
	pretender.Origin = `watermill:{"uuid":"x"}`
	for _, in := range []eventstore.Incoming{full, bare, again, pretender} {
		if _, err := f.log.Append(context.Background(), in); err != nil {
			t.Fatal(err)
		}
	}
	common := message.Metadata{"source": "observer:a", "content_type": "application/json", "received_at": "2024-05-06T07:08:09.123456Z"}
	with := func(pairs ...string) message.Metadata {
		m := maps.Clone(common)
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	want := []*message.Message{
		{UUID: "1", Payload: []byte("{\x00}"), Metadata: with("seq", "1", "path", "/new_block", "origin", "7")},
		{UUID: "2", Payload: []byte{}, Metadata: message.Metadata{
			"seq": "2", "path": "/empty", "source": "", "received_at": "2024-05-06T07:08:09.123456Z"}},
		{UUID: "3", Payload: []byte("{\x00}"), Metadata: with("seq", "3", "path", "/attachments/new", "origin", "7")},
		{UUID: "4", Payload: []byte("{\x00}"), Metadata: with("seq", "4", "path", "/new_block", "origin", `watermill:{"uuid":"x"}`)},
	}
	check := func(t *testing.T, messages <-chan *message.Message, want ...*message.Message) {
		t.Helper()
		for _, want := range want {
			got := receive(t, messages)
			if !got.Equals(want) {
				t.Errorf("got %s %q %v, want %s %q %v", got.UUID, got.Payload, got.Metadata, want.UUID, want.Payload, want.Metadata)
			}
			if (got.Payload == nil) != (want.Payload == nil) {
				t.Errorf("message %s: payload is nil: got %t, want %t", got.UUID, got.Payload == nil, want.Payload == nil)
			}
			got.Ack()
		}
		awaitWait(t, f.wake, messages)
	}
	t.Run("all", func(t *testing.T) {
		check(t, subscribe(t, f, topic.All, topic.SubscriberConfig{Group: "all"}), want...)
	})
	t.Run("one path", func(t *testing.T) {
		check(t, subscribe(t, f, "new_block", topic.SubscriberConfig{Group: "one"}), want[0], want[3])
	})
	t.Run("a path with a slash", func(t *testing.T) {
		check(t, subscribe(t, f, "attachments:new", topic.SubscriberConfig{Group: "slash"}), want[2])
	})
	t.Run("no such path", func(t *testing.T) {
		check(t, subscribe(t, f, "nothing", topic.SubscriberConfig{Group: "none"}))
	})
	without := func(msg *message.Message) *message.Message {
		msg = msg.Copy()
		msg.Payload = nil
		return msg
	}
	t.Run("wanted bodies", func(t *testing.T) {
		check(t, subscribe(t, f, topic.All, topic.SubscriberConfig{Group: "wanted", Paths: []string{"/empty", "/attachments/new"}}),
			without(want[0]), want[1], want[2], without(want[3]))
	})
	t.Run("no bodies", func(t *testing.T) {
		check(t, subscribe(t, f, "empty", topic.SubscriberConfig{Group: "bodiless", Paths: []string{}}), without(want[1]))
	})
}

func TestSeq(t *testing.T) {
	f := newFixture(t)
	f.append(t, "/x", "x")
	msg := receive(t, subscribe(t, f, topic.All, topic.SubscriberConfig{}))
	if seq, err := topic.Seq(msg); seq != 1 || err != nil {
		t.Errorf("got %d, %v, want 1, nil", seq, err)
	}
	e, err := topic.Event(msg)
	if err != nil || e.Seq != 1 || e.Path != "/x" || string(e.Body) != "x" || e.Size != 1 || time.Since(e.ReceivedAt) > time.Minute {
		t.Errorf("got %+v, %v", e, err)
	}
	stranger := message.NewMessage("x", nil)
	if _, err := topic.Seq(stranger); err == nil {
		t.Error("a message that is not from the log has a position")
	}
	if _, err := topic.Event(stranger); err == nil {
		t.Error("a message that is not from the log is an event")
	}
	stranger.Metadata[topic.MetadataSeq] = "1"
	if _, err := topic.Event(stranger); err == nil {
		t.Error("a message without a time is an event")
	}
}
