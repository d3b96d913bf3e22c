package cache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/redistest"
	"strata/readapi/internal/cache"
)

// patient starts a cache that no busy machine hurries.
func patient(t testing.TB, url string, registry *prometheus.Registry) *cache.Cache[*text] {
	t.Helper()
	return start(t, cache.Patient(cache.Config[*text]{Redis: openPatient(t, url), Registerer: registry}))
}

func TestTiers(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	registry := prometheus.NewRegistry()
	first, second := patient(t, server.URL(), prometheus.NewRegistry()), patient(t, server.URL(), registry)
	for name, choose := range map[string]func(cache.Keys) cache.Key{
		"lasting": func(k cache.Keys) cache.Key { return k.Lasting },
		"current": func(k cache.Keys) cache.Key { return k.Current },
	} {
		keys := newKeys()
		var m maker
		mustDo(t, first, keys, m.make(choose(keys), name))
		waitStored(t, server, choose(keys))
		if _, ok := second.Get(keys); ok {
			t.Errorf("%s: it is in the second cache's memory before it asked for it", name)
		}
		for range 2 {
			check.Equal(t, name+": the second cache", mustDo(t, second, keys, m.make(choose(keys), "made again")), name)
		}
		check.Equal(t, name+": times made", m.count.Load(), 1)
	}
	for tier, want := range map[string]float64{"redis": 2, "memory": 2} {
		check.Equal(t, "hits in "+tier, metric(t, registry, "hits_total", tier), want)
	}
	check.Equal(t, "questions to Redis for 2 requests that memory couldn't answer", metric(t, registry, "redis_seconds", "get"), 2)
}

func TestTTL(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	config := cache.Patient(cache.Config[*text]{Redis: openPatient(t, server.URL()), TTL: time.Minute})
	c := start(t, config)
	for _, ttl := range []time.Duration{0, cache.TTLImmutable} {
		keys := newKeys()
		must.Get(c.Do(t.Context(), keys, func(context.Context) (cache.Made[*text], error) {
			return cache.Made[*text]{Key: keys.Current, Value: &text{"x"}, Keep: true, TTL: ttl}, nil
		}))(t)
		waitStored(t, server, keys.Current)
		want := ttl
		if want == 0 {
			want = time.Minute
		}
		got := redistest.Client(t, server).PTTL(t.Context(), cache.RedisKey(keys.Current)).Val()
		if got > want || got < want-30*time.Second {
			t.Errorf("TTL %v is %v in Redis, want %v", ttl, got, want)
		}
	}
}

// TestMadeOnce has two processes' worth of callers ask for the same at the same time.
func TestMadeOnce(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	registry := prometheus.NewRegistry()
	caches := []*cache.Cache[*text]{patient(t, server.URL(), registry), patient(t, server.URL(), registry)}
	for round := range 20 {
		keys := newKeys()
		m := maker{take: time.Duration(round%4) * 5 * time.Millisecond}
		body := fmt.Sprint(round)
		var callers sync.WaitGroup
		begin := make(chan struct{})
		for i := range 128 {
			callers.Go(func() {
				<-begin
				value, err := caches[i%2].Do(t.Context(), keys, m.make(keys.Current, body))
				if err != nil || value.string != body {
					t.Errorf("got %v, %v", value, err)
				}
			})
		}
		close(begin)
		callers.Wait()
		check.Equal(t, fmt.Sprintf("round %d: times made for 128 callers in two caches", round), m.count.Load(), 1)
	}
	check.Equal(t, "misses for 20 values", metric(t, registry, "misses_total"), 20)
}

// TestMakerFails has a second process wait for a maker that fails, or whose value can't be shared: it goes on when the
// first has given up its turn, long before it would be tired of waiting.
func TestMakerFails(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	other := newKey()
	for name, made := range map[string]func(cache.Keys) (cache.Made[*text], error){
		"error": func(cache.Keys) (cache.Made[*text], error) { return cache.Made[*text]{}, errors.New("no database") },
		"panic": func(cache.Keys) (cache.Made[*text], error) { panic("no database") },
		"not kept": func(k cache.Keys) (cache.Made[*text], error) {
			return cache.Made[*text]{Key: k.Current, Value: &text{"x"}}, nil
		},
		"another key": func(cache.Keys) (cache.Made[*text], error) {
			return cache.Made[*text]{Key: other, Value: &text{"x"}, Keep: true}, nil
		},
		"too large": func(k cache.Keys) (cache.Made[*text], error) {
			return cache.Made[*text]{Key: k.Current, Value: &text{strings.Repeat("x", cache.ValueBytesMax)}, Keep: true}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry := prometheus.NewRegistry()
			first, second := patient(t, server.URL(), prometheus.NewRegistry()), patient(t, server.URL(), registry)
			keys := newKeys()
			entered, fail := make(chan struct{}), make(chan struct{})
			var callers sync.WaitGroup
			callers.Go(func() {
				_, _ = first.Do(t.Context(), keys, func(context.Context) (cache.Made[*text], error) {
					close(entered)
					<-fail
					return made(keys)
				})
			})
			<-entered
			var m maker
			callers.Go(func() {
				check.Equal(t, "the second process", mustDo(t, second, keys, m.make(keys.Current, "body")), "body")
			})
			eventually.Holds(t, "the second process polls", func() bool { return metric(t, registry, "redis_seconds", "poll") > 0 })
			if m.count.Load() != 0 {
				t.Error("the second process didn't wait for the first")
			}
			close(fail)
			callers.Wait()
			check.Equal(t, "waits that ended with the release of the turn", metric(t, registry, "waits_total", "released"), 1)
		})
	}
}

// TestMakerDies leaves a lock behind: others wait for a while, and then make the value themselves.
func TestMakerDies(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	registry := prometheus.NewRegistry()
	c := start(t, cache.Tired(cache.Config[*text]{Redis: openPatient(t, server.URL()), Registerer: registry}))
	keys := newKeys()
	lock := cache.RedisLock(keys)
	client := redistest.Client(t, server)
	must.Do(t, client.Set(t.Context(), lock, "of a process that is gone", time.Minute).Err())
	var m maker
	begin := time.Now()
	check.Equal(t, "body", mustDo(t, c, keys, m.make(keys.Current, "body")), "body")
	if took := time.Since(begin); took > time.Minute/2 { // by when the lock would not have ended
		t.Errorf("waited %v for a maker that is gone", took)
	}
	check.Equal(t, "waits that took too long", metric(t, registry, "waits_total", "too long"), 1)
	waitStored(t, server, keys.Current)
	check.Equal(t, "another's lock", client.Get(t.Context(), lock).Val(), "of a process that is gone")
}

func TestCluster(t *testing.T) {
	t.Parallel()
	testHits(t, redistest.NewCluster(t).URL())
}

func TestSentinel(t *testing.T) {
	t.Parallel()
	testHits(t, redistest.NewSentinel(t).URL())
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	socket := t.TempDir() + "/redis.sock"
	redistest.New(t, "--unixsocket", socket)
	testHits(t, "unix://"+socket)
}

func TestPassword(t *testing.T) {
	t.Parallel()
	server := redistest.New(t, "--requirepass", "p@ss/word")
	testHits(t, "redis://:p%40ss%2Fword@"+server.Addr())
}

// testHits has one cache make many values, and another find them.
func testHits(t *testing.T, url string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	first, second := patient(t, url, registry), patient(t, url, prometheus.NewRegistry())
	var m maker
	const values = 50 // of many slots
	var all []cache.Keys
	for i := range values {
		keys := newKeys()
		all = append(all, keys)
		mustDo(t, first, keys, m.make(keys.Current, fmt.Sprint(i)))
	}
	eventually.Holds(t, "all values are stored", func() bool { return metric(t, registry, "stores_total") == values })
	for i, keys := range all {
		check.Equal(t, fmt.Sprint("value ", i), mustDo(t, second, keys, m.make(keys.Current, "made again")), fmt.Sprint(i))
	}
	check.Equal(t, "times made", m.count.Load(), values)
}

// waitStored waits until a value is in Redis.
func waitStored(t testing.TB, server *redistest.Server, key cache.Key) {
	t.Helper()
	client := redistest.Client(t, server)
	eventually.Holds(t, "the value is stored", func() bool {
		return client.Exists(t.Context(), cache.RedisKey(key)).Val() == 1
	})
}
