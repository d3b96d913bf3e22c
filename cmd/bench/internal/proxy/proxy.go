// Package proxy compares requests to a node through Strata with those through net/http's reverse proxy.
package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// The parts before and after the number in targets of requests to a node.
const (
	accountBefore     = "/v2/accounts/SP2J6ZY48GV1EZ5V2V5RB9MP"
	accountAfter      = "?proof=0"
	unconfirmedBefore = "/v2/transactions/unconfirmed/000000000000000000000000000000000000000000000000000000"
	attachmentBefore  = "/v2/attachments/000000000000000000000000000000"
)

// Bench compares proxies.
type Bench struct {
	*bench.Bench
	Forwarded int // requests while memory is sampled
}

// forwarding has the processes of a comparison of proxies.
type forwarding struct {
	*Bench
	node, reverse     *bench.Helper
	nodeAt, reverseAt string
	strata            *bench.Server
}

// Measure compares requests to a node through Strata with those through net/http's reverse proxy.
func (b *Bench) Measure(ctx context.Context) {
	f := &forwarding{Bench: b}
	defer f.stop()
	f.start(ctx)
	f.added(ctx)
	for _, k := range []struct {
		what, target string
		list         *load.Requests
	}{
		{"forwarded, distinct accounts", "≥ 5,000 req/s", load.Distinct(accountBefore, accountAfter)},
		{"forwarded, not kept", "≥ 5,000 req/s", load.Distinct(unconfirmedBefore, "")},
		{"identical at the same time", "> 1×", load.Numbered(1, func(int) string { return attachmentBefore + "0000000000" })},
		{"kept, 299 accounts", "> 1×", load.Numbered(bench.HotCount, func(i int) string { return fmt.Sprintf("%s%010d%s", accountBefore, i, accountAfter) })},
	} {
		for _, connections := range []int{16, 64} {
			f.turns(k.what, k.target, connections, f.byReverse(ctx, k.list), f.byStrata(ctx, k.list))
		}
	}
	f.steady(ctx)
}

// start starts the processes.
func (f *forwarding) start(ctx context.Context) {
	f.node = f.Helper(ctx, "node")
	f.node.Read(&f.nodeAt)
	f.reverse = f.Helper(ctx, "reverse")
	f.reverse.Ask(f.nodeAt, &f.reverseAt)
	database, pool := f.Database(ctx, "forwarding")
	pool.Close()
	f.strata = f.Serve(ctx, database, "--roles", "api", "--nodes", "http://"+f.nodeAt)
	f.waitUntilServing(ctx)
}

// waitUntilServing waits until Strata's probes have found the node.
func (f *forwarding) waitUntilServing(ctx context.Context) {
	var err error
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err = bench.Get(ctx, f.strata.API+"/v2/pox", http.Header{}); err == nil {
			return
		}
	}
	bench.CheckOf("strata does not forward", err)
}

func (f *forwarding) stop() {
	if f.strata != nil {
		f.strata.Stop()
	}
	for _, h := range []*bench.Helper{f.reverse, f.node} {
		if h != nil {
			h.Stop()
		}
	}
}

func (f *forwarding) strataAt() string { return strings.TrimPrefix(f.strata.API, "http://") }

// runner is a contender with the processor time of its process.
type runner struct {
	contend  load.Contender
	spent    time.Duration
	requests int
}

func newRunner(ctx context.Context, pid int, address string, list *load.Requests) *runner {
	r, contend := &runner{}, load.NewContender(ctx, address, list)
	r.contend = func(connections int, d time.Duration) (*load.Round, error) {
		before := bench.ProcessorTime(pid)
		round := bench.Must(contend(connections, d))
		r.spent, r.requests = r.spent+bench.ProcessorTime(pid)-before, r.requests+round.Requests()
		return round, nil
	}
	return r
}

// cpu returns the microseconds of processor time of a request.
func (r *runner) cpu() float64 { return r.spent.Seconds() * 1e6 / float64(max(r.requests, 1)) }

func (f *forwarding) direct(ctx context.Context, list *load.Requests) *runner {
	return newRunner(ctx, f.node.Pid(), f.nodeAt, list)
}

func (f *forwarding) byReverse(ctx context.Context, list *load.Requests) *runner {
	return newRunner(ctx, f.reverse.Pid(), f.reverseAt, list)
}

func (f *forwarding) byStrata(ctx context.Context, list *load.Requests) *runner {
	return newRunner(ctx, f.strata.Pid(), f.strataAt(), list)
}

// turns lets the reverse proxy and Strata take turns, and prints a row.
func (f *forwarding) turns(what, target string, connections int, runners ...*runner) {
	contenders := make([]load.Contender, len(runners))
	for i, r := range runners {
		contenders[i] = r.contend
	}
	results := f.InTurns(what, connections, contenders...)
	text := func(i int) string { return fmt.Sprintf("%s, %.0f µs CPU", results[i], runners[i].cpu()) }
	f.Row(fmt.Sprintf("%s, %d connections", what, connections), text(1), text(0)+" reverse proxy", fmt.Sprintf("%s, p99 %s, CPU %s", bench.Times(results[1].Rate, results[0].Rate),
		bench.Times(results[1].P99.Seconds(), results[0].P99.Seconds()), bench.Times(runners[1].cpu(), runners[0].cpu())), target)
}

// added measures the latency that a proxy adds to a request, on one connection.
func (f *forwarding) added(ctx context.Context) {
	a := load.Distinct(accountBefore, accountAfter)
	direct, byReverse, byStrata := f.direct(ctx, a), f.byReverse(ctx, a), f.byStrata(ctx, a)
	results := bench.Must(load.InTurns(f.Round, 1, direct.contend, byReverse.contend, byStrata.contend))
	added := func(i int) string {
		return fmt.Sprintf("+%.3f ms p50, +%.3f ms p99", (results[i].P50-results[0].P50).Seconds()*1000, (results[i].P99-results[0].P99).Seconds()*1000)
	}
	f.Row("forwarded, added to "+bench.Milliseconds(results[0].P50)+", 1 connection", added(2), added(1)+" reverse proxy", "", "p50 < 0.3 ms")
}

// steady forwards many different requests and samples the memory meanwhile.
func (f *forwarding) steady(ctx context.Context) {
	contend := load.NewContender(ctx, f.strataAt(), load.Distinct(accountBefore, accountAfter))
	memory, done := bench.WatchMemory(f.strata.Pid()), 0
	for done < f.Forwarded {
		done += bench.Must(contend(64, min(f.Round, time.Second))).Requests()
	}
	f.Row(fmt.Sprintf("%d forwarded, distinct", done), memory.Summary(), "", "", "flat")
}

// ServeReverse runs net/http's reverse proxy to the node as a helper process. It reads the node's address and writes its own.
func ServeReverse(_ context.Context, in *json.Decoder, out *json.Encoder) {
	var node string
	bench.Check(in.Decode(&node))
	reverse := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: node})
	reverse.Transport = &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	bench.ServeHelper(reverse, in, out)
}
