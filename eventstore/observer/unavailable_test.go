package observer_test

import (
	"bytes"
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/eventstore/observer"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/headlock"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// wantUnavailable checks that the answer asks the sender to send the event again.
func (h *harness) wantUnavailable(got strictResponse) {
	h.t.Helper()
	if got.status != 503 || got.headers["retry-after"] == "" {
		h.t.Errorf("got %d %s with Retry-After %q, want 503", got.status, got.body, got.headers["retry-after"])
	}
}

// The answer is the same whether the database refuses to write, as with a full disk, or is down.
func TestDatabaseRefuses(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{Log: openLog(t, migrated.New(t), eventstore.Config{})})
	admin := pgtest.Connect(t, pgtest.AdminURL(t))
	exec := func(sql string) {
		t.Helper()
		must.Get(admin.Exec(context.Background(), sql))(t)
	}
	exec(`CREATE FUNCTION log.full() RETURNS trigger LANGUAGE plpgsql AS
	      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$`)
	exec(`CREATE TRIGGER disk_full BEFORE INSERT ON log.event FOR EACH ROW EXECUTE FUNCTION log.full()`)
	for _, body := range [][]byte{[]byte("{}"), bytes.Repeat([]byte("x"), 3<<20)} {
		h.wantUnavailable(h.send(nodeRequest("/new_block", body)))
	}
	h.wantSize(0)
	exec(`DROP TRIGGER disk_full ON log.event`)
	for _, body := range [][]byte{[]byte("{}"), bytes.Repeat([]byte("x"), 3<<20)} {
		h.wantStored(h.send(nodeRequest("/new_block", body)))
	}
	h.wantSize(2)
	t.Logf("fault: a database that refuses to write; the same events were taken after it: %d", len(h.events()))
}

// If there is no room to spool, the sender is asked to send the event again.
func TestSpoolUnusable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/spool"
	h := start(t, observer.Config{Spool: eventstore.NewSpool(eventstore.SpoolConfig{Dir: dir, Threshold: 10})})
	h.wantStored(h.send(nodeRequest("/x", []byte("{}"))))
	h.wantUnavailable(h.send(nodeRequest("/x", bytes.Repeat([]byte("x"), 11))))
	must.Do(t, os.Mkdir(dir, 0o700))
	h.wantStored(h.send(nodeRequest("/x", bytes.Repeat([]byte("x"), 11))))
	h.wantSize(2)
}

// Senders that announce large bodies and send next to nothing don't stop the others.
func TestSlowSendersStopNobody(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	h := start(t, observer.Config{AppendTimeout: 5 * time.Second, Registry: registry,
		Spool: eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir()})})
	const senders = 64
	for range senders {
		announced := nodeRequest("/x", make([]byte, eventstore.SpoolThresholdDefault))
		must.Get(h.dial().Write(announced[:len(announced)-eventstore.SpoolThresholdDefault+1]))(t)
	}
	eventually.Holds(t, "all bodies are in flight", func() bool { return gauge(t, registry, "strata_observer_bodies_in_flight") == senders })
	for _, size := range []int{2, 100_000, 1 << 20} {
		h.wantStored(h.send(nodeRequest("/x", bytes.Repeat([]byte("x"), size))))
	}
	t.Logf("fault: %d senders that announce 1 MiB each and send a byte; 3 events of others were stored", senders)
}

func TestSenderGoneAfterTheBody(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{})
	for i, size := range []int{10, 3 << 20} {
		release := headlock.Hold(t, h.log.Pool())
		conn := h.dial()
		must.Get(conn.Write(nodeRequest("/x", bytes.Repeat([]byte("x"), size))))(t)
		headlock.AwaitWaiter(t, h.log.Pool())
		h.gone.Discard()
		_ = conn.Close()
		eventually.Receive(t, "the server notices", h.gone.C())
		release()
		eventually.Holds(t, "stored", func() bool { return len(h.events()) == i+1 })
	}
}

func TestAppendTimeout(t *testing.T) {
	t.Parallel()
	log := openLog(t, migrated.New(t), eventstore.Config{Timeout: time.Second})
	h := start(t, observer.Config{Log: log, AppendTimeout: 200 * time.Millisecond})
	release := headlock.Hold(t, h.log.Pool())
	h.wantUnavailable(h.send(nodeRequest("/x", []byte("{}"))))
	release()
}

func TestShutdownLetsAppendsFinish(t *testing.T) {
	t.Parallel()
	h := start(t, observer.Config{})
	release := headlock.Hold(t, h.log.Pool())
	conn := h.dial()
	must.Get(conn.Write(nodeRequest("/x", []byte("{}"))))(t)
	headlock.AwaitWaiter(t, h.log.Pool())
	h.stop()
	eventually.Holds(t, "no new connections", func() bool {
		select {
		case err := <-h.stopped:
			t.Fatalf("stopped with an append under way: %v", err)
		default:
		}
		return !accepts(h.address)
	})
	release()
	h.wantStored(h.answer(conn))
	if err := <-h.stopped; err != nil {
		t.Error(err)
	}
	h.stopped <- nil
	h.wantSize(1)
}

func TestShutdownCutsWhoeverStays(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	h := start(t, observer.Config{ShutdownTimeout: 200 * time.Millisecond, Registry: registry})
	conn := h.dial()
	request := nodeRequest("/x", []byte("{}"))
	must.Get(conn.Write(request[:len(request)-1]))(t)
	eventually.Holds(t, "the body is in flight", func() bool { return gauge(t, registry, "strata_observer_bodies_in_flight") == 1 })
	h.stop()
	if err := <-h.stopped; err != nil {
		t.Error(err)
	}
	h.stopped <- nil
	h.wantSize(0)
}

func TestAfterLogClosed(t *testing.T) {
	t.Parallel()
	log := openLog(t, migrated.New(t), eventstore.Config{})
	h := start(t, observer.Config{Log: log})
	log.Close()
	h.wantUnavailable(h.send(nodeRequest("/x", []byte("{}"))))
}

// Below the floor of free space, events are refused, so that the sender sends them again; a request for the status is answered.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	full.Store(true)
	h := start(t, observer.Config{Full: full.Load})
	event := nodeRequest("/new_block", []byte(`{"n":1}`))
	h.wantUnavailable(h.send(event))
	h.wantSize(0)
	full.Store(false)
	h.wantStored(h.send(event))
	t.Logf("fault: a disk below its floor; an event was refused, and taken once there was space: the log has %d", len(h.events()))
}
