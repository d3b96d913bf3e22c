package fanout_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/eventstore/fanout"
	"strata/internal/pause"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/rig/replay"
)

// TestCluster sends the log over three servers of NATS, which are killed one after the other, with two publishers, of which one ends.
// A consumer that is interrupted has had each event once, in order.
func TestCluster(t *testing.T) {
	short.Skip(t, "kills servers of NATS, which choose a new leader after some seconds")
	events := 800
	if *long {
		events = 10_000
	}
	nodes := newCluster(t)
	stream := fanout.StreamConfig{Replicas: 3}
	log := replay.NewLog(t)
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))

	publish := func() (stop func()) {
		wake := log.Listener().Wake(eventstore.Channel, 50*time.Millisecond)
		conn := connect(t, nodes)
		publisher := fanout.NewPublisher(fanout.PublisherConfig{Stream: stream, Log: log, Conn: conn, Wake: wake, Logger: logger})
		return background(t, publisher.Run, wake.Stop)
	}
	stopFirst := publish()
	publish()
	consumer := newConsumer(t, nodes, log)
	stopConsumer := background(t, consumer.run)

	made := synthchain.New(synthchain.Config{Seed: 25, SigningSample: 1000})
	js := must.Get(jetstream.New(connect(t, nodes)))(t)
	// A publisher that finds an empty stream begins with the next event. If all events came before it did, no message would tell the
	// consumer of them.
	eventually.Holds(t, "the stream has an event", func() bool {
		replay.Append(t, log, made.Next())
		_, err := lastMessage(t, js)
		return err == nil
	})
	var killed, kills int
	began := time.Now()
	for part := range 8 {
		posts := replay.Take(events/8, made.Next)
		replay.Append(t, log, posts...)
		switch part {
		case 1, 5: // the server that leads the stream dies, while events arrive
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
			stopConsumer = background(t, consumer.run)
		}
	}
	size := must.Get(log.Size(t.Context()))(t)
	appended := time.Now()
	eventually.Holds(t, "the consumer has everything", func() bool {
		position, err := consumer.position(t.Context())
		return err == nil && position == size
	})
	t.Logf("fault: %d kills of servers of NATS while %d events were appended, in %s; the consumer had all %s after that",
		kills, size, appended.Sub(began).Round(time.Millisecond), time.Since(appended).Round(time.Millisecond))
	stopConsumer()
	const digest = `SELECT encode(sha256(string_agg(seq || ' ' || path || ' ' || encode(sha256, 'hex'), E'\n' ORDER BY seq)::bytea), 'hex') FROM `
	want := pgtest.Value[string](t, log.Pool(), digest+`log.event`)
	if got := pgtest.Value[string](t, consumer.pool, digest+`public.received`); got != want {
		t.Errorf("the consumer has %s, want %s", got, want)
	}

	// The stream has what came after it was made, in order, each event once.
	eventually.Holds(t, "the stream has the last event", func() bool {
		last, err := lastMessage(t, js)
		return err == nil && last.Header.Get(nats.MsgIdHdr) == fmt.Sprint(size)
	})
	var info *jetstream.StreamInfo
	var first *jetstream.RawStreamMsg
	eventually.Holds(t, "the cluster says what the stream has", func() bool { // it may have no leader for a moment
		s, err := js.Stream(t.Context(), fanout.NameDefault)
		if err != nil {
			return false
		}
		info = s.CachedInfo()
		first, err = s.GetMsg(t.Context(), info.State.FirstSeq)
		return err == nil
	})
	if want := size - int64(info.State.Msgs) + 1; first.Header.Get(nats.MsgIdHdr) != fmt.Sprint(want) {
		t.Errorf("the stream has %d messages up to position %d, and begins with %s: it has a gap or a repetition", info.State.Msgs, size, first.Header.Get(nats.MsgIdHdr))
	}
}

// lastMessage returns the last message of the stream.
func lastMessage(t *testing.T, js jetstream.JetStream) (*jetstream.RawStreamMsg, error) {
	t.Helper()
	stream, err := js.Stream(t.Context(), fanout.NameDefault)
	if err != nil {
		return nil, err
	}
	return stream.GetLastMsgForSubject(t.Context(), fanout.SubjectDefault)
}

// TestLargeBody sends an event whose body does not fit into a message, an empty one, and texts that headers can't have. A publisher of
// another log leaves the stream alone.
func TestLargeBody(t *testing.T) {
	t.Parallel()
	nodes := newCluster(t)
	log := replay.NewLog(t)
	replay.Append(t, log, replay.Post{Path: "/x", Body: []byte("before the stream")})
	wake := log.Listener().Wake(eventstore.Channel, 50*time.Millisecond)
	registry := prometheus.NewRegistry()
	publisher := fanout.NewPublisher(fanout.PublisherConfig{Log: log, Conn: connect(t, nodes), Wake: wake, Registry: registry})
	background(t, publisher.Run, wake.Stop)
	published := func(position float64) func() bool {
		return func() bool {
			metrics, err := registry.Gather()
			return err == nil && metrics[0].GetMetric()[0].GetGauge().GetValue() == position
		}
	}
	eventually.Holds(t, "the stream begins", published(1))
	bodies := []string{"first", strings.Repeat("x", 3<<20), "", "last"}
	const origin = "several\r\nlines\x01"
	for i, body := range bodies {
		in := eventstore.Incoming{ReceivedAt: time.Now(), Source: "test", Path: "/x", ContentType: "text/plain", Origin: origin, Body: eventstore.NewBody([]byte(body))}
		if _, err := log.Append(t.Context(), in); err != nil {
			t.Fatalf("event %d: %v", i+2, err)
		}
	}
	eventually.Holds(t, "the stream has everything", published(5))
	js := must.Get(jetstream.New(connect(t, nodes)))(t)
	stream := must.Get(js.Stream(t.Context(), fanout.NameDefault))(t)
	for i, body := range bodies {
		msg := must.Get(stream.GetMsg(t.Context(), uint64(i+2)))(t) // the first is the event before the stream
		e := described(t, msg.Header)
		digest := sha256.Sum256([]byte(body))
		if e.Seq != int64(i+2) || msg.Header.Get(nats.MsgIdHdr) != fmt.Sprint(e.Seq) || e.Source != "test" || e.Path != "/x" || e.ContentType != "text/plain" ||
			e.Origin != origin || e.Size != int64(len(body)) || e.SHA256 != hex.EncodeToString(digest[:]) || e.Omitted != (i == 1) {
			t.Errorf("message %d: got %+v", i+1, e)
		}
		if !e.Omitted && string(msg.Data) != body || e.Omitted && len(msg.Data) > 0 {
			t.Errorf("message %d has %d bytes, want %q", i+1, len(msg.Data), body)
		}
	}

	other, said := replay.NewLogApart(t), &logbuffer.Buffer{}
	must.Get(other.Pool().Exec(t.Context(), `UPDATE strata.archive SET id = gen_random_uuid()`))(t) // tests copy one template
	otherWake := other.Listener().Wake(eventstore.Channel, 50*time.Millisecond)
	background(t, fanout.NewPublisher(fanout.PublisherConfig{
		Log: other, Conn: connect(t, nodes), Wake: otherWake, Logger: slog.New(slog.NewTextHandler(said, nil)),
	}).Run, otherWake.Stop)
	eventually.Holds(t, "the other log is refused", func() bool { return said.HasLine("has the log of another database") })

	// It has a stream of its own, or one that somebody has made with another subject.
	replay.Append(t, other, replay.Post{Path: "/x", Body: []byte("of the other log")})
	must.Get(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "MADE", Subjects: []string{"made.*", "made"}}))(t)
	for name, subject := range map[string]string{"OTHER": fanout.SubjectDefault + ".OTHER", "MADE": "made"} {
		wake := other.Listener().Wake(eventstore.Channel, 50*time.Millisecond)
		background(t, fanout.NewPublisher(fanout.PublisherConfig{Stream: fanout.StreamConfig{Name: name}, Log: other, Conn: connect(t, nodes), Wake: wake}).Run, wake.Stop)
		eventually.Holds(t, "the stream "+name+" has the other log", func() bool {
			stream, err := js.Stream(t.Context(), name)
			if err != nil {
				return false
			}
			msg, err := stream.GetLastMsgForSubject(t.Context(), subject)
			return err == nil && string(msg.Data) == "of the other log"
		})
	}
}

func connect(t *testing.T, nodes *cluster) *nats.Conn {
	t.Helper()
	conn := must.Get(fanout.Connect(nodes.urls(), ""))(t)
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

// event is the header of a message, as the documentation describes it.
type event struct {
	Seq         int64  `json:"seq"`
	Source      string `json:"source"`
	Path        string `json:"path"`
	ContentType string `json:"content_type"`
	Origin      string `json:"origin"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
	Omitted     bool   `json:"omitted"`
}

func described(t *testing.T, header nats.Header) (e event) {
	t.Helper()
	if err := json.Unmarshal([]byte(header.Get(fanout.EventHeader)), &e); err != nil {
		t.Errorf("the header of a message: %v", err)
	}
	return e
}

// consumer follows the rules that the documentation has for consumers: it keeps what it gets in a database of its own, where the last
// row is its position, and reads what the stream lacks from the log.
type consumer struct {
	t    *testing.T
	pool *pgxpool.Pool
	conn *nats.Conn
	log  *eventstore.Log
}

func newConsumer(t *testing.T, nodes *cluster, log *eventstore.Log) *consumer {
	t.Helper()
	c := &consumer{t, pgtest.New(t), connect(t, nodes), log}
	must.Get(c.pool.Exec(t.Context(), `CREATE TABLE public.received (seq bigint PRIMARY KEY, path text NOT NULL, sha256 bytea NOT NULL)`))(t)
	return c
}

func (c *consumer) position(ctx context.Context) (seq int64, err error) {
	err = c.pool.QueryRow(ctx, `SELECT coalesce(max(seq), 0) FROM public.received`).Scan(&seq)
	return seq, err
}

// run consumes until ctx ends.
func (c *consumer) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := c.receive(ctx); err != nil && ctx.Err() == nil {
			c.t.Logf("the consumer begins again: %v", err)
		}
		pause.For(ctx, 50*time.Millisecond)
	}
}

// receive reads the stream from its end on, until an error.
func (c *consumer) receive(ctx context.Context) error {
	js, err := jetstream.New(c.conn)
	if err != nil {
		return err
	}
	ordered, err := js.OrderedConsumer(ctx, fanout.NameDefault, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverLastPolicy})
	if err != nil {
		return err
	}
	messages, err := ordered.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		e := described(c.t, msg.Headers())
		digest := sha256.Sum256(msg.Data())
		position, err := c.position(ctx)
		if err != nil {
			return err
		}
		next := position + 1
		if e.Seq > next || e.Seq == next && hex.EncodeToString(digest[:]) != e.SHA256 { // a gap, or a body that is not there
			for ; next <= e.Seq; next++ {
				missing, err := c.log.Get(ctx, next, true)
				if err != nil {
					return err
				}
				if err := c.take(ctx, next, missing.Path, missing.Body); err != nil {
					return err
				}
			}
		}
		if e.Seq == next {
			if err := c.take(ctx, e.Seq, e.Path, msg.Data()); err != nil {
				return err
			}
		}
	}
}

// take keeps an event. The primary key refuses a repetition, and the condition a gap.
func (c *consumer) take(ctx context.Context, seq int64, path string, body []byte) error {
	digest := sha256.Sum256(body)
	tag, err := c.pool.Exec(ctx, `INSERT INTO public.received SELECT $1, $2, $3 WHERE $1 = (SELECT coalesce(max(seq), 0) + 1 FROM public.received)`, seq, path, digest[:])
	if err == nil && tag.RowsAffected() != 1 {
		c.t.Errorf("event %d came after a gap", seq)
	}
	return err
}
