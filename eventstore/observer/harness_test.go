package observer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/observer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testsignal"
	"strata/migrations"
)

var migrated = pgtest.Template("log", migrations.Up)

// harness is a running observer on its own port.
type harness struct {
	t       testing.TB
	log     *eventstore.Log
	address string
	stop    context.CancelFunc
	stopped chan error
	gone    testsignal.Signal // sent when the server has read the end of a connection
}

// start runs an observer until the test ends, on an empty log unless config has one.
func start(t testing.TB, config observer.Config) *harness {
	t.Helper()
	if config.Log == nil {
		config.Log = openLog(t, migrated.New(t), eventstore.Config{})
	}
	if config.Spool == nil {
		config.Spool = eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir()})
	}
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(context.Background())
	h := &harness{t: t, log: config.Log, address: listener.Addr().String(), stop: stop, stopped: make(chan error, 1)}
	h.gone.Init()
	go func() { h.stopped <- observer.New(config).Serve(ctx, noticing{listener, &h.gone}) }()
	t.Cleanup(func() {
		stop()
		if err := <-h.stopped; err != nil {
			t.Errorf("serve: %v", err)
		}
		h.stopped <- nil
	})
	return h
}

// noticing signals when one of its connections was read to its end.
type noticing struct {
	net.Listener
	gone *testsignal.Signal
}

func (l noticing) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return noticingConn{conn, l.gone}, err
}

type noticingConn struct {
	net.Conn
	gone *testsignal.Signal
}

func (c noticingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if errors.Is(err, io.EOF) {
		c.gone.Send()
	}
	return n, err
}

func openLog(t testing.TB, pool *pgxpool.Pool, config eventstore.Config) *eventstore.Log {
	t.Helper()
	log := eventstore.Open(pool, config)
	t.Cleanup(log.Close)
	return log
}

// dial opens a connection that is closed when the test ends.
func (h *harness) dial() net.Conn {
	h.t.Helper()
	conn := must.Get(net.Dial("tcp", h.address))(h.t)
	h.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return conn
}

// nodeRequest returns a request in the form in which a stacks-node sends it.
func nodeRequest(path string, body []byte) []byte {
	return append(fmt.Appendf(nil, "POST %s HTTP/1.1\r\nUser-Agent: stacks/3.0\r\nHost: localhost:3700\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nconnection: close\r\n"+
		"Accept: application/octet-stream, application/json, text/plain\r\n\r\n", path, len(body)), body...)
}

// send writes a request to a new connection and reads the answer by the node's rules.
func (h *harness) send(request []byte) strictResponse {
	h.t.Helper()
	conn := h.dial()
	must.Get(conn.Write(request))(h.t)
	return h.answer(conn)
}

func (h *harness) answer(r io.Reader) strictResponse {
	h.t.Helper()
	got, err := readStrict(r)
	if err != nil {
		h.t.Fatalf("a node would not accept the answer: %v", err)
	}
	return got
}

// wantStored checks that the answer says that the event is stored.
func (h *harness) wantStored(got strictResponse) {
	h.t.Helper()
	if got.status != 200 || string(got.body) != `{"result":"ok"}` {
		h.t.Fatalf("got %d %s, want 200 {\"result\":\"ok\"}", got.status, got.body)
	}
}

// events returns all events of the log.
func (h *harness) events() []eventstore.Event {
	h.t.Helper()
	return must.Get(h.log.Read(context.Background(), eventstore.Range{Events: 10_000, Bytes: 1 << 30}))(h.t)
}

func (h *harness) wantSize(want int64) {
	h.t.Helper()
	got := must.Get(h.log.Size(context.Background()))(h.t)
	if got != want {
		h.t.Fatalf("the log has %d events, want %d", got, want)
	}
}

// pattern returns a reader of n varied bytes that are not held in memory.
func pattern(n int64) io.Reader {
	block := bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuvwxyz,:[]{} "), 1000)
	return io.LimitReader(&repeater{block: block}, n)
}

type repeater struct {
	block []byte
	at    int
}

func (r *repeater) Read(p []byte) (int, error) {
	n := copy(p, r.block[r.at:])
	r.at = (r.at + n) % len(r.block)
	return n, nil
}

func replaceHeader(request []byte, old, new string) []byte {
	return []byte(strings.Replace(string(request), old, new, 1))
}

// accepts reports whether a server listens at the address.
func accepts(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
