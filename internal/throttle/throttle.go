// Package throttle bounds the rate of requests of each client.
package throttle

import (
	"net/netip"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"
)

// clientsMax is the number of clients that a throttle remembers. A forgotten client starts again with a full burst.
const clientsMax = 1 << 16

// Throttle has a bucket of tokens for each client. It is safe for concurrent use.
type Throttle struct {
	limit   rate.Limit
	burst   int
	clients *otter.Cache[netip.Prefix, *rate.Limiter]
}

// New returns a throttle that allows each client perSecond requests per second, and burst requests at once.
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

// Allow reports whether a client, given by its address and port, may make a request now. If not, wait is the time until
// it may.
func (t *Throttle) Allow(remote string) (wait time.Duration, ok bool) {
	return allow(t.bucketOf(remote))
}

func (t *Throttle) bucketOf(remote string) *rate.Limiter {
	client := clientOf(remote)
	bucket, ok := t.clients.GetIfPresent(client)
	if !ok {
		bucket, _ = t.clients.SetIfAbsent(client, rate.NewLimiter(t.limit, t.burst))
	}
	return bucket
}

func allow(bucket *rate.Limiter) (wait time.Duration, ok bool) {
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

// Close stops the throttle's goroutines.
func (t *Throttle) Close() { t.clients.StopAllGoroutines() }

// clientOf returns the prefix that identifies a client: its IPv4 address, or the /64 network of its IPv6 address,
// because one client may use all addresses of such a network. All addresses that can't be parsed count as one client.
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
