package budget

import "testing"

// A fifth of the requests may be retried, and perSecond more.
func TestBudget(t *testing.T) {
	b := New(3)
	for range 100 {
		b.Request()
	}
	allowed := 0
	for range 100 {
		if b.Retry() {
			allowed++
		}
	}
	if allowed < 23 || allowed > 25 { // the rate limiter may have allowed a few more meanwhile
		t.Errorf("%d retries for 100 requests, want 20 and the 3 that are always allowed", allowed)
	}
}

func TestSavingsAreBounded(t *testing.T) {
	b := New(1)
	for range 10 * savings {
		b.Request()
	}
	if got := b.saved.Load(); got != savings {
		t.Errorf("saved %d, want %d", got, savings)
	}
}
