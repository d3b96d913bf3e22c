package readapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/readapi"
	"strata/rig/apitest"
)

// BenchmarkNew is what it takes to make an API: a part of the start of each server, and of most tests here.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		readapi.New(readapi.Config{})
	}
}

// An API that nobody uses any more is garbage, whatever it has kept.
func TestForgotten(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	use := func(runs bool) (gone chan struct{}) {
		api := readapi.New(readapi.Config{Pool: s.Pool, Version: apitest.Version})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		if runs {
			running.Go(func() { api.Run(ctx) })
			eventually.Holds(t, "the tip is known", func() bool { _, _, ok := api.Tip(); return ok })
		}
		for range 3 {
			for _, target := range []string{"/extended", "/extended/v2/blocks", "/extended/v1/address/" + apitest.Alice + "/stx", "/extended/v1/address/" + apitest.Alice + "/balances"} {
				w := httptest.NewRecorder()
				api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
				if w.Code != http.StatusOK {
					t.Fatalf("%s: got %d %s", target, w.Code, w.Body)
				}
			}
		}
		stop()
		running.Wait()
		gone = make(chan struct{})
		runtime.AddCleanup(api, func(gone chan struct{}) { close(gone) }, gone)
		return gone
	}
	for _, runs := range []bool{false, true} {
		gone := use(runs)
		what := map[bool]string{false: "one that was never run is collected", true: "one that was run is collected"}[runs]
		eventually.Holds(t, what, func() bool {
			runtime.GC()
			select {
			case <-gone:
				return true
			default:
				return false
			}
		})
	}
}
