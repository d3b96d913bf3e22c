// Package commit describes what a transaction of projections has changed, so that readers in the same process learn it
// without a query.
package commit

import (
	"sync"

	"strata/domain/hash"
	"strata/domain/schema"
)

// Move is what a transaction has changed of one version of a projection.
type Move struct {
	Version schema.Schema
	// Epoch distinguishes the version from an earlier one with the same name and number.
	Epoch [16]byte
	// From and To are the positions in the version's input before and after.
	From, To int64
	// LogSeq is the event of the log that corresponds to To.
	LogSeq int64
	// Tip is that of the version's rows; nil before the first block.
	Tip *Tip
	// Shards are those that have changed; see package shard. With AllShards, any may have.
	Shards    []int32
	AllShards bool
}

// Tip is the newest block of some rows.
type Tip struct {
	Height, BurnBlockHeight   int64
	IndexBlockHash, BlockHash hash.Hash32
	// HistoryFrom is the height at which the chain begins, if that is above genesis; nil for a whole history. Only the
	// projection chain knows it.
	HistoryFrom *int64
}

// FeedSize is the maximum number of transactions that wait in a Feed.
const FeedSize = 256

// Feed hands transactions that have committed to one reader, in order. It is safe for concurrent use.
type Feed struct {
	mu       sync.Mutex
	waiting  [][]Move
	overflow bool
	signal   chan struct{}
}

// NewFeed returns an empty feed.
func NewFeed() *Feed { return &Feed{signal: make(chan struct{}, 1)} }

// Publish adds a transaction. When the reader is too slow, it learns only that it has missed something.
func (f *Feed) Publish(transaction []Move) {
	f.mu.Lock()
	if len(f.waiting) == FeedSize {
		f.waiting, f.overflow = nil, true
	}
	f.waiting = append(f.waiting, transaction)
	f.mu.Unlock()
	select {
	case f.signal <- struct{}{}:
	default:
	}
}

// C returns a channel that receives a value after a Publish.
func (f *Feed) C() <-chan struct{} { return f.signal }

// Take removes and returns all transactions. complete is false if some before them were lost.
func (f *Feed) Take() (transactions [][]Move, complete bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	transactions, complete = f.waiting, !f.overflow
	f.waiting, f.overflow = nil, false
	return transactions, complete
}
