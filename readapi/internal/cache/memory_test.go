package cache_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/internal/testkit/short"
	"strata/readapi/internal/cache"
)

func keyOf(i int) (key cache.Key) {
	binary.LittleEndian.PutUint64(key[:], uint64(i)*0x9E3779B97F4A7C15)
	binary.LittleEndian.PutUint64(key[8:], uint64(i)+1)
	return key
}

// heap is what is in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	runtime.GC() // pools let go of what they hold at the third
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestMemoryBound fills the map with small values, where what is not theirs weighs the most, under ever new keys.
func TestMemoryBound(t *testing.T) {
	short.Skip(t, "fills a Redis")
	bound, entries := int64(32<<20), 2_000_000
	if raceDetector { // which makes it twenty times slower
		bound, entries = 2<<20, 50_000
	}
	for _, size := range []int{0, 50, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			entries := entries * 100 / (size + 100)
			before := heap()
			evicted := 0
			memory := cache.NewMemory(bound, func(key cache.Key, b []byte) int { return len(key) + 24 + cap(b) }, func() { evicted++ })
			for i := range entries {
				memory.Set(keyOf(i), make([]byte, size))
			}
			if memory.Bytes() > bound {
				t.Errorf("the map says that it holds %d bytes, more than %d", memory.Bytes(), bound)
			}
			held := heap() - before
			t.Logf("%d entries of %d stayed, in %.2f of the bound", memory.Len(), entries, float64(held)/float64(bound))
			if held > bound*3/2 || held < bound/2 {
				t.Errorf("%d bytes of heap for a bound of %d", held, bound)
			}
			check.Equal(t, "evictions", evicted, entries-memory.Len())
			runtime.KeepAlive(memory)
		})
	}
}

func TestMemoryLargeValue(t *testing.T) {
	t.Parallel()
	memory := cache.NewMemory(1<<20, func(_ string, s string) int { return len(s) }, nil)
	memory.Set("fits", strings.Repeat("x", 1<<16))
	memory.Set("doesn't", strings.Repeat("x", 1<<16+1))
	if _, ok := memory.Get("fits"); !ok {
		t.Error("a value of a sixteenth of the bound isn't kept")
	}
	if _, ok := memory.Get("doesn't"); ok {
		t.Error("a value over a sixteenth of the bound is kept")
	}
}

// Values that become heavier push others out, as if they had been that heavy from the start.
func TestMemoryReweigh(t *testing.T) {
	t.Parallel()
	const bound, light, heavy = 1 << 20, 1000, 10_000
	weights := map[int]int{}
	memory := cache.NewMemory(bound, func(_ int, n int) int { return weights[n] }, nil)
	for n := range 500 {
		weights[n] = light
		memory.Set(n, n)
	}
	before := memory.Bytes()
	memory.Reweigh(1000) // which is not there
	for n := range 500 {
		if _, ok := memory.Get(n); !ok {
			t.Fatalf("value %d is gone too early", n)
		}
	}
	weights[7] = heavy
	memory.Reweigh(7)
	check.Equal(t, "bytes heavier", memory.Bytes()-before, heavy-light)
	for n := range 500 {
		weights[n] = heavy
		memory.Reweigh(n)
	}
	if memory.Bytes() > bound || memory.Len() > bound/heavy {
		t.Errorf("%d values of %d bytes stay, %d bytes in all", memory.Len(), heavy, memory.Bytes())
	}
}

// TestHotNewcomerStays is a block's arrival: the map is full of what was asked for often, and all at once other keys are
// asked for instead, among many that are asked for once.
func TestHotNewcomerStays(t *testing.T) {
	t.Parallel()
	const size = 1000
	memory := cache.NewMemory(4<<20, func(_ cache.Key, b []byte) int { return size }, nil)
	next := 0
	ask := func(key cache.Key) bool {
		_, ok := memory.Get(key)
		if !ok {
			memory.Set(key, nil)
		}
		return ok
	}
	hot := make([]cache.Key, 20)
	rounds := func(n int) (hits int) {
		for range n {
			for _, key := range hot {
				if ask(key) {
					hits++
				}
				next++
				ask(keyOf(next)) // asked for once
			}
		}
		return hits
	}
	for range 5 { // five blocks, each of which leaves what was hot before
		for i := range hot {
			next++
			hot[i] = keyOf(next)
		}
		rounds(5)
		if hits := rounds(50); hits < 50*len(hot)*95/100 {
			t.Errorf("the hot keys of a new block were found %d of %d times", hits, 50*len(hot))
		}
	}
}

func TestGetAllocatesNothing(t *testing.T) {
	c := start(t, cache.Config[*text]{})
	keys := newKeys()
	var m maker
	mustDo(t, c, keys, m.make(keys.Current, "body"))
	if n := testing.AllocsPerRun(1000, func() {
		if _, ok := c.Get(keys); !ok {
			t.Fatal("it isn't there")
		}
	}); n != 0 {
		t.Errorf("Get allocates %v times", n)
	}
}

func BenchmarkGet(b *testing.B) {
	c := start(b, cache.Config[*text]{})
	keys := newKeys()
	var m maker
	mustDo(b, c, keys, m.make(keys.Current, "body"))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.Get(keys)
		}
	})
}

// BenchmarkDistinct puts ten million keys that are asked for once through a bound of 64 MiB, and says how much the heap
// grew at most.
func BenchmarkDistinct(b *testing.B) {
	const bound, distinct, size = 64 << 20, 10_000_000, 1000
	var grown int64
	for b.Loop() {
		before := heap()
		memory := cache.NewMemory(bound, func(_ cache.Key, v []byte) int { return len(v) }, nil)
		for n := range distinct {
			memory.Set(keyOf(n), make([]byte, size))
			if n%(distinct/20) == 0 {
				grown = max(grown, heap()-before)
			}
		}
		grown = max(grown, heap()-before)
		runtime.KeepAlive(memory)
	}
	b.ReportMetric(float64(grown)/bound, "heap/bound")
}
