package fanout_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"strata/eventstore"
	"strata/eventstore/fanout"
	"strata/eventstore/topic"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/replay"
	"strata/projections/balances"
	"strata/projections/chain"
)

// TestCluster sends the log over three servers of NATS, which are killed one after the other, with two publishers, of which one ends.
// A copy of the log in another database has the same events, and its projections the same rows; and a consumer of messages
// that is interrupted has had each event once, in order.
func TestCluster(t *testing.T) {
	events := 800
	if *long {
		events = 10_000
	}
	nodes := newCluster(t)
	stream := fanout.StreamConfig{Replicas: 3}
	from, to := replay.NewLog(t), replay.NewLogApart(t)
	fold(t, from)
	fold(t, to)
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))

	publish := func() (stop func()) {
		wake := from.Listener().Wake(eventstore.Channel, 50*time.Millisecond)
		conn := connect(t, nodes)
		publisher := fanout.NewPublisher(fanout.PublisherConfig{Stream: stream, Log: from, Conn: conn, Wake: wake, Logger: logger})
		return background(t, publisher.Run, wake.Stop)
	}
	stopFirst := publish()
	publish()
	mirror := fanout.NewMirror(fanout.ReaderConfig{Stream: stream, Conn: connect(t, nodes), Log: from, Interval: time.Second, Logger: logger}, to, nil, nil)
	if err := mirror.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	background(t, mirror.Run)
	consumer := newConsumer(t)
	reader := fanout.ReaderConfig{Stream: stream, Conn: connect(t, nodes), Log: from, Interval: time.Second, Logger: logger}
	stopConsumer := consumer.run(reader)

	made := synthchain.New(synthchain.Config{Seed: 25, SigningSample: 1000})
	var killed, kills int
	began := time.Now()
	js, err := jetstream.New(connect(t, nodes))
	if err != nil {
		t.Fatal(err)
	}
	for part := range 8 {
		var posts []replay.Post
		for range events / 8 {
			posts = append(posts, replay.Post(made.Next()))
		}
		replay.Append(t, from, posts...)
		switch part {
		case 1, 5: // whoever leads the stream dies, while events arrive
			killed = nodes.healthy(js, fanout.NameDefault)
			nodes.kill(killed)
			kills++
		case 3: // another one does
			killed = (nodes.healthy(js, fanout.NameDefault) + 1) % 3
			nodes.kill(killed)
			kills++
		case 2, 6:
			nodes.start(killed)
		case 4:
			nodes.start(killed)
			stopFirst()
			stopConsumer()
			stopConsumer = consumer.run(reader)
		}
	}
	size, root, err := from.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	appended := time.Now()
	eventually.Holds(t, "the copy has everything", func() bool {
		n, err := to.Size(t.Context())
		return err == nil && n == size
	})
	if n, got, err := to.Checkpoint(t.Context()); err != nil || n != size || string(got) != string(root) {
		t.Errorf("the copy has the root %x over %d events, %v; want %x over %d", got, n, err, root, size)
	}
	replay.Wait(t, from)
	replay.Wait(t, to)
	sameRows(t, from.Pool(), to.Pool())
	eventually.Holds(t, "the consumer has everything", func() bool { return consumer.position() == size })
	t.Logf("fault: %d kills of servers of NATS while %d events were appended, in %s; the copy and the consumer had all %s after that",
		kills, size, appended.Sub(began).Round(time.Millisecond), time.Since(appended).Round(time.Millisecond))
	stopConsumer()
	var want, got string
	const digest = `SELECT encode(sha256(string_agg(seq || ' ' || path || ' ' || encode(sha256, 'hex'), E'\n' ORDER BY seq)::bytea), 'hex') FROM `
	if err := from.Pool().QueryRow(t.Context(), digest+`log.event`).Scan(&want); err != nil {
		t.Fatal(err)
	}
	if err := consumer.pool.QueryRow(t.Context(), digest+`public.received`).Scan(&got); err != nil || got != want {
		t.Errorf("the consumer has %s, %v, want %s", got, err, want)
	}

	// The stream has what came after it was made, in order, each event once.
	eventually.Holds(t, "the stream has the last event", func() bool {
		s, err := js.Stream(t.Context(), fanout.NameDefault)
		if err != nil {
			return false
		}
		last, err := s.GetLastMsgForSubject(t.Context(), fanout.SubjectDefault)
		return err == nil && last.Header.Get(nats.MsgIdHdr) == fmt.Sprint(size)
	})
	s, err := js.Stream(t.Context(), fanout.NameDefault)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.GetMsg(t.Context(), info.State.FirstSeq)
	if err != nil {
		t.Fatal(err)
	}
	if want := size - int64(info.State.Msgs) + 1; first.Header.Get(nats.MsgIdHdr) != fmt.Sprint(want) {
		t.Errorf("the stream has %d messages up to position %d, and begins with %s: it has a gap or a repetition", info.State.Msgs, size, first.Header.Get(nats.MsgIdHdr))
	}
}

// TestLargeBody sends an event whose body does not fit into a message, an empty one, and one with texts that headers can't have.
func TestLargeBody(t *testing.T) {
	t.Parallel()
	nodes := newCluster(t)
	from, to := replay.NewLog(t), replay.NewLogApart(t)
	wake := from.Listener().Wake(eventstore.Channel, 50*time.Millisecond)
	publisher := fanout.NewPublisher(fanout.PublisherConfig{Log: from, Conn: connect(t, nodes), Wake: wake})
	background(t, publisher.Run, wake.Stop)
	background(t, fanout.NewMirror(fanout.ReaderConfig{Conn: connect(t, nodes), Log: from, Interval: time.Second}, to, nil, nil).Run)
	for i, body := range []string{"first", strings.Repeat("x", 3<<20), "", "last"} {
		in := eventstore.Incoming{
			ReceivedAt: time.Now(), Source: "test", Path: "/x", ContentType: "text/plain", Origin: "several\r\nlines\x01", Body: eventstore.NewBody([]byte(body)),
		}
		if _, err := from.Append(t.Context(), in); err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
		eventually.Holds(t, "the copy has it", func() bool {
			n, err := to.Size(t.Context())
			return err == nil && n == int64(i+1)
		})
	}
	_, want, err := from.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, got, err := to.Checkpoint(t.Context()); err != nil || string(got) != string(want) {
		t.Errorf("got the root %x, %v, want %x", got, err, want)
	}
}

// A copy of another log is refused, and so is a log that has lost events.
func TestOtherLog(t *testing.T) {
	t.Parallel()
	from, to := replay.NewLog(t), replay.NewLogApart(t)
	replay.Append(t, to, replay.Post{Path: "/x", Body: []byte("own")})
	mirror := fanout.NewMirror(fanout.ReaderConfig{Log: from}, to, nil, nil)
	if err := mirror.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "the copy has 1 events") {
		t.Errorf("got %v", err)
	}
	replay.Append(t, from, replay.Post{Path: "/x", Body: []byte("other")})
	if err := mirror.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "a database of its own") {
		t.Errorf("got %v", err)
	}
}

// Without a stream, a copy follows the log by looking; and not while its disk has too little space.
func TestWithoutStream(t *testing.T) {
	t.Parallel()
	from, to := replay.NewLog(t), replay.NewLogApart(t)
	var full atomic.Bool
	mirror := fanout.NewMirror(fanout.ReaderConfig{Log: from, Interval: 20 * time.Millisecond}, to, full.Load, nil)
	background(t, mirror.Run)
	has := func(events int64) func() bool {
		return func() bool {
			n, err := to.Size(t.Context())
			return err == nil && n == events
		}
	}
	for i := range int64(3) {
		replay.Append(t, from, replay.Post{Path: "/x", Body: fmt.Appendf(nil, "%d", i)})
		eventually.Holds(t, "the copy has it", has(i+1))
	}
	full.Store(true)
	replay.Append(t, from, replay.Post{Path: "/x", Body: []byte("no room")})
	time.Sleep(200 * time.Millisecond)
	if !has(3)() {
		t.Error("the copy has an event that came while its disk had no space")
	}
	full.Store(false)
	eventually.Holds(t, "the copy has what came meanwhile", has(4))
}

// fold runs two projections over a log.
func fold(t *testing.T, log *eventstore.Log) {
	t.Helper()
	c, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	replay.Start(t, log, c, balances.New(nil))
}

func connect(t *testing.T, nodes *cluster) *nats.Conn {
	t.Helper()
	conn, err := fanout.Connect(nodes.urls(), "")
	if err != nil {
		t.Fatal(err)
	}
	pgtest.AtEnd(t, conn.Close)
	return conn
}

// background runs a function until stop is called, or the test ends.
func background(t *testing.T, run func(context.Context), after ...func()) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
		for _, end := range after {
			end()
		}
		after = nil
	}
	pgtest.AtEnd(t, stop)
	return stop
}

// sameRows compares tables of both databases.
func sameRows(t *testing.T, a, b *pgxpool.Pool) {
	t.Helper()
	for _, table := range []string{"chain.block", "chain.canonical", "chain.transaction", "chain.event", "balances.ledger", "balances.holding", "balances.nft_event"} {
		projection, name, _ := strings.Cut(table, ".")
		read := func(pool *pgxpool.Pool) (rows int64, digest string) {
			t.Helper()
			var version int
			if err := pool.QueryRow(t.Context(), `SELECT version FROM strata.active WHERE name = $1`, projection).Scan(&version); err != nil {
				t.Fatal(err)
			}
			from := pgx.Identifier{fmt.Sprintf("%s_v%d", projection, version), name}.Sanitize()
			err := pool.QueryRow(t.Context(), `SELECT count(*), coalesce(sum(('x' || substr(encode(sha256(x::text::bytea), 'hex'), 1, 15))::bit(60)::bigint), 0)::text FROM `+from+` AS x`).
				Scan(&rows, &digest)
			if err != nil {
				t.Fatal(err)
			}
			return rows, digest
		}
		rowsA, digestA := read(a)
		rowsB, digestB := read(b)
		if rowsA != rowsB || digestA != digestB || rowsA == 0 {
			t.Errorf("%s: the log's database has %d rows (%s), and the copy's %d (%s)", table, rowsA, digestA, rowsB, digestB)
		}
	}
}

// consumer keeps what it gets in a database of its own, with its position, in one transaction.
type consumer struct {
	t    *testing.T
	pool *pgxpool.Pool
}

func newConsumer(t *testing.T) *consumer {
	t.Helper()
	c := &consumer{t, pgtest.New(t)}
	if _, err := c.pool.Exec(t.Context(), `CREATE TABLE public.received (seq bigint PRIMARY KEY, path text NOT NULL, sha256 bytea NOT NULL)`); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *consumer) position() (seq int64) {
	c.t.Helper()
	if err := c.pool.QueryRow(c.t.Context(), `SELECT coalesce(max(seq), 0) FROM public.received`).Scan(&seq); err != nil {
		c.t.Fatal(err)
	}
	return seq
}

// run consumes messages until stop is called. One in 97 is refused once.
func (c *consumer) run(config fanout.ReaderConfig) (stop func()) {
	c.t.Helper()
	subscriber := fanout.NewSubscriber(config, func(ctx context.Context) (seq int64, err error) {
		err = c.pool.QueryRow(ctx, `SELECT coalesce(max(seq), 0) FROM public.received`).Scan(&seq)
		return seq, err
	})
	messages, err := subscriber.Subscribe(c.t.Context(), topic.All)
	if err != nil {
		c.t.Fatal(err)
	}
	return background(c.t, func(ctx context.Context) {
		defer func() { _ = subscriber.Close() }()
		refused := int64(0)
		for {
			select {
			case <-ctx.Done():
				return
			case msg, ok := <-messages:
				if !ok {
					return
				}
				seq, err := topic.Seq(msg)
				if err != nil {
					c.t.Error(err)
				}
				if seq%97 == 0 && refused != seq {
					refused = seq
					msg.Nack()
					continue
				}
				digest := sha256.Sum256(msg.Payload)
				// The primary key refuses a repetition, and the condition a gap.
				tag, err := c.pool.Exec(ctx, `INSERT INTO public.received SELECT $1, $2, $3 WHERE $1 = (SELECT coalesce(max(seq), 0) + 1 FROM public.received)`,
					seq, msg.Metadata[topic.MetadataPath], digest[:])
				if ctx.Err() != nil {
					return
				}
				if err != nil || tag.RowsAffected() != 1 {
					c.t.Errorf("message %d: %v, %s", seq, err, tag)
				}
				msg.Ack()
			}
		}
	})
}
