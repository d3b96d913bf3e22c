package readapi

import (
	"context"
	"sync/atomic"
	"time"

	"strata/readapi/internal/cache"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/register"
)

// nodeShare is the share of CacheBytes for the answers of nodes, if there are any: 1/nodeShare.
const nodeShare = 4

// NodeAnswers caches the answers of nodes in the same tiers as the API's own answers: in a part of Config.CacheBytes, and
// in Config.Redis. It is safe for concurrent use. It does not use Redis before Run has seen the database: processes share
// the answers of nodes of the same chain, and the archive identifies the chain.
//
// A key is a digest of everything that an answer depends on; a time to live is how long the answer is right.
type NodeAnswers struct {
	timed   *cache.Timed
	watch   *register.Watch
	network string
	chain   atomic.Pointer[[]byte] // the prefix of all keys; nil while the archive isn't known
}

func newNodeAnswers(e *engine.Engine) *NodeAnswers {
	return &NodeAnswers{timed: e.Cache.Timed(), watch: e.Watch, network: e.Config.Network}
}

// NodeAnswers returns the cache of nodes' answers.
func (a *API) NodeAnswers() *NodeAnswers { return a.nodeAnswers }

// Get returns the value of a key if this process has it.
func (n *NodeAnswers) Get(key [32]byte) (value []byte, ok bool) {
	name, _ := n.name(key)
	return n.timed.Get(name)
}

// Find returns the value of a key if Redis has it.
func (n *NodeAnswers) Find(ctx context.Context, key [32]byte) (value []byte, ok bool) {
	name, shared := n.name(key)
	if !shared {
		return nil, false
	}
	return n.timed.Find(ctx, name)
}

// Set stores a value for ttl, in this process and in Redis.
func (n *NodeAnswers) Set(key [32]byte, value []byte, ttl time.Duration) {
	name, shared := n.name(key)
	if !shared {
		n.timed.Remember(name, value, ttl)
		return
	}
	n.timed.Set(name, value, ttl)
}

// name returns the cache key of an answer; shared reports whether all processes of the archive use the same one.
func (n *NodeAnswers) name(key [32]byte) (name cache.Key, shared bool) {
	var buffer [128]byte
	b := buffer[:0]
	if chain := n.chainKey(); chain != nil {
		b, shared = append(b, chain...), true
	}
	return engine.KeyOf(append(b, key[:]...)), shared
}

// chainKey returns the prefix of all keys, which separates this chain's nodes from those of other chains that share the
// Redis; nil while the archive isn't known.
func (n *NodeAnswers) chainKey() []byte {
	if known := n.chain.Load(); known != nil {
		return *known
	}
	state := n.watch.State(time.Now())
	if state == nil {
		return nil
	}
	key := append([]byte("answer of a node\x00"+n.network+"\x00"), state.Archive[:]...)
	n.chain.Store(&key)
	return key
}
