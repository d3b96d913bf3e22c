package fold

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/synthchain"
)

// Size measures what plain transfers in blocks of 50 take on disk, and what a mix of calls, tokens and prints takes, with all
// projections and the bodies in the log: for each relation its own bytes, and those of its indexes.
func (b *Bench) Size(ctx context.Context) {
	config := synthchain.Config{Seed: 5, Accounts: 5000, SigningSample: 1000, ForgetHistory: true, Nakamoto: true}
	config.TxPerBlock, config.Mix = synthchain.Range{Min: 50, Max: 50}, synthchain.Mix{Transfer: 1}
	b.size(ctx, "size_transfers", config, "a transfer", `SELECT count(*) FROM api.transactions`, "≤ 1,500")
	config.Mix = synthchain.Mix{Transfer: 10, Deploy: 1, TokenMint: 6, TokenTransfer: 30, CollectibleMint: 6, CollectibleMove: 7, Vault: 20, Print: 20}
	config.MempoolProbability = .3
	b.size(ctx, "size_mix", config, "a chain event of a mix", `SELECT count(*) FROM api.events`, "")
}

// A relation with at least this share of all bytes has a row of its own.
const shownShare = .005

func (b *Bench) size(ctx context.Context, database string, config synthchain.Config, of, countSQL, target string) {
	url := b.World(ctx, database, posts(config, limits{bytes: 64 << 20}))
	pool := bench.Selecting(ctx, url)
	defer pool.Close()
	var count float64
	bench.Check(pool.QueryRow(ctx, countSQL).Scan(&count))
	type relation struct {
		Name           string
		Table, Indexes float64
	}
	rows := bench.Must(pool.Query(ctx, `
		SELECT CASE WHEN n.nspname = 'log' AND c.relname LIKE 'event%' THEN 'log.event' ELSE n.nspname || '.' || c.relname END,
		       sum(pg_table_size(c.oid))::float8, sum(pg_indexes_size(c.oid))::float8
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
		GROUP BY 1 ORDER BY sum(pg_total_relation_size(c.oid)) DESC`))
	relations := bench.Must(pgx.CollectRows(rows, pgx.RowToStructByPos[relation]))
	all := 0.0
	for _, r := range relations {
		all += r.Table + r.Indexes
	}
	b.Row(fmt.Sprintf("bytes of %s, %.0f of them", of, count), fmt.Sprintf("%.0f", all/count), "", "", target)
	for _, r := range relations {
		if r.Table+r.Indexes >= shownShare*all {
			b.Row("  "+r.Name, fmt.Sprintf("%.0f + %.0f", r.Table/count, r.Indexes/count), "", "", "")
		}
	}
}
