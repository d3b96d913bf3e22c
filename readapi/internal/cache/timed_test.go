package cache_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/redistest"
	"strata/readapi/internal/cache"
)

const timedBytes = 1 << 20

func TestTimedInMemory(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	timed := start(t, cache.Config[*text]{TimedBytes: timedBytes, Registerer: registry}).Timed()
	key := newKey()
	if value, ok := timed.Get(key); ok {
		t.Fatalf("an empty cache has %q", value)
	}
	if value, ok := timed.Find(t.Context(), key); ok {
		t.Fatalf("without a Redis it found %q", value)
	}
	timed.Set(key, []byte("first"), time.Hour)
	if value, ok := timed.Get(key); !ok || string(value) != "first" {
		t.Errorf("got %q, %v", value, ok)
	}
	timed.Set(key, []byte("second"), time.Hour) // unlike an answer that is made of its key, it may change
	if value, ok := timed.Get(key); !ok || string(value) != "second" {
		t.Errorf("got %q, %v, want the later value", value, ok)
	}
	timed.Set(key, []byte("brief"), 20*time.Millisecond)
	eventually.Holds(t, "its time is over", func() bool {
		_, ok := timed.Get(key)
		return !ok
	})
	timed.Remember(key, []byte("again"), time.Hour)
	if value, ok := timed.Get(key); !ok || string(value) != "again" {
		t.Errorf("after its time: got %q, %v, want the new value", value, ok)
	}
	for _, ttl := range []time.Duration{0, -time.Second} {
		other := newKey()
		timed.Set(other, []byte("x"), ttl)
		timed.Remember(other, []byte("x"), ttl)
		if _, ok := timed.Get(other); ok {
			t.Errorf("a value is kept for %v", ttl)
		}
	}
	// What is too large is not kept, and the value before it is not right any more.
	timed.Set(key, bytes.Repeat([]byte("x"), timedBytes/8), time.Hour)
	if _, ok := timed.Get(key); ok {
		t.Error("an eighth of the memory is one value's")
	}
	if hits, misses := metric(t, registry, "hits_total", "memory"), metric(t, registry, "misses_total"); hits < 3 || misses != 1 {
		t.Errorf("%v hits, %v misses", hits, misses)
	}
}

// The bound holds, and a cache that was given no memory keeps nothing.
func TestTimedMemoryBound(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	timed := start(t, cache.Config[*text]{TimedBytes: timedBytes, Registerer: registry}).Timed()
	for range 2000 {
		timed.Set(newKey(), make([]byte, 2<<10), time.Hour)
	}
	if held := metric(t, registry, "bytes"); held > timedBytes || held < timedBytes/2 {
		t.Errorf("%v bytes are held, want about %v", held, timedBytes)
	}
	none := start(t, cache.Config[*text]{}).Timed()
	key := newKey()
	none.Set(key, []byte("x"), time.Hour)
	if _, ok := none.Get(key); ok {
		t.Error("it was given no memory, and has a value")
	}
}

// What one process has set, another finds, for as long as is left of its time.
func TestTimedInRedis(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	registry := prometheus.NewRegistry()
	open := func(registry *prometheus.Registry) *cache.Timed {
		return start(t, cache.Patient(cache.Config[*text]{Redis: openPatient(t, server.URL()), Registerer: registry, TimedBytes: timedBytes})).Timed()
	}
	first, second := open(prometheus.NewRegistry()), open(registry)
	key, brief, kept := newKey(), newKey(), newKey()
	first.Set(key, []byte("value"), time.Hour)
	first.Remember(kept, []byte("value"), time.Hour)
	waitStored(t, server, key)
	if _, ok := second.Get(key); ok {
		t.Error("it is in the memory of a process that has not looked")
	}
	value, ok := second.Find(t.Context(), key)
	if !ok || string(value) != "value" {
		t.Fatalf("the second process found %q, %v", value, ok)
	}
	if value, ok = second.Get(key); !ok || string(value) != "value" {
		t.Errorf("after it was found: %q, %v", value, ok)
	}
	if _, ok := second.Find(t.Context(), kept); ok {
		t.Error("what is one process's alone is in Redis")
	}
	first.Set(brief, []byte("value"), 2*time.Second)
	eventually.Holds(t, "it is in Redis, or its time is over", func() bool {
		_, found := second.Find(t.Context(), brief)
		_, left := first.Get(brief)
		return found || !left
	})
	eventually.Holds(t, "its time is over in both", func() bool {
		_, inFirst := first.Get(brief)
		_, inSecond := second.Get(brief)
		return !inFirst && !inSecond
	})
	eventually.Holds(t, "and in Redis", func() bool {
		_, ok := second.Find(t.Context(), brief)
		return !ok
	})
	if hits := metric(t, registry, "hits_total", "redis"); hits < 1 {
		t.Errorf("%v hits in Redis", hits)
	}
	large := newKey()
	first.Set(large, make([]byte, cache.ValueBytesMax+1), time.Hour)
	if _, ok := second.Find(t.Context(), large); ok {
		t.Error("a value that is too large is in Redis")
	}
}

// A Redis that is gone costs nothing but the other tier, also after the end.
func TestTimedWithoutItsRedis(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	c := start(t, cache.Config[*text]{Redis: open(t, server.URL()), TimedBytes: timedBytes})
	server.Stop()
	key := newKey()
	begin := time.Now()
	for range 20 {
		c.Timed().Set(key, []byte("value"), time.Hour)
		if _, ok := c.Timed().Find(context.Background(), newKey()); ok {
			t.Fatal("found something in a Redis that is gone")
		}
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("20 calls took %v", took)
	}
	c.Close()
	c.Timed().Set(key, []byte("later"), time.Hour)
	if value, ok := c.Timed().Get(key); !ok || string(value) != "later" {
		t.Errorf("after the end: got %q, %v", value, ok)
	}
	if _, ok := c.Timed().Find(context.Background(), newKey()); ok {
		t.Error("found something after the end")
	}
}
