package token

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// However many clients there are, so many are told apart, and the rest share a limit; those that were quiet make room.
func TestWishLimitsAreBounded(t *testing.T) {
	l := newWishLimits()
	l.all = rate.NewLimiter(rate.Inf, 1)
	now := time.Unix(1_700_000_000, 0)
	accepted := 0
	for i := range limitedClientsMax + 100 {
		if l.allow(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255), now) == 0 {
			accepted++
		}
	}
	if len(l.clients) != limitedClientsMax || accepted != limitedClientsMax+clientWishBurst {
		t.Errorf("got %d clients and %d accepted, want %d and %d", len(l.clients), accepted, limitedClientsMax, limitedClientsMax+clientWishBurst)
	}
	later := now.Add(time.Hour)
	if wait := l.allow("192.0.2.1:1", later); wait != 0 || len(l.clients) != 1 {
		t.Errorf("an hour later: got a wait of %s and %d clients, want none and 1", wait, len(l.clients))
	}
	for i := range clientWishBurst {
		if wait := l.allow("192.0.2.2:1", later); wait != 0 {
			t.Errorf("wish %d: got a wait of %s", i, wait)
		}
	}
	for range 3 { // what is refused costs nothing
		if wait := l.allow("192.0.2.2:1", later); wait != clientWishEvery {
			t.Errorf("one too many: got a wait of %s, want %s", wait, clientWishEvery)
		}
	}
	if wait := l.allow("not an address", later); wait != 0 {
		t.Errorf("without an address: got a wait of %s", wait)
	}
}
