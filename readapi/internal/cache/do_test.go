package cache_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/redistest"
	"strata/readapi/internal/cache"
)

func TestMemoryAlone(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	c := start(t, cache.Config[*text]{Registerer: registry})
	keys := newKeys()
	var m maker
	for range 3 {
		if got := mustDo(t, c, keys, m.make(keys.Current, "body")); got != "body" {
			t.Fatalf("got %q", got)
		}
	}
	check.Equal(t, "times made", m.count.Load(), 1)
	for name, want := range map[string]float64{"hits_total": 2, "misses_total": 1, "entries": 1} {
		check.Equal(t, name, metric(t, registry, name), want)
	}
	if bytes := metric(t, registry, "bytes"); bytes < 16+16+4+cache.Overhead/2 {
		t.Errorf("an entry is said to take %v bytes", bytes)
	}
}

func TestMadeUnderAnotherKey(t *testing.T) {
	t.Parallel()
	c := start(t, cache.Config[*text]{})
	asked, made := newKeys(), newKeys()
	var m maker
	mustDo(t, c, asked, m.make(made.Lasting, "later"))
	if _, ok := c.Get(asked); ok {
		t.Error("the answer is under the key that was asked for")
	}
	if value, ok := c.Get(made); !ok || value.string != "later" {
		t.Error("the answer isn't under its own key")
	}
}

func TestWhatIsntKept(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]cache.Made[*text]{
		"Keep is false": {Key: newKey(), Value: &text{"x"}},
		"no key":        {Value: &text{"x"}, Keep: true},
	} {
		c := start(t, cache.Config[*text]{})
		keys := cache.Keys{Lasting: made.Key, Current: newKey()}
		calls := 0
		for range 2 {
			mustDo(t, c, keys, func(context.Context) (cache.Made[*text], error) { calls++; return made, nil })
		}
		check.Equal(t, name+": times made for 2 requests", calls, 2)
	}
}

func TestNoKeysShareNothing(t *testing.T) {
	t.Parallel()
	c := start(t, cache.Config[*text]{})
	m := maker{take: 20 * time.Millisecond}
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			if _, err := c.Do(t.Context(), cache.Keys{}, m.make(cache.Key{}, "x")); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	check.Equal(t, "times made for 8 callers without keys", m.count.Load(), 8)
}

func TestErrorIsNotKept(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	c := start(t, cache.Patient(cache.Config[*text]{Redis: openPatient(t, server.URL())}))
	keys := newKeys()
	failure := errors.New("no database")
	_, err := c.Do(t.Context(), keys, func(context.Context) (cache.Made[*text], error) {
		return cache.Made[*text]{Key: keys.Current, Value: &text{"x"}, Keep: true}, failure
	})
	if !errors.Is(err, failure) {
		t.Fatalf("error %v, want %v", err, failure)
	}
	var m maker
	if got := mustDo(t, c, keys, m.make(keys.Current, "body")); got != "body" || m.count.Load() != 1 {
		t.Errorf("after an error: got %q, made %d times", got, m.count.Load())
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	c := start(t, cache.Patient(cache.Config[*text]{Redis: openPatient(t, server.URL())}))
	keys := newKeys()
	cause := errors.New("index out of range")
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			_, err := c.Do(t.Context(), keys, func(context.Context) (cache.Made[*text], error) {
				time.Sleep(20 * time.Millisecond)
				panic(cause)
			})
			var panicked *cache.PanicError
			if !errors.As(err, &panicked) || !errors.Is(err, cause) || !strings.Contains(err.Error(), "do_test.go") {
				t.Errorf("error %v, want a PanicError with the cause and the stack", err)
			}
		})
	}
	callers.Wait()
	var m maker
	check.Equal(t, "after a panic", mustDo(t, c, keys, m.make(keys.Current, "body")), "body")
}

func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	c := start(t, cache.Config[*text]{Registerer: registry})
	keys := newKeys()
	entered, finish := make(chan struct{}), make(chan struct{})
	makeIt := func(ctx context.Context) (cache.Made[*text], error) {
		close(entered)
		select {
		case <-finish:
		case <-ctx.Done():
		}
		return cache.Made[*text]{Key: keys.Current, Value: &text{"body"}, Keep: true}, ctx.Err()
	}
	type result struct {
		value *text
		err   error
	}
	call := func(ctx context.Context) <-chan result {
		results := make(chan result, 1)
		go func() {
			value, err := c.Do(ctx, keys, makeIt)
			results <- result{value, err}
		}()
		return results
	}
	ctx, leave := context.WithCancelCause(t.Context())
	first := call(ctx)
	<-entered
	second, third := call(ctx), call(t.Context())
	eventually.Holds(t, "two have joined", func() bool { return metric(t, registry, "joined_flights_total") >= 2 })
	leave(nil)
	if r := <-second; !errors.Is(r.err, context.Canceled) {
		t.Errorf("who waited and left got %v", r)
	}
	close(finish) // whoever has an answer before has an error
	for name, results := range map[string]<-chan result{"who makes it": first, "who stayed": third} {
		if r := <-results; r.err != nil || r.value.string != "body" {
			t.Errorf("%s got %v", name, r)
		}
	}
}

// A maker that ends its goroutine leaves nobody waiting.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	c := start(t, cache.Config[*text]{Registerer: registry})
	keys := newKeys()
	entered := make(chan struct{})
	go func() {
		_, _ = c.Do(t.Context(), keys, func(context.Context) (cache.Made[*text], error) {
			close(entered)
			eventually.Holds(t, "another one has joined", func() bool { return metric(t, registry, "joined_flights_total") >= 1 })
			runtime.Goexit()
			panic("unreachable")
		})
	}()
	<-entered
	var m maker
	if _, err := c.Do(t.Context(), keys, m.make(keys.Current, "body")); err == nil || m.count.Load() != 0 {
		t.Errorf("got %v and %d made, want an error", err, m.count.Load())
	}
	check.Equal(t, "afterwards", mustDo(t, c, keys, m.make(keys.Current, "body")), "body")
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	c := start(t, cache.Config[*text]{Timeout: 20 * time.Millisecond})
	m := maker{take: time.Hour}
	keys := newKeys()
	if _, err := c.Do(t.Context(), keys, m.make(keys.Current, "x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}
