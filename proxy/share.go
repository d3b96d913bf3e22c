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

// fetchShared returns the answer to a request whose answer may be shared: from the cache, from an identical in-flight
// request, or from a node.
func (p *Proxy) fetchShared(ctx context.Context, x *exchange) (*answer, error) {
	lifetime := x.lifetime()
	tip := p.pool.Tip()
	key := cacheKey(x, lifetime, tip)
	caches := p.config.Cache != nil && lifetime != policy.None
	if caches {
		if value, ok := p.config.Cache.Get(key); ok {
			if a, err := parseCached(value); err == nil {
				x.source = fromCache
				return a.at(tip), nil
			}
		}
	}
	result := p.flights.Do(ctx, key, func(working context.Context) (*answer, error) {
		if caches {
			if value, ok := p.config.Cache.Find(working, key); ok {
				if a, err := parseCached(value); err == nil {
					return a.at(tip), nil
				}
			}
		}
		a, err := p.fetch(working, x)
		if err != nil {
			return nil, err
		}
		if caches && a.rest == nil && cacheable(a, lifetime, tip) {
			p.config.Cache.Set(key, appendCached(nil, a), cacheTTLs[x.lifetimeOf(a)])
		}
		return a, nil
	})
	switch {
	case result.Err != nil:
		return nil, result.Err
	case result.Value.cached:
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
		x.source = fromShared
	}
	return result.Value, nil
}

// cacheable reports whether an answer may be cached under tip, which was the pool's tip before the request was sent.
func cacheable(a *answer, lifetime policy.Lifetime, tip pool.Tip) bool {
	switch {
	case a.status != http.StatusOK:
		return false
	case lifetime == policy.Tip || lifetime == policy.Burn:
		return a.lag < 0 && a.height >= tip.Height && tip.Height >= 0 && a.burnHeight >= tip.BurnHeight
	}
	return true
}

// cacheKey returns a key that is equal for requests with the same answer. If the answer depends on the tip, so does the
// key; then nothing has to be invalidated when the tip changes.
func cacheKey(x *exchange, lifetime policy.Lifetime, tip pool.Tip) flight.Key {
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
