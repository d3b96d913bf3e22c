package observer_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"strata/eventstore/observer"
	"strata/internal/testkit/must"
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
	benchmarkPosts(b, start(b, observer.Config{}))
}

func benchmarkPosts(b *testing.B, h *harness) {
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		request := nodeRequest("/new_block", benchmarkBody(i))
		begin := time.Now()
		conn := must.Get(net.Dial("tcp", h.address))(b)
		must.Get(conn.Write(request))(b)
		h.wantStored(h.answer(conn))
		took = append(took, time.Since(begin))
		_ = conn.Close()
	}
	reportMedian(b, took)
}

// bareTable makes a table, and returns the insertion of one row into it.
func bareTable(b *testing.B) (insert func(seq int, body []byte) error) {
	ctx := context.Background()
	pool := migrated.New(b)
	must.Get(pool.Exec(ctx, `CREATE TABLE public.bare (seq bigint PRIMARY KEY, received_at timestamptz, sha256 bytea, path text, body bytea)`))(b)
	return func(seq int, body []byte) error {
		digest := sha256.Sum256(body)
		_, err := pool.Exec(ctx, `INSERT INTO public.bare VALUES ($1, $2, $3, $4, $5)`, seq, time.Now(), digest[:], "/new_block", body)
		return err
	}
}

// BenchmarkBareInsertPost is what BenchmarkPost is compared with: the least that an HTTP server can do to commit the
// same bytes.
func BenchmarkBareInsertPost(b *testing.B) {
	insert := bareTable(b)
	seq := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			seq++ // posted one after the other
			err = insert(seq, body)
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"result":"ok"}`)
	}))
	defer server.Close()
	benchmarkPosts(b, &harness{t: b, address: server.Listener.Addr().String()})
}

// BenchmarkBareInsert is the commit alone, in a tight loop. On a machine that sleeps between requests it is faster
// than the same commit behind any server.
func BenchmarkBareInsert(b *testing.B) {
	insert := bareTable(b)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		body := benchmarkBody(i)
		begin := time.Now()
		must.Do(b, insert(i, body))
		took = append(took, time.Since(begin))
	}
	reportMedian(b, took)
}
