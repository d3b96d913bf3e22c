package ordinals

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/projections/inscriptions"
)

// foldedInscriptions is the number of inscriptions to fold in each measurement.
const foldedInscriptions = 50_000

// Fold measures how fast payloads in the log become rows of inscriptions in a server, where BRC-20 reads the same feed on the same
// cores.
func (b *Bench) Fold(ctx context.Context) {
	for _, each := range []int{1, 100, 2000} {
		all := foldedInscriptions
		if each == 1 {
			all /= 5
		}
		b.fold(ctx, each, all)
	}
}

func (b *Bench) fold(ctx context.Context, each, all int) {
	url, pool, _, _ := b.Log(ctx, fmt.Sprintf("fold_payloads_%d", each), payloads(inscribing(each), all))
	defer pool.Close()
	server := b.Serve(ctx, url)
	defer server.Stop()
	started := time.Now()
	memory := bench.WatchMemory(server.Pid())
	bench.UntilFolded(ctx, pool)
	took, usage := time.Since(started), memory.Summary()
	bare := insertAgain(ctx, pool)
	rate := func(took time.Duration) float64 { return float64(all) / took.Seconds() }
	b.Row(fmt.Sprintf("fold %d inscriptions, %d a block, with BRC-20", all, each), fmt.Sprintf("%.0f inscriptions/s", rate(took)),
		fmt.Sprintf("%.0f inscriptions/s INSERT of the same rows", rate(bare)), bench.Times(rate(took), rate(bare)), "≥ 10,000 inscriptions/s")
	b.Row("  memory meanwhile", usage, "", "", "flat, < 300 MiB")
}

// insertAgain copies the finished rows into tables with the same indexes, in the order of their blocks, and returns the
// time that this takes. It is the cost of the rows in Postgres, however they are computed.
func insertAgain(ctx context.Context, pool *pgxpool.Pool) (took time.Duration) {
	const create = `CREATE TABLE {schema}.{table}_again (LIKE {schema}.{table} INCLUDING ALL)`
	const insert = `INSERT INTO {schema}.{table}_again SELECT * FROM {schema}.{table} ORDER BY height`
	spec := inscriptions.Spec()
	for _, query := range []string{create, insert} {
		started := time.Now()
		for _, table := range []string{"inscription", "owner", "location", "satoshi"} {
			bench.Must(pool.Exec(ctx, spec.SQL(strings.ReplaceAll(query, "{table}", table))))
		}
		took = time.Since(started)
	}
	return took
}
