package cache_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/redistest"
	"strata/readapi/internal/cache"
)

// Values that were swapped between keys in Redis are never served under the wrong key.
func TestSwappedValues(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	registry := prometheus.NewRegistry()
	first := patient(t, server.URL(), prometheus.NewRegistry())
	second := patient(t, server.URL(), registry)
	client := redistest.Client(t, server)
	keys := []cache.Keys{{Current: newKey()}, {Current: newKey()}}
	bodies := []string{"one", "two"}
	timed := []cache.Key{newKey(), newKey()}
	for i := range keys {
		var m maker
		mustDo(t, first, keys[i], m.make(keys[i].Current, bodies[i]))
		first.Timed().Set(timed[i], []byte(bodies[i]), time.Hour)
	}
	for _, pair := range [][2]string{
		{cache.RedisKey(keys[0].Current), cache.RedisKey(keys[1].Current)}, {cache.RedisKey(timed[0]), cache.RedisKey(timed[1])},
	} {
		values := [2]string{}
		for i, key := range pair {
			eventually.Holds(t, "the value is stored", func() bool {
				values[i] = client.Get(t.Context(), key).Val()
				return values[i] != ""
			})
		}
		for i, key := range pair {
			must.Do(t, client.Set(t.Context(), key, values[1-i], 0).Err())
		}
	}
	for i := range keys {
		var m maker
		if got := mustDo(t, second, keys[i], m.make(keys[i].Current, bodies[i])); got != bodies[i] || m.count.Load() != 1 {
			t.Errorf("key %d: got %q after %d makes, want %q made anew", i, got, m.count.Load(), bodies[i])
		}
		if got, ok := second.Timed().Find(t.Context(), timed[i]); ok {
			t.Errorf("timed key %d: got %q", i, got)
		}
	}
	if got := metric(t, registry, "errors_total", "misnamed"); got < 4 {
		t.Errorf("%v values counted as misnamed, want at least 4", got)
	}
}
