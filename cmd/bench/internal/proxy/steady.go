package proxy

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"strata/cmd/bench/internal/bench"
)

// goMemory is the state of Go's memory according to /metrics.
type goMemory struct {
	mallocs, allocated float64 // objects and bytes since the start
	heap               float64 // bytes in use
}

func readGoMemory(ctx context.Context, server *bench.Server) (m goMemory, err error) {
	answer, err := bench.Get(ctx, server.API+"/metrics", http.Header{})
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(answer.Body)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		to := map[string]*float64{
			"go_memstats_mallocs_total": &m.mallocs, "go_memstats_alloc_bytes_total": &m.allocated, "go_memstats_heap_inuse_bytes": &m.heap,
		}[name]
		if to != nil {
			if *to, err = strconv.ParseFloat(value, 64); err != nil {
				return m, fmt.Errorf("metric %s: %w", name, err)
			}
		}
	}
	return m, nil
}

// steady forwards many different requests and samples the memory meanwhile.
func (f *forwarding) steady(ctx context.Context) error {
	const connections = 64
	contend := requesting(ctx, f.strataAt(), &nodeRequests{before: accountBefore, after: accountAfter})
	before, err := readGoMemory(ctx, f.strata)
	if err != nil {
		return err
	}
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
		if now, err = readGoMemory(ctx, f.strata); err != nil {
			memory.Summary()
			return err
		}
		half := min(2*done/max(f.Forwarded, 1), 1)
		heaps[half] = max(heaps[half], now.heap)
	}
	f.Row(fmt.Sprintf("%d forwarded, distinct", done), memory.Summary(), "", "", "flat")
	f.Row("  heap in use", fmt.Sprintf("at most %.0f MiB in the first half, %.0f MiB in the second", heaps[0]/(1<<20), heaps[1]/(1<<20)), "", "", "flat")
	f.Row("  each", fmt.Sprintf("%.1f allocations, %.0f bytes", (now.mallocs-before.mallocs)/float64(done), (now.allocated-before.allocated)/float64(done)), "", "", "")
	return nil
}
