package internal_test

import (
	"errors"
	"net/netip"
	"slices"
	"testing"

	"strata/internal/testkit/must"
	"strata/readapi/internal/live"
)

var blocks = live.Feed{Kind: "blocks"}

// opened returns an open hub that knows the place of the chain.
func opened(config live.Config) *live.Hub {
	h := live.NewHub(config)
	h.Open()
	h.Move(live.Place{Instance: "a", Step: 10})
	return h
}

func subscribe(t *testing.T, h *live.Hub) *live.Subscriber {
	t.Helper()
	s := must.Get(h.Subscribe("test", alice))(t)
	return s
}

func delivery(step int64, text string) live.Delivery {
	return live.Delivery{Feed: blocks, Entry: live.Entry{Message: &live.Message{Step: step, Data: []byte(text), Whole: []byte("whole " + text)}}}
}

func texts(entries []live.Entry) (all []string) {
	for _, e := range entries {
		all = append(all, string(e.Text()))
	}
	return all
}

// Messages of a feed come after the answer that began to follow it, and none come after the answer that left it.
func TestLiveAnswer(t *testing.T) {
	t.Parallel()
	h := opened(live.Config{})
	s := subscribe(t, h)
	h.Begin(11) // the messages of step 11 are being prepared
	s.Answer([]byte("yes"), live.Change{Feed: blocks})
	h.Publish([]live.Delivery{delivery(11, "eleven")}, live.Place{Instance: "a", Step: 11})
	last := delivery(12, "twelve")
	last.Last = true
	h.Publish([]live.Delivery{delivery(12, "amid"), last}, live.Place{Instance: "a", Step: 12})
	h.Tell(delivery(5, "apart"))
	s.Answer([]byte("no"), live.Change{Feed: blocks, Leave: true})
	h.Publish([]live.Delivery{delivery(13, "thirteen")}, live.Place{Instance: "a", Step: 13})
	<-s.Wake()
	entries, reason := s.Take()
	if got, want := texts(entries), []string{"yes", "amid", "whole twelve", "apart", "no"}; reason != "" || !slices.Equal(got, want) {
		t.Errorf("got %q, %q, want %q", got, reason, want)
	}
}

// A subscriber whose queue overflows gets the reason Slow and none of the queue; the others get all messages.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel()
	h := opened(live.Config{QueueMessages: 3, QueueBytes: 100})
	many, large, fine := subscribe(t, h), subscribe(t, h), subscribe(t, h)
	for _, s := range []*live.Subscriber{many, fine} {
		s.Follow(blocks)
	}
	large.Follow(live.Feed{Kind: "large"})
	for step := int64(11); step < 15; step++ {
		h.Publish([]live.Delivery{delivery(step, "x")}, live.Place{Instance: "a", Step: step})
		if entries, reason := fine.Take(); len(entries) != 1 || reason != "" {
			t.Errorf("got %q, %q, want one", texts(entries), reason)
		}
	}
	big := live.Delivery{Feed: live.Feed{Kind: "large"}, Entry: live.Entry{Message: &live.Message{Data: make([]byte, 150)}}}
	h.Tell(big)
	if entries, reason := large.Take(); len(entries) != 1 || reason != "" {
		t.Errorf("a single message above the limit: got %d entries, %q", len(entries), reason)
	}
	h.Tell(big, big)
	for _, s := range []*live.Subscriber{many, large} {
		if entries, reason := s.Take(); len(entries) != 0 || reason != live.Slow || !s.Overflowed() {
			t.Errorf("got %d entries, %q, want none, slow", len(entries), reason)
		}
	}
	many.LeaveAll()
	many.Follow(blocks)
	h.Publish([]live.Delivery{delivery(15, "x")}, live.Place{Instance: "a", Step: 15})
	if entries, reason := many.Take(); len(entries) != 1 || reason != "" {
		t.Errorf("after following again: got %q, %q", texts(entries), reason)
	}
}

var alice, bob = netip.MustParsePrefix("203.0.113.7/32"), netip.MustParsePrefix("2001:db8::/64")

// One client gets so many subscribers, whatever others have, and more when it has closed some.
func TestSubscriptionsPerClient(t *testing.T) {
	t.Parallel()
	h := opened(live.Config{PerClient: 2})
	first := subscribe(t, h)
	subscribe(t, h)
	if _, err := h.Subscribe("test", alice); !errors.Is(err, live.ErrClientFull) {
		t.Errorf("one too many: got %v", err)
	}
	if _, err := h.Subscribe("test", bob); err != nil {
		t.Errorf("another client: got %v", err)
	}
	first.Close("")
	first.Close("")
	subscribe(t, h)
	if _, err := h.Subscribe("test", alice); !errors.Is(err, live.ErrClientFull) {
		t.Errorf("one too many again: got %v", err)
	}
}

// Closing the hub tells all subscribers and refuses new ones; Wait waits until all are closed.
func TestCloseHub(t *testing.T) {
	t.Parallel()
	h := opened(live.Config{Most: 1})
	s := subscribe(t, h)
	if _, err := h.Subscribe("test", alice); !errors.Is(err, live.ErrFull) {
		t.Errorf("one too many: got %v", err)
	}
	h.Close()
	if _, err := h.Subscribe("test", alice); !errors.Is(err, live.ErrClosed) {
		t.Errorf("after the end: got %v", err)
	}
	if _, reason := s.Take(); reason != live.Stopping || !s.Stopped() {
		t.Errorf("got %q", reason)
	}
	left := make(chan struct{})
	go func() {
		h.Wait()
		close(left)
	}()
	select {
	case <-left:
		t.Error("Wait did not wait")
	default:
	}
	s.Close("gone")
	s.Close("gone") // has no effect
	<-left
}
