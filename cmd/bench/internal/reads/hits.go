package reads

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/cmd/bench/internal/bench"
	"strata/readapi"
)

// Hits measures a cached answer without a connection: time and allocations of ServeHTTP, compared with the bare
// handler.
func (b *Bench) Hits(ctx context.Context) error {
	url, err := b.world(ctx)
	if err != nil {
		return err
	}
	api, stop, err := inProcess(ctx, url, 0)
	if err != nil {
		return err
	}
	defer stop()
	for _, k := range []struct {
		what, target string
		with         bench.Conditions
	}{
		{"STX balance", balanceTarget(1), bench.Conditions{}},
		{"blocks, zstd", blocksTarget, bench.Conditions{Encoding: "zstd"}},
		{"blocks, 304", blocksTarget, bench.Conditions{Conditional: true}},
	} {
		r, err := incoming(ctx, k.target)
		if err != nil {
			return err
		}
		if k.with.Encoding != "" {
			r.Header.Set("Accept-Encoding", k.with.Encoding)
		}
		w := &recorder{header: http.Header{}}
		w.serve(api, r)
		if k.with.Conditional {
			r.Header.Set("If-None-Match", w.header.Get("Etag"))
			w.serve(api, r)
		}
		c := &bench.Answers{ByTarget: map[string]bench.Answer{k.target: {Status: w.status, Header: w.header.Clone(), Body: w.body}}}
		bare, _ := w.benchmark(c.Handler(nil), r)
		before := tallyOf(api)
		strata, served := w.benchmark(api, r)
		if hits := int(tallyOf(api).Memory - before.Memory); hits < served {
			return fmt.Errorf("%s: only %d of %d answers came from memory", k.target, hits, served)
		}
		b.Row("one hit, "+k.what, cost(strata), cost(bare)+" bare handler", bench.Times(float64(strata.NsPerOp()), float64(bare.NsPerOp())), "0 allocations")
	}
	return nil
}

func cost(r testing.BenchmarkResult) string {
	return fmt.Sprintf("%d ns, %d allocations", r.NsPerOp(), r.AllocsPerOp())
}

// inProcess runs an API in this process. cacheBytes is that of readapi.Config.
func inProcess(ctx context.Context, url string, cacheBytes int64) (api *readapi.API, stop func(), err error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	api = readapi.New(readapi.Config{Pool: pool, Registry: prometheus.NewRegistry(), CacheBytes: cacheBytes, PublicInternals: true})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		api.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
		pool.Close()
	}
	err = bench.WaitUntilCaching(func() (bench.Tally, error) { return tallyOf(api), nil })
	if err != nil {
		stop()
		return nil, nil, err
	}
	return api, stop, nil
}

// incoming returns a request as net/http passes it to a handler.
func incoming(ctx context.Context, target string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err == nil {
		r.RequestURI, r.RemoteAddr = target, "127.0.0.1:1"
	}
	return r, err
}

// recorder is a reusable ResponseWriter.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (w *recorder) Header() http.Header    { return w.header }
func (w *recorder) WriteHeader(status int) { w.status = status }
func (w *recorder) Write(b []byte) (int, error) {
	w.body = append(w.body, b...)
	return len(b), nil
}

func (w *recorder) serve(handler http.Handler, r *http.Request) {
	clear(w.header)
	w.status, w.body = 0, w.body[:0]
	handler.ServeHTTP(w, r)
}

// benchmark serves a request for a second, and counts how often.
func (w *recorder) benchmark(handler http.Handler, r *http.Request) (result testing.BenchmarkResult, served int) {
	discard := &discarder{header: http.Header{}}
	result = testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			clear(discard.header)
			handler.ServeHTTP(discard, r)
			served++
		}
	})
	return result, served
}

// discarder is a ResponseWriter that discards everything.
type discarder struct{ header http.Header }

func (w *discarder) Header() http.Header         { return w.header }
func (w *discarder) WriteHeader(int)             {}
func (w *discarder) Write(b []byte) (int, error) { return len(b), nil }

// tallyOf returns the tally of an API in this process.
func tallyOf(api http.Handler) bench.Tally {
	r, err := incoming(context.Background(), "/metrics")
	if err != nil {
		panic(err) // the target is a constant
	}
	w := &recorder{header: http.Header{}}
	w.serve(api, r)
	return bench.ReadTally(w.body)
}
