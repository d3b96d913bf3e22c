package follow

import (
	"context"
	"runtime/debug"

	"strata/projections"
)

// largeContent is the size of the smallest event that is folded alone in this process, in bytes of its body: only the genesis block
// of a network is so large. A fold holds several times its size in memory, rows of hundreds of thousands of accounts, and all
// followers of a new database come to it at the same time.
const largeContent = 16 << 20

// largeMemory is the memory that this process keeps to while something large is folded, as far as it can: garbage is collected as
// often as that takes, in place of when the heap has doubled.
const largeMemory = 480 << 20

// turns lets one follower of a process at a time fold what is large.
type turns chan struct{}

func newTurns() turns { return make(turns, 1) }

// take waits for a turn if there is large content among items. done ends the turn, and gives the memory of the fold back to
// the system, so that the next one does not come on top of it.
func take[T projections.Item](ctx context.Context, t turns, items []T) (done func(), err error) {
	large := false
	for _, item := range items {
		large = large || contentSize(item) >= largeContent
	}
	if !large {
		return func() {}, nil
	}
	select {
	case t <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	debug.FreeOSMemory() // what reading and decoding have left
	limit := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(limit, largeMemory))
	return func() {
		debug.SetMemoryLimit(limit)
		debug.FreeOSMemory()
		<-t
	}, nil
}

// contentSize returns the size of the event whose content a fold reads.
func contentSize(item projections.Item) int64 {
	switch i := any(item).(type) {
	case projections.LogItem:
		return i.Size
	case projections.Step:
		if i.Block != nil {
			return i.Block.BodySize
		}
	}
	return 0
}
