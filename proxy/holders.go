package proxy

import (
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"strata/domain/hash"
)

// holders remembers which nodes accepted which transaction, so that requests about the transaction go to those nodes
// first.
type holders struct {
	mu  sync.Mutex // serialises add; reads do without
	ids holdersByID
}

// holdersByID is what holders needs of otter.Cache. It is an interface because every package that sees the type of a cache
// compiles all of otter anew.
type holdersByID interface {
	GetIfPresent(id hash.Hash32) (uint64, bool)
	Set(id hash.Hash32, nodes uint64) (uint64, bool)
	StopAllGoroutines() bool
}

// Limits of what holders remembers.
const (
	holdersMax = 1 << 17
	holdersTTL = time.Hour
)

func newHolders() *holders {
	return &holders{ids: otter.Must(&otter.Options[hash.Hash32, uint64]{
		MaximumSize:      holdersMax,
		ExpiryCalculator: otter.ExpiryWriting[hash.Hash32, uint64](holdersTTL),
		Executor:         func(maintain func()) { maintain() },
	})}
}

func (h *holders) close() { h.ids.StopAllGoroutines() }

// add remembers that nodes accepted a transaction.
func (h *holders) add(id hash.Hash32, nodes uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, _ := h.ids.GetIfPresent(id)
	h.ids.Set(id, before|nodes)
}

// nodes returns the nodes that accepted the transaction with this id in hex; none if it is unknown.
func (h *holders) nodes(text string) uint64 {
	id, err := hash.Parse32(text)
	if err != nil {
		return 0
	}
	nodes, _ := h.ids.GetIfPresent(id)
	return nodes
}
