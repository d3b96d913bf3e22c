package readapi

import (
	"context"
	"sync/atomic"
	"time"

	"strata/readapi/internal/cache"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/register"
)

// nodeShare is which part of the memory for answers, 1/nodeShare, is for those of nodes, where there are any.
const nodeShare = 4

// NodeAnswers keeps what nodes answer in the tiers where the API keeps its own answers: in a part of Config.CacheBytes, and
// in Config.Redis. It is safe for concurrent use, and keeps nothing in Redis before Run has seen the database: processes
// share what nodes of one chain say, and which chain that is follows from the archive.
//
// Keys are digests of all that an answer depends on, times are how long it is right.
type NodeAnswers struct {
	timed   *cache.Timed
	watch   *register.Watch
	network string
	chain   atomic.Pointer[[]byte] // what all keys begin with; nil while the archive isn't known
}

func newNodeAnswers(e *engine.Engine) *NodeAnswers {
	return &NodeAnswers{timed: e.Cache.Timed(), watch: e.Watch, network: e.Config.Network}
}

// NodeAnswers is where answers of nodes are kept.
func (a *API) NodeAnswers() *NodeAnswers { return a.nodeAnswers }

// Get returns what this process has.
func (n *NodeAnswers) Get(key [32]byte) (value []byte, ok bool) {
	name, _ := n.name(key)
	return n.timed.Get(name)
}

// Find returns what other processes have.
func (n *NodeAnswers) Find(ctx context.Context, key [32]byte) (value []byte, ok bool) {
	name, shared := n.name(key)
	if !shared {
		return nil, false
	}
	return n.timed.Find(ctx, name)
}

// Set keeps a value for a time.
func (n *NodeAnswers) Set(key [32]byte, value []byte, ttl time.Duration) {
	name, shared := n.name(key)
	if !shared {
		n.timed.Remember(name, value, ttl)
		return
	}
	n.timed.Set(name, value, ttl)
}

// name is the key under which an answer is kept; shared says that it is the same in all processes of the archive.
func (n *NodeAnswers) name(key [32]byte) (name cache.Key, shared bool) {
	var buffer [128]byte
	b := buffer[:0]
	if chain := n.chainKey(); chain != nil {
		b, shared = append(b, chain...), true
	}
	return engine.KeyOf(append(b, key[:]...)), shared
}

// chainKey tells the nodes of this chain from those of others that may share a Redis.
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
