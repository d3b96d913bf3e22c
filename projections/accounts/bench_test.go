package accounts_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// Databases for the benchmark: with the indexes for readers, and without them, as during a build.
var (
	measured      = replay.Tables("accounts_bench", chain.Spec(), balances.Spec(), accounts.Spec())
	measuredBuild = replay.Tables("accounts_bench_build", building(chain.Spec()), building(balances.Spec()), building(accounts.Spec()))
)

func building(s projections.Spec) projections.Spec {
	s.Tables, _, _ = strings.Cut(s.Tables, projections.ReaderIndexes)
	return s
}

// BenchmarkFold folds a synthetic chain with chain, balances and accounts, in large batches and one block at a time.
// It reports the time of each projection per transaction, the share that accounts adds to the others, and the disk
// space per transaction.
func BenchmarkFold(b *testing.B) {
	for _, shape := range []struct {
		name             string
		databases        *pgtest.Source
		blocks, perBlock int
		batchBytes       int // 0 for one block at a time
	}{
		{"build/150 a block", measuredBuild, 200, 150, 4 << 20},
		{"build/8 a block", measuredBuild, 1500, 8, 4 << 20},
		{"live/150 a block", measured, 200, 150, 0},
		{"live/8 a block", measured, 1000, 8, 0},
	} {
		b.Run(shape.name, func(b *testing.B) {
			generator := synthchain.New(synthchain.Config{
				Seed: 1, Generation: synthchain.V40, Nakamoto: true, Accounts: 2000, SigningSample: 1 << 30, Maturity: 10,
				TxPerBlock: synthchain.Range{Min: shape.perBlock, Max: shape.perBlock}, ForgetHistory: true,
			})
			posts := replay.Take(shape.blocks, generator.Next)
			var took [3]time.Duration
			var transactions int64
			for b.Loop() {
				b.StopTimer()
				pool := must.Get(pgxpool.New(context.Background(), shape.databases.Fresh(b)))(b)
				b.StartTimer()
				foldAll(b, pool, posts, shape.batchBytes, &took)
				b.StopTimer()
				transactions += onDisk(b, pool)
				pool.Close()
				b.StartTimer()
			}
			for i, name := range []string{"chain", "balances", "accounts"} {
				b.ReportMetric(float64(took[i].Microseconds())/float64(transactions), name+"-µs/tx")
			}
			b.ReportMetric(100*took[2].Seconds()/(took[0]+took[1]).Seconds(), "%-added")
		})
	}
}

// foldAll folds posts in batches, with one database transaction per batch and projection, as the follower does.
func foldAll(b *testing.B, pool *pgxpool.Pool, posts []replay.Post, batchBytes int, took *[3]time.Duration) {
	b.Helper()
	c := must.Get(chain.New(chain.Recommended, nil))(b)
	ledger, lists := balances.New(nil), accounts.New()
	seq, step := int64(0), int64(0)
	commit := func(i int, fold func(tx pgx.Tx) error) {
		begin := time.Now()
		err := pgx.BeginFunc(context.Background(), pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(context.Background(), `SET LOCAL synchronous_commit = off`); err != nil {
				return err
			}
			return fold(tx)
		})
		if err != nil {
			b.Fatal(err)
		}
		took[i] += time.Since(begin)
	}
	for len(posts) > 0 {
		n, size := 0, 0
		for n == 0 || n < len(posts) && size < batchBytes && n < 2000 {
			size += len(posts[n].Body)
			n++
		}
		items := replay.Decode(b, posts[:n])
		posts = posts[n:]
		var steps []projections.Step
		for i := range items {
			items[i].Seq += seq
			if block := items[i].Block; block != nil {
				block.Seq = items[i].Seq
				steps = append(steps, projections.Step{
					Kind: projections.Apply, Number: step + int64(len(steps)) + 1, Height: int64(block.Height),
					IndexBlockHash: block.IndexBlockHash, BlockSeq: block.Seq, SourceSeq: block.Seq, Block: block,
				})
			}
		}
		commit(0, func(tx pgx.Tx) error { _, err := c.Fold(context.Background(), tx, seq, items); return err })
		seq += int64(len(items))
		if len(steps) == 0 {
			continue
		}
		commit(1, func(tx pgx.Tx) error { _, err := ledger.Fold(context.Background(), tx, step, steps); return err })
		commit(2, func(tx pgx.Tx) error { _, err := lists.Fold(context.Background(), tx, step, steps); return err })
		step += int64(len(steps))
	}
}

// onDisk reports the bytes on disk per transaction for each projection, and returns the number of transactions.
func onDisk(b *testing.B, pool *pgxpool.Pool) (transactions int64) {
	b.Helper()
	must.Do(b, pool.QueryRow(context.Background(), schemas.In(`SELECT count(*) FROM {accounts}.transaction`)).Scan(&transactions))
	for _, spec := range []projections.Spec{chain.Spec(), balances.Spec(), accounts.Spec()} {
		var size int64
		if err := pool.QueryRow(context.Background(), `
			SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = $1::regnamespace`, spec.String()).Scan(&size); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(size)/float64(transactions), spec.Name+"-B/tx")
	}
	return transactions
}
