package reads

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"strata/cmd/bench/internal/bench"
)

// Keys floods an API with requests that all differ, and measures the memory of its process. In the first phase each
// request reads another account, until the answers would take many times the bound of the cache. In the second one all
// read the same account by different targets, and the cache keeps each target as an alias of the answer.
func (b *Bench) Keys(ctx context.Context) error {
	url, err := b.world(ctx)
	if err != nil {
		return err
	}
	flooding, err := b.Helper(ctx, "keys")
	if err != nil {
		return err
	}
	defer flooding.Stop()
	// Postgres must compute each distinct answer, so their number is limited. It fills the bound several times.
	f := flood{URL: url, Bound: 16 << 20, Answers: min(50_000, b.Distinct)}
	f.Targets = b.Distinct - f.Answers
	var before, now footprint
	if err := flooding.Ask(f, &before); err != nil {
		return err
	}
	for _, phase := range []string{fmt.Sprintf("%d distinct answers", f.Answers), fmt.Sprintf("%d distinct targets more", f.Targets)} {
		if err := flooding.Ask(struct{}{}, &now); err != nil {
			return err
		}
		b.Row("memory after "+phase, fmt.Sprintf("heap +%.1f MiB, RSS +%.1f MiB", bench.MiB(now.Heap-before.Heap), bench.MiB(now.RSS-before.RSS)),
			fmt.Sprintf("%.0f MiB is the bound", bench.MiB(f.Bound)), bench.Times(float64(now.Heap-before.Heap), float64(f.Bound)), "heap ≤ 1.5×")
	}
	return nil
}

// flood describes the requests to an API.
type flood struct {
	URL              string
	Bound            int64 // of the cache, in bytes
	Answers, Targets int   // numbers of requests of the two phases
}

// footprint is the memory of a process in bytes: its live heap, and its resident set before the garbage collection.
type footprint struct{ Heap, RSS int64 }

func measureFootprint() (f footprint) {
	f.RSS = bench.ResidentBytes(os.Getpid())
	for range 3 { // sync.Pool releases its objects only at a later collection
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	f.Heap = int64(stats.HeapAlloc)
	return f
}

// floodAPI runs the API as a helper process. It writes its footprint at the beginning and after each phase, which it
// starts at a question.
func floodAPI(ctx context.Context, in *json.Decoder, out *json.Encoder) error {
	var f flood
	if err := in.Decode(&f); err != nil {
		return err
	}
	api, stop, err := inProcess(ctx, f.URL, f.Bound)
	if err != nil {
		return err
	}
	defer stop()
	if err := floodWith(ctx, api, 100, func(i int) string { return balanceTarget(worldAccounts - 1 - i) }); err != nil {
		return err
	}
	if err := out.Encode(measureFootprint()); err != nil {
		return err
	}
	for _, phase := range []struct {
		count  int
		target func(i int) string
	}{
		{f.Answers, balanceTarget},
		{f.Targets, func(i int) string { return balanceTarget(0) + "?i=" + strconv.Itoa(i) }},
	} {
		if err := in.Decode(&struct{}{}); err != nil {
			return err
		}
		if err := floodWith(ctx, api, phase.count, phase.target); err != nil {
			return err
		}
		if err := out.Encode(measureFootprint()); err != nil {
			return err
		}
	}
	runtime.KeepAlive(api)
	return nil
}

// floodWith makes requests, more at a time than there are cores, because some of them wait for Postgres.
func floodWith(ctx context.Context, api http.Handler, count int, target func(i int) string) error {
	var group errgroup.Group
	var next atomic.Int64
	for range 4 * runtime.NumCPU() {
		group.Go(func() error {
			w := &statusKeeper{discarder: discarder{header: http.Header{}}}
			for i := int(next.Add(1) - 1); i < count; i = int(next.Add(1) - 1) {
				r, err := incoming(ctx, target(i))
				if err != nil {
					return err
				}
				clear(w.header)
				api.ServeHTTP(w, r)
				if w.status != http.StatusOK {
					return fmt.Errorf("%s was answered with status %d", r.RequestURI, w.status)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// statusKeeper is a ResponseWriter that discards everything but the status.
type statusKeeper struct {
	discarder
	status int
}

func (w *statusKeeper) WriteHeader(status int) { w.status = status }
