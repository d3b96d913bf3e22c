package synthordinals

import (
	"bytes"
	"testing"

	"strata/domain/ordinals"
)

// BenchmarkFeed measures blocks per second.
func BenchmarkFeed(b *testing.B) {
	busy := Config{Seed: 1, Reveals: Range{Min: 1000, Max: 1000}, Transfers: Range{Min: 300, Max: 300}, Live: 20_000}
	for _, tc := range []struct {
		name string
		cfg  Config
	}{{"calm", Config{Seed: 1}}, {"everything", Everything(1, ordinals.Regtest)}, {"busy", busy}} {
		b.Run(tc.name, func(b *testing.B) {
			tc.cfg.ForgetHistory = true
			f := New(tc.cfg)
			size, blocks := 0, 0
			b.ReportAllocs()
			b.ResetTimer()
			for blocks < b.N {
				p := f.Next()
				size += len(p.Body)
				blocks += bytes.Count(p.Body, []byte(`"timestamp":`))
			}
			b.SetBytes(int64(size / blocks))
			b.ReportMetric(float64(blocks)/b.Elapsed().Seconds(), "blocks/s")
		})
	}
}

// BenchmarkExpected measures the computation of the state of a thousand blocks.
func BenchmarkExpected(b *testing.B) {
	f := New(Everything(1, ordinals.Regtest))
	for len(f.canonical) < 1000 {
		f.Next()
	}
	b.ReportAllocs()
	for b.Loop() {
		f.Expected()
	}
}
