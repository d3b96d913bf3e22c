package jobqueue

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Slots bounds the jobs of each queue that make requests at the same time.
type Slots map[string]*semaphore.Weighted

// NewSlots returns this many slots of each queue.
func NewSlots(most map[string]int) Slots {
	s := Slots{}
	for queue, n := range most {
		s[queue] = semaphore.NewWeighted(int64(n))
	}
	return s
}

// Acquire waits for a free slot, for at most timeout. The caller must return the slot with release, which may be called
// twice.
func (s Slots) Acquire(ctx context.Context, queue string, timeout time.Duration) (release func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if s[queue].Acquire(ctx, 1) != nil {
		return nil, false
	}
	return sync.OnceFunc(func() { s[queue].Release(1) }), true
}
