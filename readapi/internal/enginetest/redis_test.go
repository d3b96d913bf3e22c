package enginetest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/internal/requestid"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/redistest"
	"strata/internal/testkit/short"
	"strata/readapi"
	"strata/rig/apitest"
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
			s := apitest.NewWorld(t)
			url := start(t)
			first, second := apitest.NewKeeper(t, s.Pool, readapi.Config{Redis: apitest.Redis(t, url)}), apitest.NewKeeper(t, s.Pool, readapi.Config{Redis: apitest.Redis(t, url)})
			other := apitest.NewKeeper(t, s.Pool, readapi.Config{Redis: apitest.Redis(t, url), Program: "another build"})
			testnet := apitest.NewKeeper(t, s.Pool, readapi.Config{Redis: apitest.Redis(t, url), Network: "testnet"})
			for _, target := range []string{
				"/extended/v1/address/" + apitest.Alice + "/stx", "/extended/v2/blocks", "/extended/v2/blocks/999", "/extended/v2/blocks/40", "/audit/v1/events/%d",
			} {
				attempt := 0
				eventually.Holds(t, target+" is found in Redis", func() bool {
					// On a busy machine Redis may be too slow to be used: then again, with other keys.
					attempt++
					target := strings.ReplaceAll(target, "%d", fmt.Sprint(attempt))
					s.Advance("balances")
					s.Advance("chain")
					first.Seen("/extended/v2/blocks/latest")
					second.Seen("/extended/v2/blocks/latest")
					want := first.Get(target)
					time.Sleep(20 * time.Millisecond) // it is stored after it was sent
					before := second.Reads()
					got := second.Get(target)
					if second.Reads() > before {
						return false
					}
					if got.Status != want.Status || got.Body != want.Body {
						t.Errorf("%s: got %d %s, want %d %s", target, got.Status, got.Body, want.Status, want.Body)
					}
					for name := range want.Header {
						if name != requestid.Header && got.Header.Get(name) != want.Header.Get(name) {
							t.Errorf("%s: got %s %q, want %q", target, name, got.Header.Get(name), want.Header.Get(name))
						}
					}
					for what, k := range map[string]*apitest.Keeper{"another build": other, "another network": testnet} {
						before := k.Reads()
						if k.Get(target); k.Reads() != before+1 {
							t.Errorf("%s: %s takes the answer of this one", target, what)
						}
					}
					return true
				})
			}
		})
	}
}

// Redis is stopped, frozen, full and back while clients read: none of them notices.
func TestRedisOutages(t *testing.T) {
	short.Skip(t, "freezes and stops Redis")
	t.Parallel()
	s := apitest.NewWorld(t)
	server := redistest.New(t, "--maxmemory-policy", "noeviction")
	keepers := []*apitest.Keeper{
		apitest.NewKeeper(t, apitest.Readers(t, s.Pool), readapi.Config{Redis: apitest.Redis(t, server.URL()), CacheBytes: 64 << 10}), // has to ask Redis often
		apitest.NewKeeper(t, apitest.Readers(t, s.Pool), readapi.Config{Redis: apitest.Redis(t, server.URL())}),
	}
	var targets []string
	want := map[string]apitest.Reply{}
	for h := apitest.FirstHeight; h <= apitest.LastHeight; h++ {
		targets = append(targets, fmt.Sprintf("/extended/v2/blocks/%d", h), fmt.Sprintf("/extended/v1/address/%s/stx?until_block=%d", apitest.Alice, h),
			fmt.Sprintf("/extended/v2/blocks?limit=5&offset=%d", h), fmt.Sprintf("/extended/v2/blocks/%d", 1000+h))
	}
	for _, target := range targets {
		want[target] = s.Get(target)
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
				got := k.Get(target)
				took := int64(time.Since(began))
				for before := slowest.Load(); took > before && !slowest.CompareAndSwap(before, took); before = slowest.Load() {
				}
				if got.Status != want[target].Status || got.Body != want[target].Body {
					t.Errorf("%s: got %d %s, want %d %s", target, got.Status, got.Body, want[target].Status, want[target].Body)
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
			s.Advance("balances")
			s.Advance("chain")
			time.Sleep(20 * time.Millisecond)
		}
		if got := reads.Load() - before; got == 0 {
			t.Errorf("%s: got %d reads, want some", what, got)
		}
	}
	inUse := func() bool {
		for _, k := range keepers {
			if k.Metric("strata_cache_breaker_state") != 0 {
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
		eventually.Holds(t, "Redis is taken out of use: "+outage.name, outOfUse)
		during(outage.name+" and out of use", func() {})
		outage.ends()
		eventually.Holds(t, "Redis is used again after it was "+outage.name, inUse)
		before := keepers[0].Metric("strata_cache_hits_total", "tier", "redis")
		during("after "+outage.name, func() {})
		eventually.Holds(t, "answers are found in Redis after it was "+outage.name, func() bool {
			s.Advance("chain")
			return keepers[0].Metric("strata_cache_hits_total", "tier", "redis") > before
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
	must.Do(t, redistest.Client(t, server).ConfigSet(t.Context(), "maxmemory", maxmemory).Err())
}

// A Redis that can't be reached from the start is no reason not to answer.
func TestRedisNeverThere(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	server := redistest.New(t)
	server.Stop()
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{Redis: apitest.Redis(t, server.URL())})
	for h := apitest.FirstHeight; h < apitest.LastHeight; h++ {
		if got := k.Get(fmt.Sprintf("/extended/v2/blocks/%d", h)); got.Status != http.StatusOK {
			t.Errorf("block %d: got %d %s", h, got.Status, got.Body)
		}
	}
	if _, err := readapi.OpenRedis("http://127.0.0.1"); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1") {
		t.Errorf("got %v, want an error that names the URL", err)
	}
}
