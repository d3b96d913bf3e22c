package topic_test

import (
	"testing"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
	"strata/eventstore/topic"
)

// The event itself comes with its message, also when the message comes again.
func TestAttachedEvent(t *testing.T) {
	f := newFixture(t)
	for i := range 3 {
		f.append(t, "/x", string(rune('a'+i)))
	}
	messages := subscribe(t, f, "x", topic.SubscriberConfig{})
	for i := range 3 {
		for again := range 2 {
			msg := receive(t, messages)
			event, ok := topic.Attached[eventstore.Event](msg)
			if !ok || event.Seq != int64(i+1) || string(event.Body) != string(msg.Payload) || event.Size != 1 || event.Path != "/x" || event.ReceivedAt.IsZero() {
				t.Errorf("message %d: got %+v (%t), want the event", i+1, event, ok)
			}
			if _, ok := topic.Attached[string](msg); ok {
				t.Errorf("message %d: got a value of another type", i+1)
			}
			if again == 0 {
				msg.Nack()
			} else {
				msg.Ack()
			}
		}
	}
	if _, ok := topic.Attached[eventstore.Event](message.NewMessage("1", nil)); ok {
		t.Error("got an event of a message that is not from the log")
	}
}
