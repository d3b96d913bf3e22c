package readapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	redisclient "github.com/redis/go-redis/v9"

	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/redistest"
	"strata/readapi"
)

// What one process has made, the other finds.
func TestSharedAnswers(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) string{
		"server":   func(t testing.TB) string { return redistest.New(t).URL() },
		"cluster":  func(t testing.TB) string { return redistest.NewCluster(t).URL() },
		"sentinel": func(t testing.TB) string { return redistest.NewSentinel(t).URL() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWorld(t)
			url := start(t)
			first, second := newKeeper(t, s.pool, readapi.Config{Redis: redis(t, url)}), newKeeper(t, s.pool, readapi.Config{Redis: redis(t, url)})
			other := newKeeper(t, s.pool, readapi.Config{Redis: redis(t, url), Program: "another build"})
			testnet := newKeeper(t, s.pool, readapi.Config{Redis: redis(t, url), Network: "testnet"})
			for _, target := range []string{
				"/extended/v1/address/" + alice + "/stx", "/extended/v2/blocks", "/extended/v2/blocks/999", "/extended/v2/blocks/40", "/audit/v1/events/%d",
			} {
				attempt := 0
				eventually(t, target+" is found in Redis", func() bool {
					// On a busy machine Redis may be too slow to be used: then again, with other keys.
					attempt++
					target := strings.ReplaceAll(target, "%d", fmt.Sprint(attempt))
					s.advance("balances")
					s.advance("chain")
					first.seen("/extended/v2/blocks/latest")
					second.seen("/extended/v2/blocks/latest")
					want := first.get(target)
					time.Sleep(20 * time.Millisecond) // it is stored after it was sent
					before := second.reads()
					got := second.get(target)
					if second.reads() > before {
						return false
					}
					if got.status != want.status || got.body != want.body {
						t.Errorf("%s: got %d %s, want %d %s", target, got.status, got.body, want.status, want.body)
					}
					for name := range want.header {
						if got.header.Get(name) != want.header.Get(name) {
							t.Errorf("%s: got %s %q, want %q", target, name, got.header.Get(name), want.header.Get(name))
						}
					}
					for what, k := range map[string]*keeper{"another build": other, "another network": testnet} {
						before := k.reads()
						if k.get(target); k.reads() != before+1 {
							t.Errorf("%s: %s takes the answer of this one", target, what)
						}
					}
					return true
				})
			}
		})
	}
}

// redis is a client as the program has it.
func redis(t testing.TB, url string) redisclient.UniversalClient {
	t.Helper()
	client, err := readapi.OpenRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	pgtest.AtEnd(t, func() { _ = client.Close() })
	return client
}

// Redis is stopped, frozen, full and back while clients read: none of them notices.
func TestRedisOutages(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	server := redistest.New(t, "--maxmemory-policy", "noeviction")
	keepers := []*keeper{
		newKeeper(t, readers(t, s.pool), readapi.Config{Redis: redis(t, server.URL()), CacheBytes: 64 << 10}), // has to ask Redis often
		newKeeper(t, readers(t, s.pool), readapi.Config{Redis: redis(t, server.URL())}),
	}
	var targets []string
	want := map[string]reply{}
	for h := firstHeight; h <= lastHeight; h++ {
		targets = append(targets, fmt.Sprintf("/extended/v2/blocks/%d", h), fmt.Sprintf("/extended/v1/address/%s/stx?until_block=%d", alice, h),
			fmt.Sprintf("/extended/v2/blocks?limit=5&offset=%d", h), fmt.Sprintf("/extended/v2/blocks/%d", 1000+h))
	}
	for _, target := range targets {
		want[target] = s.get(target)
	}

	var reads, slowest atomic.Int64
	stop := make(chan struct{})
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			k, random := keepers[i%2], rand.New(rand.NewPCG(3, uint64(i)))
			for {
				select {
				case <-stop:
					return
				default:
				}
				target := targets[random.IntN(len(targets))]
				began := time.Now()
				got := k.get(target)
				took := int64(time.Since(began))
				for before := slowest.Load(); took > before && !slowest.CompareAndSwap(before, took); before = slowest.Load() {
				}
				if got.status != want[target].status || got.body != want[target].body {
					t.Errorf("%s: got %d %s, want %d %s", target, got.status, got.body, want[target].status, want[target].body)
					return
				}
				reads.Add(1)
			}
		})
	}
	// Something new to read keeps Redis busy: each position has answers of its own.
	during := func(what string, happens func()) {
		happens()
		before := reads.Load()
		for range 15 {
			s.advance("balances")
			s.advance("chain")
			time.Sleep(20 * time.Millisecond)
		}
		if got := reads.Load() - before; got == 0 {
			t.Errorf("%s: got %d reads, want some", what, got)
		}
	}
	inUse := func() bool {
		for _, k := range keepers {
			if k.metric("strata_cache_breaker_state") != 0 {
				return false
			}
		}
		return true
	}
	outOfUse := func() bool { return !inUse() }

	during("in use", func() {})
	for _, outage := range []struct {
		name          string
		happens, ends func()
	}{
		{"stopped", server.Stop, server.Start},
		{"paused", server.Pause, server.Resume},
		{"full", func() { configure(t, server, "1") }, func() { configure(t, server, "0") }},
	} {
		during(outage.name, outage.happens)
		eventually(t, "Redis is taken out of use: "+outage.name, outOfUse)
		during(outage.name+" and out of use", func() {})
		outage.ends()
		eventually(t, "Redis is used again after it was "+outage.name, inUse)
		before := keepers[0].metric("strata_cache_hits_total", "tier", "redis")
		during("after "+outage.name, func() {})
		eventually(t, "answers are found in Redis after it was "+outage.name, func() bool {
			s.advance("chain")
			return keepers[0].metric("strata_cache_hits_total", "tier", "redis") > before
		})
	}
	close(stop)
	wait.Wait()
	t.Logf("%d reads, the slowest took %s", reads.Load(), time.Duration(slowest.Load()))
	if got := time.Duration(slowest.Load()); got > 3*time.Second {
		t.Errorf("a read took %s", got)
	}
}

// configure sets how much memory Redis may use.
func configure(t testing.TB, server *redistest.Server, maxmemory string) {
	t.Helper()
	if err := server.Client(t).ConfigSet(t.Context(), "maxmemory", maxmemory).Err(); err != nil {
		t.Fatal(err)
	}
}

// A Redis that can't be reached from the start is no reason not to answer.
func TestRedisNeverThere(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	server := redistest.New(t)
	server.Stop()
	k := newKeeper(t, s.pool, readapi.Config{Redis: redis(t, server.URL())})
	for h := firstHeight; h < lastHeight; h++ {
		if got := k.get(fmt.Sprintf("/extended/v2/blocks/%d", h)); got.status != http.StatusOK {
			t.Errorf("block %d: got %d %s", h, got.status, got.body)
		}
	}
	if _, err := readapi.OpenRedis("http://127.0.0.1"); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1") {
		t.Errorf("got %v, want an error that names the URL", err)
	}
}
