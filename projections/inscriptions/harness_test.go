package inscriptions_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/projections"
	"strata/projections/inscriptions"
	"strata/rig"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

var databases = replay.Tables("inscriptions", inscriptions.Spec())

// TestMain lowers the number of random histories. Each of them takes a while.
func TestMain(m *testing.M) {
	replay.Histories(10)
	m.Run()
}

// world folds a feed in a transaction that is never committed.
type world struct {
	t          replay.TB
	tx         pgx.Tx
	projection *inscriptions.Inscriptions
	most       int64 // entries of a part

	bodies   map[int64][]byte
	payloads map[int64]*ordinals.Payload
	feed     *foldtest.Feed
	waiting  []projections.FeedStep
	step     int64
	tip      *projections.Tip
}

func newWorld(t replay.TB, tx pgx.Tx) *world {
	w := &world{
		t: t, tx: tx, projection: inscriptions.New(nil), most: 8, bodies: map[int64][]byte{}, payloads: map[int64]*ordinals.Payload{},
		feed: foldtest.NewFeed(t),
	}
	w.projection.Limit(w.most)
	return w
}

// post turns a post into steps, as the projection ordinals does.
func (w *world) post(p synthordinals.Post) {
	w.t.Helper()
	w.add(w.feed.Receive(p)...)
	w.bodies[w.feed.Seq], w.payloads[w.feed.Seq] = p.Body, w.feed.Payload
}

func (w *world) apply(seq int64, index int, b *ordinals.Block) {
	w.feed.Seq = seq
	w.add(w.feed.Apply(index, b)...)
}

func (w *world) revert(heights ...int64) {
	for _, height := range heights {
		w.add(w.feed.Revert(height))
	}
}

func (w *world) add(steps ...projections.FeedStep) {
	for _, step := range steps {
		step.Number = w.step + int64(len(w.waiting)) + 1
		w.waiting = append(w.waiting, step)
	}
}

// fold folds the waiting steps, at most a number of them at once; 0 for no limit.
func (w *world) fold(most int) {
	w.t.Helper()
	for len(w.waiting) > 0 {
		n := len(w.waiting)
		if most > 0 {
			n = min(n, most)
		}
		outcome, err := w.projection.Fold(context.Background(), w.tx, w.step, w.waiting[:n])
		if err != nil {
			w.t.Fatal(err)
		}
		w.step, w.waiting, w.tip = w.step+int64(n), w.waiting[n:], outcome.Tip
		if outcome.Touched != nil {
			w.t.Fatal("a fold did not touch everything")
		}
	}
}

// rows reads the rows of a query into structs.
func rows[T any](w *world, query string, args ...any) []T {
	w.t.Helper()
	return rig.Rows[T](w.t, w.tx, query, args...)
}

func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
