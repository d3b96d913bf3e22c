// Package throttle bounds the rate of requests of each client.
package throttle

import (
	"math"
	"net/netip"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"strata/internal/clientaddr"
)

// clientsMax is the number of clients that a throttle remembers. A forgotten client starts again with a full burst.
const clientsMax = 1 << 16

// Throttle has a bucket of tokens for each client. It is safe for concurrent use.
type Throttle struct {
	limit   rate.Limit
	burst   int
	clients buckets
}

// buckets is what a Throttle needs of otter.Cache. It is an interface because every package that sees the type of a cache
// compiles all of otter anew.
type buckets interface {
	GetIfPresent(client netip.Prefix) (*rate.Limiter, bool)
	SetIfAbsent(client netip.Prefix, bucket *rate.Limiter) (*rate.Limiter, bool)
	StopAllGoroutines() bool
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

// PerSecond returns a throttle of so many requests per second with bursts of twice as many; nil, which allows everything,
// for 0.
func PerSecond(limit float64) *Throttle {
	if limit <= 0 {
		return nil
	}
	return New(limit, max(1, int(math.Ceil(2*limit))))
}

// Allowance is what a client may do after a request.
type Allowance struct {
	OK bool // whether the request is allowed
	// Wait is the time until the client may make a request that was not allowed.
	Wait time.Duration
	// Limit is how many requests a client may make at once, Left how many of these are left, and Reset the time until all
	// of them are. Limit is 0 if there is no limit.
	Limit, Left int
	Reset       time.Duration
}

// Take takes a token of a client, given by its address and port. A nil throttle allows everything.
func (t *Throttle) Take(remote string) (a Allowance) {
	if t == nil {
		return Allowance{OK: true}
	}
	bucket := t.bucketOf(remote)
	a.Wait, a.OK = allow(bucket)
	left := max(bucket.Tokens(), 0)
	a.Limit, a.Left = t.burst, int(left)
	a.Reset = time.Duration((float64(t.burst) - left) / float64(t.limit) * float64(time.Second))
	return a
}

func (t *Throttle) bucketOf(remote string) *rate.Limiter {
	client := clientaddr.NetworkOf(remote)
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
func (t *Throttle) Close() {
	if t != nil {
		t.clients.StopAllGoroutines()
	}
}
