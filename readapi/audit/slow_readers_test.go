package audit_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strata/internal/progress"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

// slowWorld serves an API as strata serve does, with another stall deadline, and a large event.
type slowWorld struct {
	*apitest.Site
	address          string
	begun, unserved  atomic.Int64 // requests for the event that have begun, and those of them that have not ended
	large            []byte
	largeEventTarget string
}

func newSlowWorld(t *testing.T, size int, stall time.Duration) *slowWorld {
	t.Helper()
	s := &slowWorld{Site: apitest.NewWorld(t), large: bytes.Repeat([]byte("0123456789abcdef"), size/16), largeEventTarget: "/audit/v1/events/161/body"}
	digest := sha256.Sum256(s.large)
	s.Exec(`INSERT INTO log.event (seq, received_at, size, sha256, source, path, content_type, body) VALUES (161, now(), $1, $2, 'test', '/x', '', $3)`,
		len(s.large), digest[:], s.large)
	s.Exec(`UPDATE log.head SET size = 161`)
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == s.largeEventTarget {
			s.begun.Add(1)
			s.unserved.Add(1)
			defer s.unserved.Add(-1)
		}
		s.API.ServeHTTP(w, r)
	})}
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(progress.Listener(listener, stall)) }()
	s.address = listener.Addr().String()
	return s
}

// request connects and sends a request. The system takes little for the client.
func (s *slowWorld) request(target string) net.Conn {
	s.T.Helper()
	c := must.Get(net.Dial("tcp", s.address))(s.T)
	s.T.Cleanup(func() { _ = c.Close() })
	_ = c.(*net.TCPConn).SetReadBuffer(16 << 10)
	must.Get(io.WriteString(c, "GET "+target+" HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"))(s.T)
	return c
}

// Many clients that never read the body of an event take bounded memory and no connections to the database, so that others
// are served meanwhile, and are gone after the stall deadline. The test runs alone: it measures the process.
func TestManyClientsThatDoNotRead(t *testing.T) {
	const clients, size, pieces = 500, 8 << 20, 64 << 20
	s := newSlowWorld(t, size, 3*time.Second)
	before := runtime.NumGoroutine()
	for range clients {
		s.request(s.largeEventTarget)
	}
	eventually.Holds(t, "all have asked", func() bool { return s.begun.Load() == clients })
	for range 20 {
		got, err := io.ReadAll(s.request("/audit/v1/events/2/body"))
		if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200") {
			t.Fatalf("another client: got %.100s, %v", got, err)
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if most := uint64(2 * (pieces + clients*(128<<10))); memory.HeapInuse > most {
		t.Errorf("the heap has %d bytes, want at most %d", memory.HeapInuse, most)
	}
	if most := before + 4*clients; runtime.NumGoroutine() > most {
		t.Errorf("there are %d goroutines, want at most %d", runtime.NumGoroutine(), most)
	}
	eventually.Holds(t, "no connection to the database is taken", func() bool { return s.Pool.Stat().AcquiredConns() == 0 })
	eventually.Holds(t, "the clients are gone", func() bool { return s.unserved.Load() == 0 && runtime.NumGoroutine() < before+100 })
}

// A client of 100 kbit/s gets the whole body of an event, which takes several times as long as it may take for a piece. Rate
// and deadline are fifteen times those of a server, so that the test is short.
func TestSlowClientsGetLargeBodies(t *testing.T) {
	t.Parallel()
	const faster = 15
	s := newSlowWorld(t, 1<<20+256<<10, progress.Stall/faster)
	c := s.request(s.largeEventTarget)
	const pause = 40 * time.Millisecond
	perPause := int64(faster * 100_000 / 8 * pause / time.Second)
	var got bytes.Buffer
	began, rate := time.Now(), time.NewTicker(pause)
	defer rate.Stop()
	for {
		if _, err := io.CopyN(&got, c, perPause); err != nil {
			break
		}
		<-rate.C
	}
	if !bytes.HasSuffix(got.Bytes(), s.large) {
		t.Errorf("got %d bytes in %v, want %d and a head", got.Len(), time.Since(began), len(s.large))
	}
	if took := time.Since(began); took < 2*progress.Stall/faster {
		t.Errorf("it took %v, which proves nothing", took)
	}
}
