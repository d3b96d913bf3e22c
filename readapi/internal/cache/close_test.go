package cache_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/redistest"
	"strata/readapi/internal/cache"
)

// goroutines of this package and of otter.
func goroutines() string {
	buffer := make([]byte, 1<<20)
	var ours []string
	for _, stack := range strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if strings.Contains(stack, "strata/readapi/internal/cache.") || strings.Contains(stack, "otter") {
			ours = append(ours, stack)
		}
	}
	return strings.Join(ours, "\n\n")
}

// TestCloseEndsGoroutines isn't parallel, so that there are no others' goroutines.
func TestCloseEndsGoroutines(t *testing.T) {
	server := redistest.New(t)
	c := cache.New(cache.NeverSlow(cache.Config[*text]{Redis: open(t, server.URL()), Parse: parseText}))
	b := &bench{t: t, cache: c, registry: prometheus.NewRegistry()}
	for range 20 {
		b.ask()
	}
	if goroutines() == "" {
		t.Error("the test doesn't recognize the goroutines of an open cache")
	}
	server.Stop() // a breaker that opens has a probe to stop
	for range 10 {
		b.ask()
	}
	c.Close()
	c.Close()
	eventually.Holds(t, "the cache's goroutines end", func() bool { return goroutines() == "" })
	b.ask() // memory and maker go on
}

func TestCloseStoresWhatWaits(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	registry := prometheus.NewRegistry()
	c := start(t, cache.Patient(cache.Config[*text]{Redis: openPatient(t, server.URL()), Registerer: registry}))
	var m maker
	for i := range 200 {
		keys := newKeys()
		mustDo(t, c, keys, m.make(keys.Current, fmt.Sprint(i)))
	}
	c.Close()
	check.Equal(t, "values stored when Close returned", metric(t, registry, "stores_total"), 200)
	check.Equal(t, "entries of a closed cache", metric(t, registry, "entries"), 0)
}

func TestFullQueueDrops(t *testing.T) {
	t.Parallel()
	for name, queue := range map[string]struct {
		length int
		bytes  int64
	}{"by count": {1, 1 << 20}, "by bytes": {1000, 120}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.New(t)
			registry := prometheus.NewRegistry()
			c := start(t, cache.Queue(cache.Patient(cache.Config[*text]{Redis: openPatient(t, server.URL()), Registerer: registry}), queue.length, queue.bytes))
			dropped := func() float64 { return metric(t, registry, "dropped_stores_total", "queue full") }
			var m maker
			asks := 0.0
			body := strings.Repeat("x", 80)
			for deadline := time.Now().Add(2 * time.Minute); dropped() == 0 && time.Now().Before(deadline); {
				done := make(chan struct{})
				const callers = 32
				for range callers {
					go func() {
						defer func() { done <- struct{}{} }()
						keys := newKeys()
						if value, err := c.Do(t.Context(), keys, m.make(keys.Current, body)); err != nil || value.string != body {
							t.Errorf("got %v, %v", value, err)
						}
					}()
				}
				for range callers {
					<-done
				}
				asks += callers
			}
			if dropped() == 0 {
				t.Error("nothing was dropped")
			}
			c.Close()
			if stored := metric(t, registry, "stores_total"); stored == 0 || stored+dropped() != asks {
				t.Errorf("of %v values, %v were stored and %v dropped", asks, stored, dropped())
			}
		})
	}
}
