package ordinals

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/eventstore"
	"strata/internal/synth/synthordinals"
	"strata/projections"
	"strata/projections/inscriptions"
	"strata/projections/ordinals"
)

// foldedInscriptions is the number of inscriptions to fold in each measurement.
const foldedInscriptions = 50_000

// Fold measures how fast payloads in the log become rows of inscriptions: with only the feed validator and the
// projection of inscriptions, and in a server, where that of BRC-20 reads the same feed on the same cores.
func (b *Bench) Fold(ctx context.Context) error {
	for _, each := range []int{1, 100, 2000} {
		if err := b.foldPayloads(ctx, each); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bench) foldPayloads(ctx context.Context, each int) error {
	all := foldedInscriptions
	if each == 1 {
		all /= 5
	}
	alone, bare, err := b.foldAlone(ctx, each, all)
	if err != nil {
		return err
	}
	url, pool, err := b.payloads(ctx, fmt.Sprintf("fold_payloads_%d", each), each, all)
	if err != nil {
		return err
	}
	defer pool.Close()
	server, err := b.Serve(ctx, url)
	if err != nil {
		return err
	}
	defer server.Stop()
	started := time.Now()
	memory := bench.WatchMemory(server.Pid())
	if err := bench.UntilFolded(ctx, pool); err != nil {
		return err
	}
	whole, usage := time.Since(started), memory.Summary()
	rate := func(took time.Duration) float64 { return float64(all) / took.Seconds() }
	baseline := fmt.Sprintf("%.0f inscriptions/s INSERT of the same rows", rate(bare))
	b.Row(fmt.Sprintf("fold %d inscriptions, %d a block, judge and inscriptions alone", all, each), fmt.Sprintf("%.0f inscriptions/s", rate(alone)),
		baseline, bench.Times(rate(alone), rate(bare)), "≥ 10,000 inscriptions/s")
	b.Row("  in a server, BRC-20 beside", fmt.Sprintf("%.0f inscriptions/s", rate(whole)), baseline, bench.Times(rate(whole), rate(bare)), "")
	b.Row("  memory meanwhile", usage, "", "", "flat, < 300 MiB")
	return nil
}

// payloads creates a database whose log has payloads with all inscriptions, and each payload a number of them.
func (b *Bench) payloads(ctx context.Context, database string, each, all int) (url string, pool *pgxpool.Pool, err error) {
	if url, pool, err = b.Database(ctx, database); err != nil {
		return "", nil, err
	}
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	feed := synthordinals.New(inscribing(each))
	var batch []eventstore.Incoming
	size := 0
	for n := 0; n < all; n += each {
		p := feed.Next()
		batch = append(batch, eventstore.Incoming{
			ReceivedAt: time.Unix(1_700_000_000, 0), Source: "bench", Path: p.Path, ContentType: "application/json", Body: eventstore.NewBody(p.Body),
		})
		size += len(p.Body)
		if size < 8<<20 && n+each < all {
			continue
		}
		if _, err := log.AppendBatch(ctx, batch, nil); err != nil {
			pool.Close()
			return "", nil, err
		}
		batch, size = nil, 0
	}
	return url, pool, nil
}

// foldAlone runs the two projections in this process until they have folded everything. Then it inserts the same rows
// again; bare is the time that this takes.
func (b *Bench) foldAlone(ctx context.Context, each, all int) (took, bare time.Duration, err error) {
	_, pool, err := b.payloads(ctx, fmt.Sprintf("fold_payloads_alone_%d", each), each, all)
	if err != nil {
		return 0, 0, err
	}
	defer pool.Close()
	if took, err = bench.Build(ctx, pool, projections.Feed(ordinals.New(nil), inscriptions.New(nil))); err != nil {
		return 0, 0, err
	}
	bare, err = insertAgain(ctx, pool)
	return took, bare, err
}

// insertAgain copies the finished rows into tables with the same indexes, in the order of their blocks, and returns the
// time that this takes. It is the cost of the rows in Postgres, however they are computed.
func insertAgain(ctx context.Context, pool *pgxpool.Pool) (took time.Duration, err error) {
	const create = `CREATE TABLE {schema}.{table}_again (LIKE {schema}.{table} INCLUDING ALL)`
	const insert = `INSERT INTO {schema}.{table}_again SELECT * FROM {schema}.{table} ORDER BY height`
	spec := inscriptions.Spec()
	for _, query := range []string{create, insert} {
		started := time.Now()
		for _, table := range []string{"inscription", "owner", "location", "satoshi"} {
			if _, err := pool.Exec(ctx, spec.SQL(strings.ReplaceAll(query, "{table}", table))); err != nil {
				return 0, fmt.Errorf("insert the rows of %s once more: %w", table, err)
			}
		}
		took = time.Since(started)
	}
	return took, nil
}
