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

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/redistest"
	"strata/readapi/internal/cache"
)

const (
	// boundBefore is for a call before the breaker has opened, boundAfter for one while it is open.
	boundBefore, boundAfter = 400 * time.Millisecond, 20 * time.Millisecond
	// busy is what a call may take longer because the machine does other things, or the race detector watches.
	busy = 200 * time.Millisecond
)

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

// ask asks for something new, which has to be answered within a bound whatever Redis does.
func (b *bench) ask(bound time.Duration) cache.Key {
	b.t.Helper()
	keys := newKeys()
	var m maker
	begin := time.Now()
	value, err := b.cache.Do(b.t.Context(), keys, m.make(keys.Current, "body"))
	took := time.Since(begin)
	if err != nil || value.string != "body" {
		b.t.Errorf("got %v, %v", value, err)
	}
	if took > bound+busy {
		b.t.Errorf("the answer took %v, not within %v", took, bound)
	}
	return keys.Current
}

func (b *bench) state(operation string) float64 {
	return metric(b.t, b.registry, "breaker_state", operation)
}

// fail asks until the breaker of an operation is open, then checks that Redis is left alone.
func (b *bench) fail(operation string) {
	b.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); b.state(operation) == 0; {
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() { b.ask(boundBefore) })
		}
		callers.Wait()
		if time.Now().After(deadline) {
			b.t.Fatalf("the breaker for %s didn't open", operation)
		}
	}
	b.quick()
}

// quick asks while a breaker is open, over several of its probes. The median has to be quick even on a busy machine.
func (b *bench) quick() {
	b.t.Helper()
	slow := 0
	const asks = 50
	for range asks {
		begin := time.Now()
		b.ask(boundAfter)
		if time.Since(begin) > boundAfter {
			slow++
		}
		time.Sleep(50 * time.Millisecond)
	}
	if slow > asks/5 {
		b.t.Errorf("%d of %d answers took more than %v while Redis was out of use", slow, asks, boundAfter)
	}
}

// recover waits until Redis is used again, for reading and writing.
func (b *bench) recover(server *redistest.Server) {
	b.t.Helper()
	eventually.Holds(b.t, "the breakers are closed", func() bool { return b.state("read") == 0 && b.state("write") == 0 })
	waitStored(b.t, server, b.ask(boundBefore))
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
	if back != ends {
		b.t.Errorf("%d messages that Redis is back, want %d", back, ends)
	}
}

func TestStoppedAndStartedAgain(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	b := newBench(t, server.URL())
	waitStored(t, server, b.ask(boundBefore))
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
	waitStored(t, server, b.ask(boundBefore))
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
	client := server.Client(t)
	limit := func(bytes string) {
		if err := client.ConfigSet(t.Context(), "maxmemory", bytes).Err(); err != nil {
			t.Fatal(err)
		}
	}
	limit("1000") // less than it needs when empty: filling it up would leave it at the edge, where some writes succeed
	b.fail("write")
	b.told(1, 0, "can't be written", "out of memory", "OOM command not allowed")
	// Reads go on.
	if b.state("read") != 0 {
		t.Error("a full Redis isn't read any more")
	}
	second := patient(t, server.URL(), prometheus.NewRegistry())
	if got := mustDo(t, second, before, m.make(before.Current, "made again")); got != "before" {
		t.Errorf("got %q from a full Redis", got)
	}
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
	c := start(t, cache.Config[*text]{Redis: open(t, "redis://"+address), Registerer: registry})
	slow := func() float64 { return metric(t, registry, "errors_total", "slow") }
	read := func() float64 { return metric(t, registry, "breaker_state", "read") }
	// The first calls wait for a connection; a busy machine may even open the breaker.
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
	for deadline := time.Now().Add(20 * time.Second); read() == 0; {
		keys := keysOf()
		value, err := c.Do(t.Context(), keys, m.make(keys.Current, "made again"))
		if err != nil {
			t.Fatal(err)
		}
		if value.string == "body" {
			used++
		}
		if time.Now().After(deadline) {
			t.Fatal("the breaker didn't open")
		}
	}
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
	client := server.Client(t)
	for range 3 {
		keys := newKeys()
		if err := client.Set(t.Context(), cache.RedisKey(keys.Current), "\x00garbage", 0).Err(); err != nil {
			t.Fatal(err)
		}
		var m maker
		if got := mustDo(t, c, keys, m.make(keys.Current, "body")); got != "body" {
			t.Errorf("got %q", got)
		}
		eventually.Holds(t, "the value is stored again", func() bool {
			return client.Get(t.Context(), cache.RedisKey(keys.Current)).Val() == header+"body"
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
	t.Parallel()
	sentinel := redistest.NewSentinel(t)
	b := newBench(t, sentinel.URL())
	waitStored(t, sentinel.Master, b.ask(boundBefore))
	sentinel.Master.Stop()
	eventually.Holds(t, "the replica is the master", func() bool {
		b.ask(boundBefore)
		return strings.Contains(sentinel.Replica.Client(t).Info(t.Context(), "replication").Val(), "role:master")
	})
	b.recover(sentinel.Replica)
}

// listen accepts connections until the test ends, and returns the address.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
