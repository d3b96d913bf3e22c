package decode

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/nodeevent"
	"strata/eventstore"
	"strata/internal/instrument"
	"strata/projections"
)

// Decoding 1,000 transactions takes 6 ms; appending them takes 10. So a block is decoded while it is appended, and a follower finds it
// decoded.

// aheadMin is the size in bytes of the smallest block that is decoded early.
const aheadMin = 64 << 10

// aheadPatience is how long a block that was decoded ahead is kept for its reader. It is not read if its append fails, or waits
// behind many others.
const aheadPatience = 10 * time.Second

var blockPaths = withSlash(nodeevent.PathBlock)

// ahead has the block that is decoded ahead. There is one at a time: while readers are behind, others would wait in memory for long.
type ahead struct {
	read prometheus.Counter

	mu    sync.Mutex
	block *aheadBlock // nil for none
}

// aheadBlock is a block that has no position yet.
type aheadBlock struct {
	path   string
	body   []byte
	done   chan struct{} // closed when item is there
	item   projections.LogItem
	expiry *time.Timer
}

// Ahead returns a function that decodes an event that is about to be appended, if it is a large block and no other waits for its
// reader, and counts those that were read. It does not wait. Call Ahead before events are decoded.
func (d *Decoder) Ahead(registry prometheus.Registerer) func(*eventstore.Incoming) {
	d.ahead.read = instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "strata", Subsystem: "projection", Name: "decoded_ahead_total", Help: "Large blocks that were decoded while they were appended.",
	}))
	return d.expect
}

func (d *Decoder) expect(in *eventstore.Incoming) {
	body, ok := in.Body.Bytes()
	if !ok || len(body) < aheadMin || !slices.Contains(blockPaths, in.Path) {
		return
	}
	b := &aheadBlock{path: in.Path, body: body, done: make(chan struct{})}
	if !d.ahead.put(b) {
		return
	}
	go func() {
		defer close(b.done)
		b.item = decodeEvent(&eventstore.Event{Path: b.path, Size: int64(len(body)), Body: body})
		if b.item.Block != nil {
			_ = projections.Recovered(func() error { // the next reader gets the error
				b.item.Block.Deployments()
				return nil
			})
		}
	}()
}

// put reports whether there was room for a block.
func (a *ahead) put(b *aheadBlock) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.block != nil {
		return false
	}
	b.expiry = time.AfterFunc(aheadPatience, func() { a.drop(b) })
	a.block = b
	return true
}

func (a *ahead) drop(b *aheadBlock) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.block == b {
		a.block = nil
	}
}

// take returns the content of an event, if it was decoded ahead. It belongs to the caller.
func (a *ahead) take(event *eventstore.Event) (item projections.LogItem, ok bool) {
	a.mu.Lock()
	b := a.block
	if b == nil || b.path != event.Path || !bytes.Equal(b.body, event.Body) {
		a.mu.Unlock()
		return item, false
	}
	a.block = nil
	a.mu.Unlock()
	b.expiry.Stop()
	<-b.done
	a.read.Inc()
	item = b.item
	item.Seq = event.Seq
	if item.Block != nil {
		item.Block.Seq = event.Seq
	}
	return item, true
}
