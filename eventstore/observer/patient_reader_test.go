package observer

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"strata/internal/pause"
)

// receiveSlowly reads a body of size bytes whose sender pauses before each of them. It returns the status for a sender whose body
// could not be read, or 200, and how long that took in the time of the test.
func receiveSlowly(t *testing.T, config Config, size int64, wait time.Duration) (status int, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server, sender := net.Pipe()
		go func() {
			defer func() { _ = sender.Close() }()
			for range size {
				pause.For(t.Context(), wait)
				if _, err := sender.Write([]byte{'x'}); err != nil {
					return
				}
			}
		}()
		began := time.Now()
		r := httptest.NewRequest(http.MethodPost, "/x", io.LimitReader(server, size))
		r.ContentLength = size
		body, refusal, ok := New(config).readBody(deadlines{httptest.NewRecorder(), server}, r)
		took = time.Since(began)
		_ = server.Close()
		if !ok {
			status = refusal.code
			return
		}
		status = http.StatusOK
		body.Close()
	})
	return status, took
}

// deadlines are those of a connection.
type deadlines struct {
	http.ResponseWriter
	conn net.Conn
}

func (d deadlines) SetReadDeadline(t time.Time) error { return d.conn.SetReadDeadline(t) }

// The observer waits longer for a slow sender that makes progress than for a silent one.
func TestSlowSender(t *testing.T) {
	t.Parallel()
	config := Config{StallTimeout: 3 * time.Second, LeastRate: 1}
	if status, took := receiveSlowly(t, config, 13, 900*time.Millisecond); status != http.StatusOK || took != 13*900*time.Millisecond {
		t.Errorf("a slow sender: got %d after %s, want 200", status, took)
	}
	if status, took := receiveSlowly(t, config, 13, time.Minute); status != http.StatusRequestTimeout || took != config.StallTimeout {
		t.Errorf("a silent sender: got %d after %s, want 408 after %s", status, took, config.StallTimeout)
	}
}

// A sender that never stops for long, but is too slow as a whole, is sent away.
func TestLeastRate(t *testing.T) {
	t.Parallel()
	// At 100 bytes a second, it is behind for longer than StallTimeout when it has sent 5/9 of what StallTimeout allows for.
	config := Config{StallTimeout: 500 * time.Millisecond, LeastRate: 1000}
	if status, took := receiveSlowly(t, config, 10_000, 10*time.Millisecond); status != http.StatusRequestTimeout || took > 600*time.Millisecond {
		t.Errorf("got %d after %s, want 408 after little more than %s", status, took, config.StallTimeout)
	}
}
