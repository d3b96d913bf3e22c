// Package throttle bounds how many requests each client may make.
package throttle

import (
	"net/netip"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"
)

// clientsMax is how many clients are remembered. Who is forgotten starts with a full burst.
const clientsMax = 1 << 16

// Throttle has a bucket of tokens for each client. It is safe for concurrent use.
type Throttle struct {
	limit   rate.Limit
	burst   int
	clients *otter.Cache[netip.Prefix, *rate.Limiter]
}

// New allows each client perSecond requests, and burst at once.
func New(perSecond float64, burst int) *Throttle {
	return &Throttle{
		limit: rate.Limit(perSecond), burst: burst,
		clients: otter.Must(&otter.Options[netip.Prefix, *rate.Limiter]{
			MaximumSize:      clientsMax,
			ExpiryCalculator: otter.ExpiryAccessing[netip.Prefix, *rate.Limiter](time.Hour),
			Executor:         func(maintain func()) { maintain() },
		}),
	}
}

// Allow says whether a client, by its address and port, may make a request now; if not, wait says when.
func (t *Throttle) Allow(remote string) (wait time.Duration, ok bool) {
	client := clientOf(remote)
	bucket, found := t.clients.GetIfPresent(client)
	if !found {
		bucket, _ = t.clients.SetIfAbsent(client, rate.NewLimiter(t.limit, t.burst))
	}
	reservation := bucket.Reserve()
	if !reservation.OK() { // the burst is 0
		return time.Second, false
	}
	if wait := reservation.Delay(); wait > 0 {
		reservation.Cancel()
		return wait, false
	}
	return 0, true
}

// Close gives back what the throttle takes.
func (t *Throttle) Close() { t.clients.StopAllGoroutines() }

// clientOf is who an address belongs to: an IPv4 address, or the network of an IPv6 address, in which one client has as
// many as it wants. All that can't be parsed are one client.
func clientOf(remote string) netip.Prefix {
	address, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	ip := address.Addr().Unmap().WithZone("")
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(ip, bits).Masked()
}
