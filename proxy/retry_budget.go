package proxy

import (
	"sync/atomic"

	"golang.org/x/time/rate"
)

// Each request earns retryEarning and each retry costs retryPrice, so that one request in five may be retried. The balance never
// exceeds retrySavings.
const (
	retryEarning = 1
	retryPrice   = 5
	retrySavings = 1000
)

// retryBudget limits retries to a fraction of the requests, plus a few per second. When all nodes fail, requests then fail too, and do
// not load the nodes with a multiple of their number. It is safe for concurrent use.
type retryBudget struct {
	saved atomic.Int64
	floor *rate.Limiter // of the retries without savings
}

// newRetryBudget returns a budget that allows at least perSecond retries per second.
func newRetryBudget(perSecond int) *retryBudget {
	return &retryBudget{floor: rate.NewLimiter(rate.Limit(perSecond), perSecond)}
}

// request counts a request.
func (b *retryBudget) request() {
	if b.saved.Load() < retrySavings {
		b.saved.Add(retryEarning)
	}
}

// retry reports whether a retry is allowed, and takes it from the budget.
func (b *retryBudget) retry() bool {
	for {
		saved := b.saved.Load()
		if saved < retryPrice {
			return b.floor.Allow()
		}
		if b.saved.CompareAndSwap(saved, saved-retryPrice) {
			return true
		}
	}
}
