package observer_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"strata/eventstore"
	"strata/eventstore/observer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
)

// post sends n bytes of the pattern, and checks the answer.
func (h *harness) post(n int64) error {
	conn, err := net.Dial("tcp", h.address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "POST /new_block HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\nconnection: close\r\n\r\n", n); err != nil {
		return err
	}
	if _, err := io.Copy(conn, pattern(n)); err != nil {
		return err
	}
	got, err := readStrict(conn)
	if err != nil {
		return err
	}
	if got.status != http.StatusOK {
		return fmt.Errorf("got %d %s", got.status, got.body)
	}
	return nil
}

// heapPeak samples the heap while work runs, and returns by how much it grew at most.
func heapPeak(work func()) uint64 {
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			case <-done:
				peak <- most
				return
			}
		}
	}()
	work()
	close(done)
	most := <-peak
	return most - min(most, before.HeapAlloc)
}

// wantPattern checks the stored bytes of an event.
func (h *harness) wantPattern(seq, size int64) {
	h.t.Helper()
	want := sha256.New()
	must.Get(io.Copy(want, pattern(size)))(h.t)
	e := must.Get(h.log.Get(context.Background(), seq, false))(h.t)
	if e.Size != size || string(e.SHA256[:]) != string(want.Sum(nil)) {
		h.t.Errorf("event %d: got %d bytes with SHA-256 %x", seq, e.Size, e.SHA256)
	}
	// The digest by the database, over what it really holds.
	stored := pgtest.Value[[]byte](h.t, h.log.Pool(), `SELECT sha256(body) FROM log.delivery WHERE seq = $1`, seq)
	if string(stored) != string(e.SHA256[:]) {
		h.t.Errorf("event %d: the stored bytes have SHA-256 %x, want %x", seq, stored, e.SHA256)
	}
}

// The tests below measure the heap, so they don't run beside others.

func TestMemoryOfConcurrentBodies(t *testing.T) {
	short.Skip(t, "posts 512 MiB")
	const (
		senders = 8
		limit   = 32 << 20
	)
	h := start(t, observer.Config{Log: openLog(t, migrated.New(t), eventstore.Config{Timeout: time.Minute})})
	failures := make([]error, senders)
	grown := heapPeak(func() {
		var all sync.WaitGroup
		for i := range senders {
			all.Go(func() { failures[i] = h.post(64<<20 + int64(i)) }) // each of its own, so that none is stored by reference
		}
		all.Wait()
	})
	for i, err := range failures {
		if err != nil {
			t.Errorf("sender %d: %v", i, err)
		}
	}
	t.Logf("the heap grew by %.1f MiB for %d bodies of 64 MiB", float64(grown)/(1<<20), senders)
	if grown > limit {
		t.Errorf("the heap grew by %d bytes, limit %d", grown, limit)
	}
	h.wantSize(senders)
}

func TestLargestBody(t *testing.T) {
	short.Skip(t, "posts 512 MiB")
	h := start(t, observer.Config{Log: openLog(t, migrated.New(t), eventstore.Config{Timeout: time.Minute})})
	begin := time.Now()
	var err error
	grown := heapPeak(func() { err = h.post(eventstore.SpoolLimitDefault) })
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("512 MiB in %v, the heap grew by %.1f MiB", time.Since(begin).Round(time.Millisecond), float64(grown)/(1<<20))
	if grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	h.wantPattern(1, eventstore.SpoolLimitDefault)
}
