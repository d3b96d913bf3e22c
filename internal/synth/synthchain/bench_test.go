package synthchain

import (
	"testing"
)

// BenchmarkBlocks measures blocks and bytes per second, with ten transactions per block and little else.
func BenchmarkBlocks(b *testing.B) {
	for _, tc := range []struct {
		name   string
		sample int
	}{{"signed", 1}, {"every tenth signed", 10}, {"unsigned", 1 << 30}} {
		b.Run(tc.name, func(b *testing.B) {
			c := New(Config{
				Seed: 1, Nakamoto: true, TxPerBlock: Range{Min: 10, Max: 10}, Accounts: 1000, SigningSample: tc.sample, ForgetHistory: true,
				ForkProbability: 0.02,
			})
			bytes, blocks := 0, 0
			b.ReportAllocs()
			b.ResetTimer()
			for blocks < b.N {
				p := c.Next()
				bytes += len(p.Body)
				if p.Path == "/new_block" {
					blocks++
				}
			}
			b.SetBytes(int64(bytes / max(blocks, 1)))
			b.ReportMetric(float64(blocks)/b.Elapsed().Seconds(), "blocks/s")
		})
	}
}

// BenchmarkEverything measures one post of the busiest configuration.
func BenchmarkEverything(b *testing.B) {
	cfg := Everything(1, Newest)
	cfg.ForgetHistory = true
	c := New(cfg)
	b.ReportAllocs()
	for b.Loop() {
		c.Next()
	}
}
