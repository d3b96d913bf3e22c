// Package budget bounds how much work retries may add: a part of the requests, and a few more. When all nodes fail,
// requests then fail too, instead of coming down on the nodes a multiple of times.
package budget

import (
	"sync/atomic"

	"golang.org/x/time/rate"
)

// A retry costs price; each request earns earning, so that one in five may be sent again. Not more than savings are kept.
const (
	earning = 1
	price   = 5
	savings = 1000
)

// Budget of retries. It is safe for concurrent use.
type Budget struct {
	saved atomic.Int64
	least *rate.Limiter
}

// New makes a budget that allows perSecond retries in any case.
func New(perSecond int) *Budget {
	return &Budget{least: rate.NewLimiter(rate.Limit(perSecond), perSecond)}
}

// Request notes that there was a request.
func (b *Budget) Request() {
	if b.saved.Load() < savings {
		b.saved.Add(earning)
	}
}

// Retry asks for leave to send one again.
func (b *Budget) Retry() bool {
	for {
		saved := b.saved.Load()
		if saved < price {
			return b.least.Allow()
		}
		if b.saved.CompareAndSwap(saved, saved-price) {
			return true
		}
	}
}
