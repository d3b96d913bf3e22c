package cache_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/redistest"
	"strata/internal/testkit/short"
	"strata/readapi/internal/cache"
)

// boundBefore is for an answer before the breaker has opened: a call to Redis takes a second at most. boundAfter is for
// one while the breaker is open. On a busy machine some take longer, but not all.
const boundBefore, boundAfter = 4 * time.Second, 20 * time.Millisecond

// bench is a cache before a Redis that will fail.
type bench struct {
	t        *testing.T
	cache    *cache.Cache[*text]
	registry *prometheus.Registry
	journal  *journal
}

func newBench(t *testing.T, url string) *bench {
	b := &bench{t: t, registry: prometheus.NewRegistry(), journal: &journal{}}
	b.cache = start(t, cache.NeverSlow(cache.Config[*text]{
		Redis: open(t, url), Registerer: b.registry, Logger: slog.New(b.journal),
	}))
	return b
}

// ask asks for something new, which has to be answered whatever Redis does.
func (b *bench) ask() (key cache.Key, took time.Duration) {
	b.t.Helper()
	keys := newKeys()
	var m maker
	begin := time.Now()
	value, err := b.cache.Do(b.t.Context(), keys, m.make(keys.Current, "body"))
	took = time.Since(begin)
	if err != nil || value.string != "body" {
		b.t.Errorf("got %v, %v", value, err)
	}
	return keys.Current, took
}

// waitStored asks for something new, and waits until it is in Redis.
func (b *bench) waitStored(server *redistest.Server) {
	b.t.Helper()
	key, _ := b.ask()
	waitStored(b.t, server, key)
}

func (b *bench) state(operation string) float64 {
	return metric(b.t, b.registry, "breaker_state", operation)
}

// fail asks until the breaker of an operation is open, then checks that Redis is left alone.
func (b *bench) fail(operation string) {
	b.t.Helper()
	var mu sync.Mutex
	quickest := time.Hour
	eventually.Holds(b.t, "the breaker for "+operation+" opens", func() bool {
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				_, took := b.ask()
				mu.Lock()
				defer mu.Unlock()
				quickest = min(quickest, took)
			})
		}
		callers.Wait()
		return b.state(operation) != 0
	})
	if quickest > boundBefore {
		b.t.Errorf("all answers took %v or more, want %v at most", quickest, boundBefore)
	}
	b.leftAlone(operation)
}

// leftAlone asks while a breaker is open, over several of its probes: no request calls Redis.
func (b *bench) leftAlone(operation string) {
	b.t.Helper()
	count := func(call string) float64 { return metric(b.t, b.registry, "redis_seconds", call) }
	call := map[string]string{"read": "get", "write": "lock"}[operation]
	calls, probes, quickest := count(call), count("probe"), time.Hour
	eventually.Holds(b.t, "there are two probes", func() bool {
		_, took := b.ask()
		quickest = min(quickest, took)
		return count("probe") >= probes+2
	})
	if got := count(call); got != calls {
		b.t.Errorf("Redis got %v calls of requests while it was out of use", got-calls)
	}
	if quickest > boundAfter {
		b.t.Errorf("all answers took %v or more while Redis was out of use, want %v at most", quickest, boundAfter)
	}
}

// recover waits until Redis is used again, for reading and writing.
func (b *bench) recover(server *redistest.Server) {
	b.t.Helper()
	eventually.Holds(b.t, "the breakers are closed", func() bool { return b.state("read") == 0 && b.state("write") == 0 })
	b.waitStored(server)
}

// told checks that the operator has had one warning about each outage, and news of its end.
func (b *bench) told(outages, ends int, contents ...string) {
	b.t.Helper()
	warnings := b.journal.messages(slog.LevelWarn)
	if len(warnings) != outages {
		b.t.Errorf("%d warnings about %d outages: %q", len(warnings), outages, warnings)
	}
	for _, warning := range warnings {
		for _, content := range contents {
			if !strings.Contains(warning, content) {
				b.t.Errorf("the warning %q doesn't say %q", warning, content)
			}
		}
	}
	back := 0
	for _, message := range b.journal.messages(slog.LevelInfo) {
		if strings.HasPrefix(message, "Redis is used again") {
			back++
		}
	}
	check.Equal(b.t, "messages that Redis is back", back, ends)
}

func TestStoppedAndStartedAgain(t *testing.T) {
	short.Skip(t, "starts several Redis")
	t.Parallel()
	server := redistest.New(t)
	b := newBench(t, server.URL())
	b.waitStored(server)
	for outage := 1; outage <= 2; outage++ {
		server.Stop()
		b.fail("read")
		b.told(outage, outage-1, "kind=connection")
		server.Start()
		b.recover(server)
		b.told(outage, outage)
	}
}

func TestPaused(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	b := newBench(t, server.URL())
	b.waitStored(server)
	server.Pause()
	b.fail("read")
	b.told(1, 0, "kind=timeout")
	server.Resume()
	b.recover(server)
	b.told(1, 1)
}

func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	server := redistest.New(t, "--maxmemory-policy", "noeviction")
	b := newBench(t, server.URL())
	before := newKeys()
	var m maker
	mustDo(t, b.cache, before, m.make(before.Current, "before"))
	waitStored(t, server, before.Current)
	client := redistest.Client(t, server)
	limit := func(bytes string) {
		must.Do(t, client.ConfigSet(t.Context(), "maxmemory", bytes).Err())
	}
	limit("1000") // less than it needs when empty: filling it up would leave it at the edge, where some writes succeed
	b.fail("write")
	b.told(1, 0, "can't be written", "out of memory", "OOM command not allowed")
	// Reads go on.
	if b.state("read") != 0 {
		t.Error("a full Redis isn't read any more")
	}
	second := patient(t, server.URL(), prometheus.NewRegistry())
	check.Equal(t, "from a full Redis", mustDo(t, second, before, m.make(before.Current, "made again")), "before")
	limit("0") // none
	b.recover(server)
	b.told(1, 1)
}

// TestNeverAnswers is a server that accepts connections, and that's it.
func TestNeverAnswers(t *testing.T) {
	t.Parallel()
	b := newBench(t, "redis://"+listen(t, func(connection net.Conn) { _, _ = io.Copy(io.Discard, connection) }))
	b.fail("read")
	b.told(1, 0, "answers come from Postgres and the in-process tier")
}

// TestSpeaksAnotherLanguage is a server of something else.
func TestSpeaksAnotherLanguage(t *testing.T) {
	t.Parallel()
	b := newBench(t, "redis://"+listen(t, func(connection net.Conn) {
		buffer := make([]byte, 4096)
		for {
			if _, err := connection.Read(buffer); err != nil {
				return
			}
			if _, err := io.WriteString(connection, "HTTP/1.1 400 Bad Request\r\n\r\n\x00\xff$9999999999\r\n"); err != nil {
				return
			}
		}
	}))
	b.fail("read")
	b.told(1, 0)
}

// TestSlow is a Redis whose answers are right, and late.
func TestSlow(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	var delay atomic.Int64
	address := listen(t, func(connection net.Conn) {
		upstream, err := net.Dial("tcp", server.Addr())
		if err != nil {
			return
		}
		defer upstream.Close() //nolint:errcheck // the test is over
		go func() {
			_, _ = io.Copy(upstream, connection)
			_ = upstream.Close() // so that reading it ends too
		}()
		buffer := make([]byte, 1<<16)
		for {
			n, err := upstream.Read(buffer)
			if err != nil {
				return
			}
			time.Sleep(time.Duration(delay.Load()))
			if _, err := connection.Write(buffer[:n]); err != nil {
				return
			}
		}
	})
	registry := prometheus.NewRegistry()
	c := start(t, cache.OnlySlow(cache.Config[*text]{Redis: openPatient(t, "redis://"+address), Registerer: registry}))
	slow := func() float64 { return metric(t, registry, "errors_total", "slow") }
	read := func() float64 { return metric(t, registry, "breaker_state", "read") }
	// A busy machine may open the breaker before Redis is slow.
	first := patient(t, server.URL(), prometheus.NewRegistry())
	var m maker
	keysOf := func() cache.Keys {
		keys := newKeys()
		mustDo(t, first, keys, m.make(keys.Current, "body"))
		waitStored(t, server, keys.Current)
		return keys
	}
	mustDo(t, c, keysOf(), m.make(newKey(), "made again"))
	eventually.Holds(t, "Redis is used", func() bool { return read() == 0 })

	delay.Store(int64(50 * time.Millisecond))
	used := 0
	eventually.Holds(t, "the breaker opens", func() bool {
		keys := keysOf()
		if mustDo(t, c, keys, m.make(keys.Current, "made again")) == "body" {
			used++
		}
		return read() != 0
	})
	if used == 0 || slow() < 5 {
		t.Errorf("%d late answers were used, %v counted as slow", used, slow())
	}
	delay.Store(0)
	eventually.Holds(t, "Redis is used again", func() bool { return read() == 0 })
}

// TestOverwrittenByHand is a value that isn't one of ours: it is made anew and heals.
func TestOverwrittenByHand(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	registry, log := prometheus.NewRegistry(), &journal{}
	c := start(t, cache.Patient(cache.Config[*text]{Redis: openPatient(t, server.URL()), Registerer: registry, Logger: slog.New(log)}))
	client := redistest.Client(t, server)
	for range 3 {
		keys := newKeys()
		must.Do(t, client.Set(t.Context(), cache.RedisKey(keys.Current), "\x00garbage", 0).Err())
		var m maker
		check.Equal(t, "body", mustDo(t, c, keys, m.make(keys.Current, "body")), "body")
		eventually.Holds(t, "the value is stored again", func() bool {
			return client.Get(t.Context(), cache.RedisKey(keys.Current)).Val() == cache.Named(keys.Current, header+"body")
		})
	}
	if warnings := log.messages(slog.LevelWarn); len(warnings) != 1 || !strings.Contains(warnings[0], "can't be parsed") {
		t.Errorf("warnings %q, want one", warnings)
	}
	if got := metric(t, registry, "errors_total", "unparsable"); got < 3 {
		t.Errorf("%v counted", got)
	}
}

// TestFailover has the replica take over.
func TestFailover(t *testing.T) {
	short.Skip(t, "starts several Redis")
	t.Parallel()
	sentinel := redistest.NewSentinel(t)
	b := newBench(t, sentinel.URL())
	b.waitStored(sentinel.Master)
	sentinel.Master.Stop()
	eventually.Holds(t, "the replica is the master", func() bool {
		b.ask()
		return strings.Contains(redistest.Client(t, sentinel.Replica).Info(t.Context(), "replication").Val(), "role:master")
	})
	b.recover(sentinel.Replica)
}

// listen accepts connections until the test ends, and returns the address.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	var connections sync.WaitGroup
	connections.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Go(func() {
				stop := context.AfterFunc(ctx, func() { _ = connection.Close() })
				defer stop()
				serve(connection)
				_ = connection.Close() // the client may have been first
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		connections.Wait()
	})
	return listener.Addr().String()
}
