package soak

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"strata/internal/pause"
)

// attacks are clients that mean no good. Each kind counts the connections that it has opened.
type attacks struct {
	api, observer string // host:port
	each          int    // clients of each kind
	flood         int    // connections of the flood

	slowSenders, deafReaders, flooded, deafStreams atomic.Int64
}

// run attacks until ctx is done.
func (a *attacks) run(ctx context.Context) {
	var group sync.WaitGroup
	for _, kind := range []struct {
		clients int
		attack  func(context.Context)
	}{{a.each, a.sendSlowly}, {a.each, a.readNothing}, {a.flood, a.holdOpen}, {a.each, a.streamToNobody}} {
		for range kind.clients {
			group.Go(func() {
				for ctx.Err() == nil {
					kind.attack(ctx)
					pause.For(ctx, 500*time.Millisecond)
				}
			})
		}
	}
	group.Wait()
}

// dial opens a connection for do, which is closed when ctx is done or after the limit.
func dial(ctx context.Context, address string, limit time.Duration, count *atomic.Int64, do func(*net.TCPConn)) {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return
	}
	defer conn.Close() //nolint:errcheck // it may be closed already
	count.Add(1)
	_ = conn.SetDeadline(time.Now().Add(limit))
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	do(conn.(*net.TCPConn))
}

// sendSlowly announces an event of 1 MiB, and sends a byte of it each second.
func (a *attacks) sendSlowly(ctx context.Context) {
	dial(ctx, a.observer, time.Hour, &a.slowSenders, func(conn *net.TCPConn) {
		_, err := fmt.Fprintf(conn, "POST /new_block HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n{")
		for ; err == nil && ctx.Err() == nil; pause.For(ctx, time.Second) {
			_, err = conn.Write([]byte(" "))
		}
	})
}

// readNothing asks for far more than buffers hold, and never reads an answer.
func (a *attacks) readNothing(ctx context.Context) {
	dial(ctx, a.api, 20*time.Second, &a.deafReaders, func(conn *net.TCPConn) {
		_ = conn.SetReadBuffer(4096)
		request := "GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
		_, _ = io.WriteString(conn, strings.Repeat(request, 50)) // it blocks, or fails, when the server has had enough
		pause.For(ctx, 15*time.Second)
	})
}

// holdOpen begins a request that it never ends.
func (a *attacks) holdOpen(ctx context.Context) {
	dial(ctx, a.api, 5*time.Second, &a.flooded, func(conn *net.TCPConn) {
		_, _ = io.WriteString(conn, "GET /extended/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-")
		_, _ = io.Copy(io.Discard, conn)
	})
}

// streamToNobody follows the chain from its beginning, and never reads an event.
func (a *attacks) streamToNobody(ctx context.Context) {
	dial(ctx, a.api, time.Minute, &a.deafStreams, func(conn *net.TCPConn) {
		_ = conn.SetReadBuffer(4096)
		_, _ = io.WriteString(conn, "GET /stream/v1/blocks?from=log=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
		pause.For(ctx, 20*time.Second)
	})
}
