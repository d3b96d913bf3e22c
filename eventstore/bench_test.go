package eventstore_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/migrations"
)

// benchURLEnv is the environment variable with the URL of an empty database to measure on, because the tests' own
// server does not fsync. The benchmarks migrate and fill it.
const benchURLEnv = "STRATA_BENCH_DATABASE_URL"

func benchPool(b *testing.B) *pgxpool.Pool {
	b.Helper()
	url := os.Getenv(benchURLEnv)
	if url == "" {
		return migrated.New(b)
	}
	ctx := context.Background()
	must.Do(b, migrations.Up(ctx, url))
	pool := must.Get(pgxpool.New(ctx, url+"&pool_max_conns=16"))(b)
	b.Cleanup(pool.Close)
	return pool
}

// distinct returns a body of size bytes that no other call returns. Half of it compresses.
func distinct(size, i int) []byte {
	body := make([]byte, size)
	copy(body, noise(size/2, uint64(i)))
	binary.BigEndian.PutUint64(body, uint64(i))
	binary.BigEndian.PutUint64(body[8:], uint64(time.Now().UnixNano()))
	return body
}

// measure calls do b.N times from a number of concurrent clients and reports percentiles.
func measure(b *testing.B, clients int, do func(body []byte) error) {
	b.Helper()
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		took []time.Duration
		work = make(chan []byte, 256)
	)
	go func() {
		defer close(work)
		for i := range b.N {
			work <- distinct(2048, i)
		}
	}()
	b.ResetTimer()
	for range clients {
		all.Go(func() {
			for body := range work {
				start := time.Now()
				if err := do(body); err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(start))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	b.StopTimer()
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkAppend compares Append with the insertion of one row into a plain table.
func BenchmarkAppend(b *testing.B) {
	for _, clients := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("Append/clients=%d", clients), func(b *testing.B) {
			log := openLog(b, benchPool(b), eventstore.Config{})
			measure(b, clients, func(body []byte) error {
				_, err := log.Append(context.Background(), incoming("/new_block", body))
				return err
			})
		})
		b.Run(fmt.Sprintf("BareInsert/clients=%d", clients), func(b *testing.B) {
			pool := benchPool(b)
			plainTable(b, pool)
			measure(b, clients, func(body []byte) error {
				_, err := pool.Exec(context.Background(), `INSERT INTO public.plain (received_at, source, path, content_type, body)
					VALUES (now(), 'observer:test', '/new_block', 'application/json', $1)`, body)
				return err
			})
		})
	}
}

func plainTable(b *testing.B, pool *pgxpool.Pool) {
	b.Helper()
	must.Get(pool.Exec(context.Background(), `
		DROP TABLE IF EXISTS public.plain;
		CREATE TABLE public.plain (seq bigserial PRIMARY KEY, received_at timestamptz, source text, path text, content_type text, body bytea COMPRESSION lz4)`))(b)
}

// BenchmarkAppendBatch compares AppendBatch with COPY of the same rows into a plain table with a primary key.
func BenchmarkAppendBatch(b *testing.B) {
	const events = 1000
	for _, size := range []int{500, 2048, 24 << 10} {
		batch := func(i int) [][]byte {
			bodies := make([][]byte, events)
			for j := range bodies {
				bodies[j] = distinct(size, i*events+j)
			}
			return bodies
		}
		b.Run(fmt.Sprintf("AppendBatch/body=%d", size), func(b *testing.B) {
			log := openLog(b, benchPool(b), eventstore.Config{})
			b.SetBytes(int64(events * size))
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				bodies := batch(i)
				b.StartTimer()
				ins := make([]eventstore.Incoming, events)
				for j := range ins {
					ins[j] = incoming("/new_block", bodies[j]) // hashes the body
				}
				must.Get(log.AppendBatch(context.Background(), ins, nil))(b)
			}
			b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
		})
		b.Run(fmt.Sprintf("BareCopy/body=%d", size), func(b *testing.B) {
			pool := benchPool(b)
			plainTable(b, pool)
			b.SetBytes(int64(events * size))
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				bodies := batch(i)
				b.StartTimer()
				must.Get(pool.CopyFrom(context.Background(), pgx.Identifier{"public", "plain"},
					[]string{"received_at", "source", "path", "content_type", "body"},
					pgx.CopyFromSlice(events, func(j int) ([]any, error) {
						return []any{time.Now(), "observer:test", "/new_block", "application/json", bodies[j]}, nil
					})))(b)
			}
			b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
