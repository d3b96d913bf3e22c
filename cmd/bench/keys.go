package main

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
)

// keys floods an API with requests none of which is made twice, and looks at the memory of its process: first for ever
// other accounts, until their answers would take many times what they may; then for one account under ever other
// targets, each of which is kept as the way to its answer.
func (b *bench) keys(ctx context.Context) error {
	url, err := b.reads(ctx)
	if err != nil {
		return err
	}
	flooding, err := b.helper(ctx, "keys")
	if err != nil {
		return err
	}
	defer flooding.stop()
	// Each distinct answer has to be made by Postgres: there is only time for so many as fill the bound several times.
	f := flood{URL: url, Bound: 16 << 20, Answers: min(50_000, b.distinct)}
	f.Targets = b.distinct - f.Answers
	var before, now footprint
	if err := flooding.ask(f, &before); err != nil {
		return err
	}
	for _, phase := range []string{fmt.Sprintf("%d distinct answers", f.Answers), fmt.Sprintf("%d distinct targets more", f.Targets)} {
		if err := flooding.ask(struct{}{}, &now); err != nil {
			return err
		}
		b.row("memory after "+phase, fmt.Sprintf("heap +%.1f MiB, RSS +%.1f MiB", mib(now.Heap-before.Heap), mib(now.RSS-before.RSS)),
			fmt.Sprintf("%.0f MiB is the bound", mib(f.Bound)), times(float64(now.Heap-before.Heap), float64(f.Bound)), "heap ≤ 1.5×")
	}
	return nil
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// flood is what an API is flooded with.
type flood struct {
	URL              string
	Bound            int64 // bytes that it may keep
	Answers, Targets int
}

// footprint of a process, in bytes: what lives on its heap, and what was resident before the garbage was collected.
type footprint struct{ Heap, RSS int64 }

func measureFootprint() (f footprint) {
	f.RSS = residentBytes(os.Getpid())
	for range 3 { // pools let go of what they hold at the third
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	f.Heap = int64(stats.HeapAlloc)
	return f
}

// floodAPI is the flooded process. It says its footprint at the beginning, and after each phase, when it is told to go on.
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
	if err := floodWith(ctx, api, 100, func(i int) string { return balanceTarget(readAccounts - 1 - i) }); err != nil {
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

// floodWith makes as many requests, more at a time than there are cores: some wait for Postgres.
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

// statusKeeper forgets everything but the status.
type statusKeeper struct {
	discarder
	status int
}

func (w *statusKeeper) WriteHeader(status int) { w.status = status }
