package proxy

import (
	"net/http"
	"time"

	"strata/proxy/internal/policy"
)

// cacheControls are what shared caches and browsers may do with an answer of status 200.
var (
	noStore       = []string{"no-store"}
	cacheControls = [...][]string{
		policy.None:      noStore,
		policy.Second:    noStore, // who polls it wants progress
		policy.Tip:       {"public, max-age=2, stale-while-revalidate=5"},
		policy.Burn:      {"public, max-age=10, stale-while-revalidate=20"},
		policy.Immutable: {"public, max-age=31536000, immutable"},
	}
	// youngBlock is for what is about a block that was a tip a moment ago, and may be gone in another.
	youngBlock = []string{"public, max-age=60"}
)

// cacheControl is the field Cache-Control of an answer. The answer of a node that doesn't serve is nobody's to keep.
func (p *Proxy) cacheControl(x *exchange, a *answer) []string {
	lifetime := x.lifetime()
	switch {
	case a.status != http.StatusOK, x.request.Method != http.MethodGet, a.lag >= 0, !x.endpoint.Shared():
		return noStore
	case lifetime == policy.Immutable && x.pinned && p.pool.Knowing(x.tip) != 0:
		return youngBlock
	}
	return cacheControls[lifetime]
}

// keepTimes bound how long answers are kept here. That of Tip and Burn ends when the tip changes.
var keepTimes = [...]time.Duration{
	policy.None: 0, policy.Second: time.Second, policy.Tip: 30 * time.Second, policy.Burn: 30 * time.Second,
	policy.Immutable: 24 * time.Hour,
}
