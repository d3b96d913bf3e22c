package eventstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/tracing"
)

// noise returns n bytes that don't compress.
func noise(n int, seed uint64) []byte {
	var key [32]byte
	key[0] = byte(seed)
	b := make([]byte, n)
	_, _ = rand.NewChaCha8(key).Read(b)
	return b
}

func TestAppendReadsBack(t *testing.T) {
	bodies := map[string][]byte{
		"json":           []byte(`{"a":1.0,"a":2,"b":"\u0000"}`),
		"empty":          {},
		"nil":            nil,
		"nul bytes":      {0, 'x', 0, 0},
		"not UTF-8":      {0xff, 0xfe, 0x80},
		"3 MB":           noise(3<<20, 1),
		"10 MB":          noise(10<<20, 2),
		"3 MB of zeroes": make([]byte, 3<<20),
	}
	ways := map[string]func(*testing.T, *eventstore.Log, eventstore.Incoming) int64{
		"Append": func(t *testing.T, log *eventstore.Log, in eventstore.Incoming) int64 { return mustAppend(t, log, in) },
		"AppendBatch": func(t *testing.T, log *eventstore.Log, in eventstore.Incoming) int64 {
			return mustAppendBatch(t, log, in)
		},
	}
	for way, add := range ways {
		t.Run(way, func(t *testing.T) {
			log := openLog(t, migrated.New(t), eventstore.Config{})
			for name, body := range bodies {
				in := incoming("/new_block", body)
				seq := add(t, log, in)
				got := must.Get(log.Get(context.Background(), seq, true))(t)
				want := eventstore.Event{
					Seq: seq, ReceivedAt: in.ReceivedAt.Truncate(time.Microsecond), Source: in.Source, Path: in.Path,
					ContentType: in.ContentType, Origin: in.Origin,
					Size: int64(len(body)), SHA256: in.Body.SHA256(), Body: append([]byte{}, body...),
				}
				if !reflect.DeepEqual(got, want) {
					got.Body, want.Body = got.Body[:min(20, len(got.Body))], want.Body[:min(20, len(want.Body))]
					t.Errorf("%s: got %+v, want %+v", name, got, want)
				}
			}
			checkWhole(t, log)
		})
	}
}

func TestAppendWithoutTexts(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{})
	bare := eventstore.Incoming{ReceivedAt: time.Unix(0, 0), Path: "/x", Body: eventstore.NewBody([]byte("x"))}
	mustAppend(t, log, bare)
	mustAppendBatch(t, log, bare)
	for _, e := range checkWhole(t, log) {
		if e.Source != "" || e.ContentType != "" || e.Origin != "" {
			t.Errorf("event %d has a text that nobody gave: %+v", e.Seq, e)
		}
	}
	frontier := eventstore.NewFrontier()
	if root := must.Get(frontier.Root())(t); fmt.Sprintf("%x", root[:4]) != "e3b0c442" { // the SHA-256 of nothing
		t.Errorf("the root of no events is %x", root)
	}
	leaf := bytes.Repeat([]byte{7}, 32)
	must.Do(t, frontier.Append(leaf))
	if root := must.Get(frontier.Root())(t); !bytes.Equal(root, leaf) {
		t.Errorf("the root of one event is %x", root)
	}
	must.Get(pool.Exec(t.Context(), `ALTER TABLE log.head DISABLE TRIGGER USER; UPDATE log.head SET leaf_version = 2`))(t)
	if _, _, err := log.Checkpoint(t.Context()); err == nil {
		t.Error("a log of a later program is read")
	}
	for _, length := range []int{0, 31, 33, 64} {
		if _, err := eventstore.DecodeFrontier(1, make([]byte, length)); err == nil {
			t.Errorf("a frontier of one event with %d bytes is read", length)
		}
	}
}

// An append is traced from the arrival of the event to its commit. Readers in the same process are told before it is written.
func TestAppendTraced(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracer := tracing.New(sdk.NewTracerProvider(sdk.WithIDGenerator(tracing.Identities{}), sdk.WithSpanProcessor(recorder)), "")
	log := openLog(t, migrated.New(t), eventstore.Config{Tracer: tracer})
	var told []string
	log.OnArrival(func(in *eventstore.Incoming) { told = append(told, fmt.Sprint(in.Path, len(recorder.Ended()))) })
	mustAppend(t, log, incoming("/a", []byte("abc")))
	arrived := time.Now().Add(-time.Minute)
	if seq, err := log.Append(eventstore.WithArrival(t.Context(), arrived), incoming("/b", nil)); seq != 2 || err != nil {
		t.Errorf("got %d, %v", seq, err)
	}
	log.Close()
	if seq, err := log.Append(t.Context(), incoming("/c", nil)); seq != 0 || !errors.Is(err, eventstore.ErrClosed) {
		t.Errorf("got %d, %v, want ErrClosed", seq, err)
	}
	names := map[trace.SpanID]string{}
	for _, s := range recorder.Started() {
		names[s.SpanContext().SpanID()] = s.Name()
	}
	var got []string
	for _, s := range recorder.Started() {
		parts := []string{names[s.Parent().SpanID()] + "/" + s.Name()}
		for _, a := range s.Attributes() {
			parts = append(parts, a.Value.String())
		}
		if s.StartTime().Equal(arrived) {
			parts = append(parts, "from its arrival")
		}
		if s.EndTime().Before(s.StartTime()) {
			t.Errorf("span %s ends before it begins", s.Name())
		}
		got = append(got, strings.Join(parts, " "))
	}
	if want := []string{"/a0", "/b3", "/c7"}; !slices.Equal(told, want) {
		t.Errorf("told of %q, want %q, with the number of spans until then", told, want)
	}
	want := []string{"/event /a 3 observer:test 1", "event/append", "append/commit 1", "/event /b 0 observer:test 2 from its arrival", "event/receive from its arrival", "event/append", "append/commit 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got the spans %q, want %q", got, want)
	}
}

func TestAppendSpooledFile(t *testing.T) {
	const size = 40 << 20
	content := noise(size, 3)
	spool := eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Threshold: 1 << 20})
	body := must.Get(spool.Read(bytes.NewReader(content), size))(t)
	if _, inMemory := body.Bytes(); inMemory {
		t.Fatal("a body of 40 MB is in memory, want it in a file")
	}
	log := openLog(t, migrated.New(t), eventstore.Config{})
	mustAppend(t, log, incoming("/small", []byte("before")))
	in := incoming("/new_block", nil)
	in.Body = body
	seq := mustAppend(t, log, in)
	mustAppend(t, log, incoming("/small", []byte("after")))
	e := must.Get(log.Get(context.Background(), seq, true))(t)
	if !bytes.Equal(e.Body, content) {
		t.Errorf("got %d bytes that differ from the %d appended", len(e.Body), len(content))
	}
	checkWhole(t, log)
}

// A text that Postgres can't hold must not fail its batch.
func TestAppendUnstorableTexts(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nul":        {"a\x00b", "a\uFFFDb"},
		"not UTF-8":  {"a\xffb", "a\uFFFDb"},
		"cut rune":   {"a\xe2\x82", "a\uFFFD"},
		"surrogate":  {"\xed\xa0\x80", "\uFFFD"},
		"both":       {"\x00\xff", "\uFFFD\uFFFD"},
		"as it is":   {"ä€😀\n\t\x01", "ä€😀\n\t\x01"},
		"only a nul": {"\x00", "\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			log := openLog(t, migrated.New(t), eventstore.Config{})
			in := eventstore.Incoming{Source: c.text, Path: c.text, ContentType: c.text, Origin: c.text, Body: eventstore.NewBody([]byte("x"))}
			mustAppend(t, log, in)
			mustAppendBatch(t, log, in)
			for _, e := range checkWhole(t, log) {
				for _, got := range []string{e.Source, e.Path, e.ContentType, e.Origin} {
					if got != c.want {
						t.Errorf("event %d: got %q, want %q", e.Seq, got, c.want)
					}
				}
			}
		})
	}
}

func TestDuplicatesPointToTheFirstBody(t *testing.T) {
	small, large := []byte("small"), noise(9<<20, 4) // more than a statement takes
	pool := migrated.New(t)
	log, other := openLog(t, pool, eventstore.Config{}), openLog(t, pool, eventstore.Config{})
	event := func(body []byte) eventstore.Incoming { return incoming("/new_block", body) }

	mustAppend(t, log, event(small))                                                  // 1, statement
	mustAppend(t, log, event(small))                                                  // 2, statement, known to this Log
	mustAppend(t, other, event(small))                                                // 3, another Log
	mustAppendBatch(t, log, event(small), event([]byte("b")), event([]byte("b")))     // 4 to 6, COPY, and twice within
	mustAppend(t, log, event([]byte("b")))                                            // 7, statement after COPY
	mustAppend(t, log, event(large))                                                  // 8, COPY by size
	mustAppend(t, log, event(large))                                                  // 9
	mustAppendBatch(t, other, event(large), event(nil), event(nil))                   // 10 to 12
	mustAppendBatch(t, log, event([]byte("c")), event([]byte("d")), event(small))     // 13 to 15
	concurrently(t, 8, func(int) { mustAppend(t, log, event([]byte("in a batch"))) }) // 16 to 23

	want := []int64{0, 1, 1, 1, 0, 5, 5, 0, 8, 8, 0, 0, 0, 0, 1, 0, 16, 16, 16, 16, 16, 16, 16}
	events := checkWhole(t, log)
	var got []int64
	for _, e := range events {
		got = append(got, e.BodySeq)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got body_seq %v, want %v", got, want)
	}
	var stored, distinct int
	must.Do(t, pool.QueryRow(context.Background(), `SELECT count(body), count(DISTINCT sha256) FILTER (WHERE size > 0) FROM log.event`).Scan(&stored, &distinct))
	if want := distinct + 2; stored != want { // two empty bodies are stored as they are
		t.Errorf("%d bodies are stored, want %d", stored, want)
	}
	bodies := pgtest.Value[int](t, pool, `SELECT (SELECT count(*) FROM log.body) + (SELECT count(*) FROM log.small_body)`)
	if bodies != distinct {
		t.Errorf("log.body and log.small_body have %d rows, want %d", bodies, distinct)
	}
}

func TestAppendBatchWithAnotherWrite(t *testing.T) {
	pool := migrated.New(t)
	log := openLog(t, pool, eventstore.Config{})
	ctx := context.Background()
	mustAppend(t, log, incoming("/a", []byte("a")))
	note := func(tx pgx.Tx, first int64) error {
		_, err := tx.Exec(ctx, `INSERT INTO log.import (archive, dialect, lines, bytes, events, prefix_sha256, started_at)
			VALUES ('x', 'raw', 0, 0, $1, '', now())`, first)
		return err
	}
	broken := errors.New("no")
	_, err := log.AppendBatch(ctx, []eventstore.Incoming{incoming("/b", []byte("b"))}, func(tx pgx.Tx, first int64) error {
		if err := note(tx, first); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) || !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("got error %v, want the function's, and ErrUnavailable", err)
	}
	first, err := log.AppendBatch(ctx, []eventstore.Incoming{incoming("/b", []byte("b")), incoming("/c", []byte("c"))}, note)
	if err != nil || first != 2 {
		t.Errorf("got %d, %v, want 2, nil", first, err)
	}
	if _, err := log.AppendBatch(ctx, nil, func(_ pgx.Tx, first int64) error {
		if first != 4 {
			t.Errorf("an empty batch starts at %d, want 4", first)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if first, err := log.AppendBatch(ctx, nil, nil); first != 0 || err != nil {
		t.Errorf("nothing at all: got %d, %v", first, err)
	}
	if noted := pgtest.Value[int64](t, pool, `SELECT events FROM log.import`); noted != 2 {
		t.Errorf("got %d, want 2", noted)
	}
	if events := checkWhole(t, log); len(events) != 3 {
		t.Errorf("got %d events, want 3", len(events))
	}
}

func TestReadBounds(t *testing.T) {
	log := openLog(t, migrated.New(t), eventstore.Config{})
	hundred := strings.Repeat("x", 99)
	for i := range 10 {
		path := "/even"
		if i%2 == 1 {
			path = "/odd"
		}
		mustAppend(t, log, incoming(path, []byte(hundred+string(rune('0'+i))))) // 1 is even, 2 is odd, …
	}
	for name, c := range map[string]struct {
		r          eventstore.Range
		seqs       []int64
		withBodies int
	}{
		"all":                         {eventstore.Range{Events: 100, Bytes: 1 << 20}, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10},
		"after":                       {eventstore.Range{After: 8, Events: 100, Bytes: 1 << 20}, []int64{9, 10}, 2},
		"the end":                     {eventstore.Range{After: 10, Events: 100, Bytes: 1 << 20}, nil, 0},
		"events":                      {eventstore.Range{After: 1, Events: 3, Bytes: 1 << 20}, []int64{2, 3, 4}, 3},
		"bytes":                       {eventstore.Range{After: 1, Events: 100, Bytes: 399}, []int64{2, 3, 4}, 3},
		"bytes exactly":               {eventstore.Range{After: 1, Events: 100, Bytes: 400}, []int64{2, 3, 4, 5}, 4},
		"one that is too large":       {eventstore.Range{After: 4, Events: 100, Bytes: 1}, []int64{5}, 1},
		"unwanted bodies don't count": {eventstore.Range{Events: 100, Bytes: 200, Paths: []string{"/odd"}}, []int64{1, 2, 3, 4, 5}, 2},
		"no bodies":                   {eventstore.Range{Events: 100, Bytes: 1, Paths: []string{}}, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			events := must.Get(log.Read(context.Background(), c.r))(t)
			var seqs []int64
			withBodies := 0
			for _, e := range events {
				seqs = append(seqs, e.Seq)
				if e.Body != nil {
					withBodies++
				}
			}
			if !reflect.DeepEqual(seqs, c.seqs) || withBodies != c.withBodies {
				t.Errorf("got %v, %d with bodies, want %v, %d", seqs, withBodies, c.seqs, c.withBodies)
			}
		})
	}
	if _, err := log.Get(context.Background(), 11, true); !errors.Is(err, eventstore.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}
