// Package budget limits retries to a fraction of the requests, plus a few per second. When all nodes fail, requests
// then fail too, and do not load the nodes with a multiple of their number.
package budget

import (
	"sync/atomic"

	"golang.org/x/time/rate"
)

// Each request earns earning and each retry costs price, so that one request in five may be retried. The balance never
// exceeds savings.
const (
	earning = 1
	price   = 5
	savings = 1000
)

// Budget decides whether a retry is allowed. It is safe for concurrent use.
type Budget struct {
	saved atomic.Int64
	floor *rate.Limiter // of the retries without savings
}

// New returns a budget that allows at least perSecond retries per second.
func New(perSecond int) *Budget {
	return &Budget{floor: rate.NewLimiter(rate.Limit(perSecond), perSecond)}
}

// Request counts a request.
func (b *Budget) Request() {
	if b.saved.Load() < savings {
		b.saved.Add(earning)
	}
}

// Retry reports whether a retry is allowed, and takes it from the budget.
func (b *Budget) Retry() bool {
	for {
		saved := b.saved.Load()
		if saved < price {
			return b.floor.Allow()
		}
		if b.saved.CompareAndSwap(saved, saved-price) {
			return true
		}
	}
}
