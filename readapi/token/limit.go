package token

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits of requests to refresh a token, of one client and of all together. They are low, as each request becomes an
// event of the log, which keeps it forever.
const (
	clientRefreshInterval = 10 * time.Second
	clientRefreshBurst    = 5
	allRefreshesInterval  = 200 * time.Millisecond
	allRefreshesBurst     = 50
	// limitedClientsMax is the maximum number of clients with a limit of their own. Further clients share one.
	limitedClientsMax = 10_000
)

// refreshLimits holds the token buckets: one for each client and one for all.
type refreshLimits struct {
	mu      sync.Mutex
	all     *rate.Limiter
	others  *rate.Limiter // shared by the clients without one of their own
	clients map[netip.Prefix]*rate.Limiter
}

func newRefreshLimits() *refreshLimits {
	return &refreshLimits{all: rate.NewLimiter(rate.Every(allRefreshesInterval), allRefreshesBurst), others: newClientLimiter(), clients: map[netip.Prefix]*rate.Limiter{}}
}

func newClientLimiter() *rate.Limiter {
	return rate.NewLimiter(rate.Every(clientRefreshInterval), clientRefreshBurst)
}

// allow takes one token from the client's bucket and one from the bucket of all. If either is empty it takes none, and
// returns how long to wait.
func (l *refreshLimits) allow(address string, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	client := l.client(address, now).ReserveN(now, 1)
	if wait = client.DelayFrom(now); wait > 0 {
		client.CancelAt(now)
		return wait
	}
	all := l.all.ReserveN(now, 1)
	if wait = all.DelayFrom(now); wait > 0 {
		all.CancelAt(now)
		client.CancelAt(now)
	}
	return wait
}

// client returns the bucket of the client with an address.
func (l *refreshLimits) client(address string, now time.Time) *rate.Limiter {
	key, ok := clientOf(address)
	if !ok {
		return l.others
	}
	if limiter := l.clients[key]; limiter != nil {
		return limiter
	}
	if len(l.clients) >= limitedClientsMax {
		for key, limiter := range l.clients { // a full bucket is as good as a new one
			if limiter.TokensAt(now) >= clientRefreshBurst {
				delete(l.clients, key)
			}
		}
		if len(l.clients) >= limitedClientsMax {
			return l.others
		}
	}
	l.clients[key] = newClientLimiter()
	return l.clients[key]
}

// clientOf returns the prefix that identifies the client behind an address: with IPv6 a /64, as one client has all of
// it.
func clientOf(address string) (netip.Prefix, bool) {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}, false
	}
	ip := parsed.Addr().Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	prefix, err := ip.Prefix(bits)
	return prefix, err == nil
}
