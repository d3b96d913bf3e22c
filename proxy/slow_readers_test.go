package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"strata/internal/progress"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// Many clients that never read long answers of a node take bounded memory and seats, so that others are served meanwhile, and
// are gone after the stall deadline. The test runs alone: it measures the process.
func TestManySlowReaders(t *testing.T) {
	const clients = 500
	node := newNode(t, 10)
	long := bytes.Repeat([]byte("0123456789abcdef"), 3*BufferMax/16)
	node.respond(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v3/blocks/long" {
			_, _ = w.Write(long)
			return
		}
		_, _ = io.WriteString(w, "short")
	})
	const seats = 16
	p := startProxy(t, Config{ConcurrencyPerNode: seats}, node)
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	server := &http.Server{Handler: p, IdleTimeout: 4 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(progress.Listener(listener, 4*time.Second)) }()
	before := runtime.NumGoroutine()
	for range clients {
		c := must.Get(net.Dial("tcp", listener.Addr().String()))(t)
		defer func() { _ = c.Close() }()
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		must.Get(io.WriteString(c, "GET /v3/blocks/long HTTP/1.1\r\nHost: x\r\n\r\n"))(t)
	}
	eventually.Holds(t, "the node has answered, and few answers wait for clients in their seats", func() bool {
		s := p.Nodes()[0]
		return node.requests.Load() > seats && s.Queued == 0 && s.InFlight <= seats/unreadShare
	})
	// Each new path is a request of its own at the node.
	for i := range 50 {
		got := p.get(t, "/v2/accounts/SP"+string(rune('A'+i%26))+string(rune('A'+i/26)))
		got.want(t, http.StatusOK, "short")
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	// What is read ahead, the first parts of those answers, and as much again for the collector.
	if most := uint64(2 * (restsMemory + restsMemory/2 + seats*2*BufferMax + clients*(64<<10))); memory.HeapInuse > most {
		t.Errorf("the heap has %d bytes, want at most %d", memory.HeapInuse, most)
	}
	if most := before + 6*clients; runtime.NumGoroutine() > most {
		t.Errorf("there are %d goroutines, want at most %d", runtime.NumGoroutine(), most)
	}
	eventually.Holds(t, "the clients are gone, and what they took is back", func() bool {
		if p.Nodes()[0].InFlight != 0 || !p.memory.rests.TryAcquire(restsMemory) {
			return false
		}
		p.memory.rests.Release(restsMemory)
		return runtime.NumGoroutine() < before+100
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Errorf("shut down: %v", err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("serve: %v", err)
	}
}
