package inscriptions_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/ordinals"
	"strata/projections"
	"strata/projections/inscriptions"
)

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
		pool := databases.NewFresh(b)
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
		b.StartTimer()
		b.ReportMetric(float64(last)/float64(first), "last/first")
		b.ReportMetric(blocks*each/all.Seconds(), "inscriptions/s")
	}
}

var _ projections.Projection[projections.FeedStep] = (*inscriptions.Inscriptions)(nil)
