package brc20_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/projections"
	"strata/projections/brc20"
)

// BenchmarkFold folds a feed that is all about tokens like a rebuild, including decoding and commits.
func BenchmarkFold(b *testing.B) {
	for _, perBlock := range []int{1, 100, 2000} {
		b.Run(fmt.Sprint(perBlock), func(b *testing.B) {
			const operations, batchBytes = 40_000, 4 << 20
			feed := synthordinals.New(synthordinals.Config{
				Network: ordinals.Regtest, Accounts: 2000, Live: 20_000, Tokens: synthordinals.Range{Min: perBlock, Max: perBlock},
				ReplayBlocks: 1 << 30, ForgetHistory: true,
			})
			var posts []synthordinals.Post
			for n := 0; n < operations && len(posts) < 4000; n += perBlock {
				posts = append(posts, feed.Next())
			}
			folded := 0
			for b.Loop() {
				b.StopTimer()
				url := databases.Fresh(b)
				b.StartTimer()
				folded += foldAll(b, url, posts, batchBytes)
			}
			b.ReportMetric(float64(folded)/b.Elapsed().Seconds(), "operations/s")
		})
	}
}

// foldAll returns the number of operations.
func foldAll(b *testing.B, url string, posts []synthordinals.Post, batchBytes int) (n int) {
	b.Helper()
	conn := connect(b, url)
	p, j, step := brc20.New(nil), newJudge(b), int64(0)
	for len(posts) > 0 {
		var batch []projections.FeedStep
		size := 0
		for len(posts) > 0 && size < batchBytes && len(batch) < 2000 {
			size += len(posts[0].Body)
			batch = append(batch, j.Receive(posts[0])...)
			posts = posts[1:]
		}
		for i := range batch {
			batch[i].Number = step + int64(i) + 1
		}
		tx, err := conn.Begin(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Fold(context.Background(), tx, step, batch); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(context.Background()); err != nil {
			b.Fatal(err)
		}
		step += int64(len(batch))
	}
	if err := conn.QueryRow(context.Background(), brc20.Spec().SQL(`SELECT count(*) FROM {schema}.operation`)).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

func connect(b *testing.B, url string) *pgx.Conn {
	b.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
