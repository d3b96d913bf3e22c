package synthchain

import (
	"runtime"
	"testing"
)

// TestMemoryIsBounded makes a long chain and looks at what the generator holds on to.
func TestMemoryIsBounded(t *testing.T) {
	blocks := 6000
	if testing.Short() {
		blocks = 2000
	}
	cfg := Everything(30, Newest)
	cfg.ForgetHistory, cfg.SigningSample, cfg.NakamotoFromHeight = true, 1000, 200
	cfg.Mix = TransfersOnly() // other kinds let the live state grow
	c := New(cfg)
	limit := int(10 * c.window()) // orphaned ones included
	var before, after runtime.MemStats
	for made := 0; made < blocks; {
		p := c.Next()
		if p.Path != "/new_block" {
			continue
		}
		made++
		if len(c.blocks) > limit || len(c.burns) > 4*limit || len(c.queue) > 500 || len(c.delayed) > 50 || len(c.history.posts) > 1 {
			t.Fatalf("after %d blocks: %d blocks, %d burn blocks, %d queued, %d delayed, %d final posts",
				made, len(c.blocks), len(c.burns), len(c.queue), len(c.delayed), len(c.history.posts))
		}
		if n := len(c.model.reward.rows); n > cfg.Maturity+limit {
			t.Fatalf("after %d blocks %d rewards wait", made, n)
		}
		if made == blocks/2 {
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
