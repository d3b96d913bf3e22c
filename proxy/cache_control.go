package proxy

import (
	"net/http"
	"time"

	"strata/proxy/internal/policy"
)

// cacheControls are the values of Cache-Control for answers of status 200, by lifetime.
var (
	noStore       = []string{"no-store"}
	cacheControls = [...][]string{
		policy.None:      noStore,
		policy.Second:    noStore, // clients poll it for progress
		policy.Tip:       {"public, max-age=2, stale-while-revalidate=5"},
		policy.Burn:      {"public, max-age=10, stale-while-revalidate=20"},
		policy.Immutable: {"public, max-age=31536000, immutable"},
	}
	// recentBlock is for answers about a block that was a tip a moment ago, and that a reorganisation may soon remove.
	recentBlock = []string{"public, max-age=60"}
)

// cacheControl returns the value of Cache-Control for an answer. Nobody may cache the answer of a node that isn't
// serving.
func (p *Proxy) cacheControl(x *exchange, a *answer) []string {
	lifetime := x.lifetimeOf(a)
	switch {
	case a.status != http.StatusOK, x.request.Method != http.MethodGet, a.lag >= 0, !x.endpoint.Shared():
		return noStore
	case lifetime == policy.Immutable && x.pinned && p.pool.NodesWithTip(x.tip) != 0:
		return recentBlock
	}
	return cacheControls[lifetime]
}

// cacheTTLs bound how long the proxy's own cache stores an answer. An answer of lifetime Tip or Burn is not used any
// more once the tip changes, because the tip is part of its key.
var cacheTTLs = [...]time.Duration{
	policy.None: 0, policy.Second: time.Second, policy.Tip: 30 * time.Second, policy.Burn: 30 * time.Second,
	policy.Immutable: 24 * time.Hour,
}
