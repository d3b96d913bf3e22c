package token

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How often tokens may be asked to be fetched again: by one client, and by all together. Each wish becomes an event of
// the log, which keeps it for good.
const (
	clientWishEvery = 10 * time.Second
	clientWishBurst = 5
	allWishesEvery  = 200 * time.Millisecond
	allWishesBurst  = 50
	// limitedClientsMax is how many clients are told apart at a time. Those beyond share a limit.
	limitedClientsMax = 10_000
)

// wishLimits are token buckets, one for each client and one for all.
type wishLimits struct {
	mu      sync.Mutex
	all     *rate.Limiter
	others  *rate.Limiter // of clients that there is no room for
	clients map[netip.Prefix]*rate.Limiter
}

func newWishLimits() *wishLimits {
	return &wishLimits{all: rate.NewLimiter(rate.Every(allWishesEvery), allWishesBurst), others: newClientLimiter(), clients: map[netip.Prefix]*rate.Limiter{}}
}

func newClientLimiter() *rate.Limiter {
	return rate.NewLimiter(rate.Every(clientWishEvery), clientWishBurst)
}

// allow takes a token out of the buckets, or says how long to wait until there is one.
func (l *wishLimits) allow(address string, now time.Time) (wait time.Duration) {
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

// client is the bucket of a client.
func (l *wishLimits) client(address string, now time.Time) *rate.Limiter {
	key, ok := clientOf(address)
	if !ok {
		return l.others
	}
	if found := l.clients[key]; found != nil {
		return found
	}
	if len(l.clients) >= limitedClientsMax {
		for key, limiter := range l.clients { // a full bucket is as good as a new one
			if limiter.TokensAt(now) >= clientWishBurst {
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

// clientOf is who an address belongs to: with IPv6, everybody has a whole /64.
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
