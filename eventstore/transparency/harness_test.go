package transparency_test

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	sumdb "golang.org/x/mod/sumdb/note"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

var migrated = pgtest.Template("log", migrations.Up)

const origin = "example.org/stacks"

// world is a log in its own database, with a model of its tree that follows the RFC's definition.
type world struct {
	testing.TB
	pool *pgxpool.Pool
	log  *eventstore.Log
	tree *naive
}

func newWorld(t testing.TB) *world {
	t.Helper()
	pool := migrated.New(t)
	log := eventstore.Open(pool, eventstore.Config{})
	t.Cleanup(log.Close)
	return &world{TB: t, pool: pool, log: log, tree: newNaive()}
}

func event(text string) eventstore.Incoming {
	return eventstore.Incoming{
		ReceivedAt: time.Date(2024, 5, 6, 7, 8, 9, 123456789, time.UTC),
		Source:     "observer:test", Path: "/new_block", ContentType: "application/json", Origin: "id 7",
		Body: eventstore.NewBody([]byte(text)),
	}
}

// grow appends events whose bodies begin with a word, until there are size.
func (w *world) grow(word string, size int) {
	w.Helper()
	var batch []eventstore.Incoming
	for seq := len(w.tree.leaves) + 1; seq <= size; seq++ {
		batch = append(batch, event(fmt.Sprint(word, " ", seq)))
	}
	if len(batch) > 0 {
		w.append(batch...)
	}
}

func (w *world) append(batch ...eventstore.Incoming) {
	w.Helper()
	first := must.Get(w.log.AppendBatch(w.Context(), batch, nil))(w)
	w.note(first)
}

// note adds the leaves from a position on to the model.
func (w *world) note(first int64) {
	w.Helper()
	if first != int64(len(w.tree.leaves))+1 {
		w.Fatalf("the next event is %d, the model has %d", first, len(w.tree.leaves))
	}
	for after := first - 1; ; {
		events := must.Get(w.log.Read(w.Context(), eventstore.Range{After: after, Events: 1000, Bytes: 1 << 20}))(w)
		if len(events) == 0 {
			return
		}
		for i := range events {
			w.tree.add(eventstore.AppendLeafRecord(nil, &events[i]))
			after = events[i].Seq
		}
	}
}

// tamper runs SQL as a superuser with triggers disabled.
func (w *world) tamper(sql ...string) {
	w.Helper()
	admin := must.Get(pgxpool.New(w.Context(), pgtest.AdminURL(w.TB)))(w)
	defer admin.Close()
	conn := must.Get(admin.Acquire(w.Context()))(w)
	defer conn.Release()
	for _, s := range append([]string{`SET session_replication_role = replica`}, sql...) {
		if _, err := conn.Exec(w.Context(), s); err != nil {
			w.Fatalf("%s: %v", s, err)
		}
	}
}

// truncate cuts the log back to a size, like an attacker who wants to rewrite it.
func (w *world) truncate(size int) {
	w.Helper()
	frontier := eventstore.NewFrontier()
	for _, leaf := range w.tree.leaves[:size] {
		must.Do(w, frontier.Append(leaf))
	}
	w.tamper(
		fmt.Sprintf(`DELETE FROM log.event WHERE seq > %d`, size),
		fmt.Sprintf(`DELETE FROM log.body WHERE seq > %d`, size),
		fmt.Sprintf(`DELETE FROM log.small_body WHERE seq > %d`, size),
		fmt.Sprintf(`UPDATE log.head SET size = %d, frontier = '\x%x'`, size, frontier.Encode()))
	w.tree = w.tree.first(size)
	w.log.Close()
	w.log = eventstore.Open(w.pool, eventstore.Config{})
	w.Cleanup(w.log.Close)
}

func newKey(t testing.TB) *transparency.Key {
	t.Helper()
	return must.Get(transparency.OpenKey(filepath.Join(t.TempDir(), "log.key"), origin))(t)
}

func (w *world) open(config transparency.Config) *transparency.Log {
	w.Helper()
	config.Pool = w.pool
	return must.Get(transparency.New(config))(w)
}

func (w *world) sign(l *transparency.Log, want bool) {
	w.Helper()
	if signed, err := l.Sign(w.Context()); err != nil || signed != want {
		w.Fatalf("sign: got %v (%v), want %v", signed, err, want)
	}
}

// checkpoints returns all checkpoints, and checks that each has the root of the model.
func (w *world) checkpoints(l *transparency.Log) (all []*transparency.Checkpoint) {
	w.Helper()
	for c, err := range l.Checkpoints(w.Context()) {
		must.Do(w, err)
		parsed := must.Get(transparency.ParseCheckpoint([]byte(c.Note), c.VerifierKey))(w)
		if parsed.Size != c.Size || string(parsed.Root) != string(c.Root) {
			w.Errorf("checkpoint %d: the note says %d %x, the row %d %x", c.Number, parsed.Size, parsed.Root, c.Size, c.Root)
		}
		if int(c.Size) > len(w.tree.leaves) || string(c.Root) != string(w.tree.root(0, int(c.Size))) {
			w.Errorf("checkpoint %d of %d events has not their root", c.Number, c.Size)
		}
		all = append(all, c)
	}
	return all
}

func witness(t testing.TB, name string) (private, public string) {
	t.Helper()
	private, public, err := sumdb.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	return private, public
}
