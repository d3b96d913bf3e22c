package importer

import (
	"sync/atomic"
	"time"
)

// counts collects the progress of the reader and the writer.
type counts struct {
	start  time.Time
	inputs []*input
	total  int64        // bytes of all files on disk; 0: unknown
	file   atomic.Int32 // index of the current input

	known, events, bytes atomic.Int64
}

func newCounts(inputs []*input) *counts {
	c := &counts{start: time.Now(), inputs: inputs}
	for _, in := range inputs {
		if in.size == 0 {
			c.total = 0
			return c
		}
		c.total += in.size
	}
	return c
}

func (c *counts) begin(i int) { c.file.Store(int32(i)) }

func (c *counts) status() Status {
	s := Status{
		File:       c.inputs[c.file.Load()].name,
		BytesTotal: c.total,
		Events:     c.events.Load(),
		Known:      c.known.Load(),
		Elapsed:    time.Since(c.start),
	}
	for _, in := range c.inputs {
		s.BytesDone += in.read.Load()
	}
	if c.total > 0 {
		s.BytesDone = min(s.BytesDone, c.total)
	}
	return s
}

// reportInterval is the time between two updates of a Progress.
const reportInterval = 200 * time.Millisecond

// report updates p until stop is called. stop returns after a last update.
func (c *counts) report(p Progress) (stop func()) {
	if p == nil {
		return func() {}
	}
	stopping, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(reportInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.Update(c.status())
			case <-stopping:
				p.Update(c.status())
				return
			}
		}
	}()
	return func() { close(stopping); <-stopped }
}
