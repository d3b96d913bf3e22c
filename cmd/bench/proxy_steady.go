package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// goMemory is the state of Go's memory according to /metrics.
type goMemory struct {
	mallocs, allocated float64 // objects and bytes since the start
	heap               float64 // bytes in use
}

func (s *server) goMemory(ctx context.Context) (m goMemory, err error) {
	answer, err := get(ctx, s.api+"/metrics", http.Header{})
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
	before, err := f.strata.goMemory(ctx)
	if err != nil {
		return err
	}
	memory := watchMemory(f.strata.command.Process.Pid)
	var heaps [2]float64
	now, done := before, 0
	for done < f.forwarded {
		r, err := contend(connections, min(f.round, time.Second))
		if err != nil {
			memory.summary()
			return err
		}
		done += r.latencies.total
		if now, err = f.strata.goMemory(ctx); err != nil {
			memory.summary()
			return err
		}
		half := min(2*done/max(f.forwarded, 1), 1)
		heaps[half] = max(heaps[half], now.heap)
	}
	f.row(fmt.Sprintf("%d forwarded, distinct", done), memory.summary(), "", "", "flat")
	f.row("  heap in use", fmt.Sprintf("at most %.0f MiB in the first half, %.0f MiB in the second", heaps[0]/(1<<20), heaps[1]/(1<<20)), "", "", "flat")
	f.row("  each", fmt.Sprintf("%.1f allocations, %.0f bytes", (now.mallocs-before.mallocs)/float64(done), (now.allocated-before.allocated)/float64(done)), "", "", "")
	return nil
}
