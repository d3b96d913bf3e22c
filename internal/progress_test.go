package internal_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"strata/internal/pause"
	"strata/internal/progress"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// pair returns both ends of a TCP connection.
func pair(t *testing.T) (server, client net.Conn) {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	client = must.Get(net.Dial("tcp", listener.Addr().String()))(t)
	server = must.Get(listener.Accept())(t)
	t.Cleanup(func() {
		_ = server.Close()
		_ = client.Close()
	})
	return server, client
}

var large = bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // 16 MiB: more than the buffers of both sides

func TestWhoeverDoesNotReadIsGone(t *testing.T) {
	t.Parallel()
	inner, _ := pair(t)
	n, err := progress.New(inner, 200*time.Millisecond).Write(large)
	if !errors.Is(err, os.ErrDeadlineExceeded) || n == len(large) {
		t.Errorf("wrote %d bytes to a client that does not read, and got %v", n, err)
	}
}

// A client that takes all pieces in time may take longer for the whole.
func TestWhoeverReadsSlowlyGetsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner, client := net.Pipe() // whose deadlines pass with the time of the test
		const stall = 2 * time.Second
		written := make(chan error, 1)
		begin := time.Now()
		go func() {
			_, err := progress.New(inner, stall).Write(large)
			_ = inner.Close()
			written <- err
		}()
		var got bytes.Buffer
		for {
			if _, err := io.CopyN(&got, client, 1<<20); err != nil {
				break
			}
			pause.For(t.Context(), stall*9/10)
		}
		if err := <-written; err != nil || !bytes.Equal(got.Bytes(), large) {
			t.Errorf("got %d bytes after %v, want %d; %v", got.Len(), time.Since(begin), len(large), err)
		}
		if took := time.Since(begin); took < 5*stall {
			t.Errorf("the whole took %v only, so the test shows nothing", took)
		}
	})
}

// The deadline of the connection's user counts if it is earlier.
func TestDeadlineOfTheUser(t *testing.T) {
	t.Parallel()
	inner, _ := pair(t)
	conn := progress.New(inner, time.Hour)
	must.Do(t, conn.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	if _, err := conn.Write(large); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	must.Do(t, conn.SetDeadline(time.Time{}))
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Write(large)
		ended <- err
	}()
	must.Do(t, conn.SetWriteDeadline(time.Now())) // before or while it writes
	if err := eventually.Receive(t, "the write ends", ended); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// Clients that never read end; their handlers are free again.
func TestProgressOfServer(t *testing.T) {
	t.Parallel()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	const clients = 50
	ended := make(chan struct{}, clients)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(large)
		ended <- struct{}{}
	})}
	go func() { _ = server.Serve(progress.Listener(listener, 500*time.Millisecond)) }()
	t.Cleanup(func() { _ = server.Close() })
	for range clients {
		client := must.Get(net.Dial("tcp", listener.Addr().String()))(t)
		t.Cleanup(func() { _ = client.Close() })
		must.Get(io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))(t)
	}
	for range clients {
		eventually.Receive(t, "a handler ends although its client does not read", ended)
	}
}
