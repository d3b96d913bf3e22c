package token

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"strata/internal/testkit/check"
)

// At most limitedClientsMax clients have a limit of their own, and all others share one. Idle clients are forgotten.
func TestRefreshLimitsAreBounded(t *testing.T) {
	l := newRefreshLimits()
	l.all = rate.NewLimiter(rate.Inf, 1)
	now := time.Unix(1_700_000_000, 0)
	accepted := 0
	for i := range limitedClientsMax + 100 {
		if l.allow(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255), now) == 0 {
			accepted++
		}
	}
	if len(l.clients) != limitedClientsMax || accepted != limitedClientsMax+clientRefreshBurst {
		t.Errorf("got %d clients and %d accepted, want %d and %d", len(l.clients), accepted, limitedClientsMax, limitedClientsMax+clientRefreshBurst)
	}
	later := now.Add(time.Hour)
	if wait := l.allow("192.0.2.1:1", later); wait != 0 || len(l.clients) != 1 {
		t.Errorf("an hour later: got a wait of %s and %d clients, want none and 1", wait, len(l.clients))
	}
	for i := range clientRefreshBurst {
		check.Equal(t, fmt.Sprintf("request %d: a wait", i), l.allow("192.0.2.2:1", later), 0)
	}
	for range 3 { // a refused request takes no token
		check.Equal(t, "one too many: a wait", l.allow("192.0.2.2:1", later), clientRefreshInterval)
	}
	check.Equal(t, "without an address: a wait", l.allow("not an address", later), 0)
}
