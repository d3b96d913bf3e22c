package proxy

import "testing"

// A fifth of the requests may be retried, and perSecond more.
func TestShareOfRetries(t *testing.T) {
	b := newRetryBudget(3)
	for range 100 {
		b.request()
	}
	allowed := 0
	for range 100 {
		if b.retry() {
			allowed++
		}
	}
	if allowed < 23 || allowed > 25 { // the rate limiter may have allowed a few more meanwhile
		t.Errorf("%d retries for 100 requests, want 20 and the 3 that are always allowed", allowed)
	}
}

func TestRetrySavingsAreBounded(t *testing.T) {
	b := newRetryBudget(1)
	for range 10 * retrySavings {
		b.request()
	}
	if got := b.saved.Load(); got != retrySavings {
		t.Errorf("saved %d, want %d", got, retrySavings)
	}
}
