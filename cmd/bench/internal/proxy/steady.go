package proxy

import (
	"context"
	"fmt"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

const (
	mallocs   = "go_memstats_mallocs_total"
	allocated = "go_memstats_alloc_bytes_total"
	heapInUse = "go_memstats_heap_inuse_bytes"
)

// steady forwards many different requests and samples the memory meanwhile.
func (f *forwarding) steady(ctx context.Context) error {
	const connections = 64
	contend := load.NewContender(ctx, f.strataAt(), load.Distinct(accountBefore, accountAfter))
	before := f.strata.Metrics(ctx)
	memory := bench.WatchMemory(f.strata.Pid())
	var heaps [2]float64
	now, done := before, 0
	for done < f.Forwarded {
		r, err := contend(connections, min(f.Round, time.Second))
		if err != nil {
			memory.Summary()
			return err
		}
		done += r.Requests()
		now = f.strata.Metrics(ctx)
		half := min(2*done/max(f.Forwarded, 1), 1)
		heaps[half] = max(heaps[half], now[heapInUse])
	}
	f.Row(fmt.Sprintf("%d forwarded, distinct", done), memory.Summary(), "", "", "flat")
	f.Row("  heap in use", fmt.Sprintf("at most %.0f MiB in the first half, %.0f MiB in the second", heaps[0]/(1<<20), heaps[1]/(1<<20)), "", "", "flat")
	f.Row("  each", fmt.Sprintf("%.1f allocations, %.0f bytes", (now[mallocs]-before[mallocs])/float64(done), (now[allocated]-before[allocated])/float64(done)), "", "", "")
	return nil
}
