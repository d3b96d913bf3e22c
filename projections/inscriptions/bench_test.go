package inscriptions_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/projections"
	"strata/projections/inscriptions"
)

// What the runner folds at once when it is far behind.
const (
	foldSteps = 2_000
	foldBytes = 4 << 20
)

// BenchmarkFold folds a feed in bulk, decoding included, into tables that are empty at first.
func BenchmarkFold(b *testing.B) {
	const inscriptionsEach = 20_000
	for _, each := range []int{1, 100, 2_000} {
		b.Run(fmt.Sprintf("%d a block", each), func(b *testing.B) {
			some := synthordinals.Range{Min: each, Max: each}
			feed := synthordinals.New(synthordinals.Config{
				Seed: 1, Reveals: some, Transfers: synthordinals.Range{Min: each / 4, Max: each / 2}, Live: 20_000, Accounts: 5_000,
				ReinscriptionShare: 0.01, RecursionShare: 0.05, ContentBytes: synthordinals.Range{Min: 50, Max: 1_000}, ForgetHistory: true,
			})
			var bodies [][]byte
			reveals, bytes := 0, int64(0)
			for reveals < inscriptionsEach {
				post := feed.Next()
				tip, _ := feed.Tip()
				bodies, reveals, bytes = append(bodies, post.Body), reveals+tip.Reveals, bytes+int64(len(post.Body))
			}
			b.SetBytes(bytes)
			var took time.Duration
			for range b.N {
				b.StopTimer()
				pool, end := benchPool(b)
				b.StartTimer()
				begin := time.Now()
				foldBodies(b, pool, bodies)
				took += time.Since(begin)
				b.StopTimer()
				end()
				b.StartTimer()
			}
			b.ReportMetric(float64(reveals*b.N)/took.Seconds(), "inscriptions/s")
		})
	}
}

// benchPool returns a pool on a database with empty tables.
func benchPool(b *testing.B) (pool *pgxpool.Pool, end func()) {
	b.Helper()
	pool, err := pgxpool.New(context.Background(), databases.Fresh(b))
	if err != nil {
		b.Fatal(err)
	}
	return pool, pool.Close
}

// foldBodies decodes and folds posts as the runner does.
func foldBodies(b *testing.B, pool *pgxpool.Pool, bodies [][]byte) {
	b.Helper()
	w := newWorld(b, nil)
	w.projection = inscriptions.New(nil)
	size := 0
	for i, body := range bodies {
		w.post(synthordinals.Post{Body: body})
		size += len(body)
		if len(w.waiting) >= foldSteps || size >= foldBytes || i+1 == len(bodies) {
			w.commit(b, pool)
			size = 0
		}
	}
}

// commit folds the waiting steps in their own transaction.
func (w *world) commit(b *testing.B, pool *pgxpool.Pool) {
	b.Helper()
	tx, err := pool.Begin(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	w.tx = tx
	w.fold(0)
	if err := tx.Commit(context.Background()); err != nil {
		b.Fatal(err)
	}
	clear(w.bodies)
	clear(w.payloads)
}

// BenchmarkReinscriptions folds 50,000 inscriptions on one sat, each block alone. The last blocks must not cost more
// than the first ones; it reports the ratio.
func BenchmarkReinscriptions(b *testing.B) {
	const blocks, each = 500, 100
	for range b.N {
		b.StopTimer()
		pool, end := benchPool(b)
		b.StartTimer()
		w := newWorld(b, nil)
		w.projection = inscriptions.New(nil)
		var took [blocks]time.Duration
		for height := range uint64(blocks) {
			var list []operation
			for i := range uint32(each) {
				o := reveals("a", i, uint32(height)*each+i, int64(height)*each+int64(i), 5, "ann")
				o.tx = "a"
				list = append(list, o)
			}
			w.apply(int64(height)+1, 0, block(height, list...))
			w.payloads[int64(height)+1] = &ordinals.Payload{}
			begin := time.Now()
			w.commit(b, pool)
			took[height] = time.Since(begin)
		}
		b.StopTimer()
		var all, first, last time.Duration
		for height, t := range took {
			all += t
			if height < blocks/10 {
				first += t
			}
			if height >= blocks-blocks/10 {
				last += t
			}
		}
		end()
		b.StartTimer()
		b.ReportMetric(float64(last)/float64(first), "last/first")
		b.ReportMetric(blocks*each/all.Seconds(), "inscriptions/s")
	}
}

var _ projections.Projection[projections.FeedStep] = (*inscriptions.Inscriptions)(nil)
