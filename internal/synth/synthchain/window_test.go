package synthchain

import (
	"runtime"
	"testing"
)

// TestMemoryIsBounded generates a long chain and checks how much the generator keeps.
func TestMemoryIsBounded(t *testing.T) {
	blocks := 6000
	if testing.Short() {
		blocks = 2000
	}
	cfg := Everything(30, Newest)
	cfg.ForgetHistory, cfg.SigningSample, cfg.NakamotoFromHeight = true, 1000, 200
	cfg.Mix = Mix{Transfer: 1} // with other kinds the live state grows
	c := New(cfg)
	limit := int(10 * c.window()) // orphaned ones included
	var before, after runtime.MemStats
	for grown := 0; grown < blocks; {
		p := c.Next()
		if p.Path != "/new_block" {
			continue
		}
		grown++
		if len(c.blocks) > limit || len(c.burns) > 4*limit || len(c.queue) > 500 || len(c.delayed) > 50 || len(c.history.posts) > 1 {
			t.Fatalf("after %d blocks: %d blocks, %d burn blocks, %d queued, %d delayed, %d final posts",
				grown, len(c.blocks), len(c.burns), len(c.queue), len(c.delayed), len(c.history.posts))
		}
		if n := len(c.model.Reward.Rows); n > cfg.Maturity+limit {
			t.Fatalf("after %d blocks %d rewards wait", grown, n)
		}
		if grown == blocks/2 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+8<<20 {
		t.Errorf("heap grew from %d to %d bytes in the second half", before.HeapAlloc, after.HeapAlloc)
	}
	if got := c.Tip().Height; got < uint64(blocks/3) {
		t.Errorf("tip is at height %d after %d blocks", got, blocks)
	}
}
