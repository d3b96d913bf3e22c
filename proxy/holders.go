package proxy

import (
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"strata/domain/hash"
)

// follow remembers which nodes have taken which transaction, to ask them about it.
type follow struct {
	mu  sync.Mutex // of a change
	ids *otter.Cache[hash.Hash32, uint64]
}

// Bounds of what is remembered.
const (
	followMax  = 1 << 17
	followTime = time.Hour
)

func newFollow() *follow {
	return &follow{ids: otter.Must(&otter.Options[hash.Hash32, uint64]{
		MaximumSize:      followMax,
		ExpiryCalculator: otter.ExpiryWriting[hash.Hash32, uint64](followTime),
		Executor:         func(maintain func()) { maintain() },
	})}
}

func (f *follow) close() { f.ids.StopAllGoroutines() }

// took notes that nodes have taken a transaction.
func (f *follow) took(id hash.Hash32, nodes uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before, _ := f.ids.GetIfPresent(id)
	f.ids.Set(id, before|nodes)
}

// nodes are those that have taken the transaction of an id in hex; none if that is not known.
func (f *follow) nodes(text string) uint64 {
	id, err := hash.Parse32(text)
	if err != nil {
		return 0
	}
	nodes, _ := f.ids.GetIfPresent(id)
	return nodes
}
