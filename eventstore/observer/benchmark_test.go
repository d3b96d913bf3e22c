package observer_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"net"
	"slices"
	"testing"
	"time"

	"strata/eventstore/observer"
)

// benchmarkBody differs at each call.
func benchmarkBody(i int) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 2000, 2008), uint64(i))
}

func reportMedian(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkPost is one event after the other, each on a connection of its own as a node does it.
func BenchmarkPost(b *testing.B) {
	h := start(b, observer.Config{})
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		request := nodeRequest("/new_block", benchmarkBody(i))
		begin := time.Now()
		conn, err := net.Dial("tcp", h.address)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		h.wantStored(h.answer(conn))
		took = append(took, time.Since(begin))
		_ = conn.Close()
	}
	reportMedian(b, took)
}

// BenchmarkBareInsert is what BenchmarkPost is compared with: a commit of the same bytes.
func BenchmarkBareInsert(b *testing.B) {
	ctx := context.Background()
	pool := migrated.New(b)
	if _, err := pool.Exec(ctx, `CREATE TABLE public.bare (seq bigint PRIMARY KEY, received_at timestamptz, sha256 bytea, path text, body bytea)`); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		body := benchmarkBody(i)
		digest := sha256.Sum256(body)
		begin := time.Now()
		if _, err := pool.Exec(ctx, `INSERT INTO public.bare VALUES ($1, $2, $3, $4, $5)`, i, begin, digest[:], "/new_block", body); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	reportMedian(b, took)
}
