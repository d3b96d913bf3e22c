package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"net/http"

	"strata/proxy/internal/flight"
	"strata/proxy/internal/policy"
	"strata/proxy/internal/pool"
)

// keep answers a request that may share its answer: from the cache, with what an identical request is waiting for, or by
// fetching it.
func (p *Proxy) keep(ctx context.Context, x *exchange) (*answer, error) {
	lifetime := x.lifetime()
	tip := p.pool.Tip()
	key := keyOf(x, lifetime, tip)
	caches := p.config.Cache != nil && lifetime != policy.None
	if caches {
		if value, ok := p.config.Cache.Get(key); ok {
			if a, err := parseKept(value); err == nil {
				x.source = fromCache
				return a, nil
			}
		}
	}
	result := p.flights.Do(ctx, key, func(working context.Context) (*answer, error) {
		if caches {
			if value, ok := p.config.Cache.Find(working, key); ok {
				if a, err := parseKept(value); err == nil {
					return a, nil
				}
			}
		}
		a, err := p.fetch(working, x)
		if err != nil {
			return nil, err
		}
		if a.rest != nil {
			a.rest.Watch(ctx) // too long to be shared: it is this client's alone
		} else if caches && lasts(a, lifetime, tip) {
			p.config.Cache.Set(key, appendKept(nil, a), keepTimes[lifetime])
		}
		return a, nil
	})
	switch {
	case result.Err != nil:
		return nil, result.Err
	case result.Value.kept:
		x.source = fromCache
		return result.Value, nil
	case result.First && (result.Others == 0 || !result.Value.shareable):
		x.source = fromNode
		return result.Value, nil
	case !result.Value.shareable:
		x.source = fromNode
		return p.fetch(ctx, x)
	case result.First:
		x.source = fromNode
	default:
		x.source = fromOthers
	}
	shared := *result.Value
	shared.loan = nil // all read it, so nobody gives its memory back
	return &shared, nil
}

// lasts says whether an answer may be kept under the tip that was known when it was asked for.
func lasts(a *answer, lifetime policy.Lifetime, tip pool.Tip) bool {
	switch {
	case a.status != http.StatusOK:
		return false
	case lifetime == policy.Tip || lifetime == policy.Burn:
		return a.lag < 0 && a.height >= tip.Height && tip.Height >= 0
	}
	return true
}

// keyOf is the same for requests that have the same answer. What depends on the tip has it in its key, so that it need
// not be found and thrown away when the tip changes.
func keyOf(x *exchange, lifetime policy.Lifetime, tip pool.Tip) flight.Key {
	var memory [512]byte
	b := append(memory[:0], "proxy 1"...)
	if lifetime == policy.Tip || lifetime == policy.Burn {
		b = append(b, 1)
		b = binary.BigEndian.AppendUint64(b, uint64(tip.Height))
		b = binary.BigEndian.AppendUint64(b, uint64(tip.BurnHeight))
		b = append(b, tip.ID[:]...)
	}
	for _, part := range [...]string{x.request.Method, x.request.Target, x.request.Accept, x.request.ContentType} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	if len(x.request.Body) > 0 {
		digest := sha256.Sum256(x.request.Body)
		b = append(b, digest[:]...)
	}
	return sha256.Sum256(b)
}
