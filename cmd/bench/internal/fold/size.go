package fold

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/synthchain"
)

// Size measures what plain transfers in blocks of 50 take on disk, and what a mix of calls, tokens and prints takes, with all
// projections and the bodies in the log: for each relation and each of its indexes the bytes of a transfer, and those of a row.
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
	bench.Must(pool.Exec(ctx, `ANALYZE`)) // counts rows
	var count float64
	bench.Check(pool.QueryRow(ctx, countSQL).Scan(&count))
	type relation struct {
		Name         string
		Rows, Bytes  float64
		IsAnIndex    bool
		WithTheTable float64 // bytes of the table with its indexes, by which they are sorted
	}
	rows := bench.Must(pool.Query(ctx, `
		WITH stored AS (
			SELECT CASE WHEN n.nspname = 'log' AND t.relname LIKE 'event%' THEN 'log.event' ELSE n.nspname || '.' || t.relname END AS whole,
			       CASE c.relkind WHEN 'r' THEN '' ELSE regexp_replace(c.relname, '^event_[0-9]+_', 'event_') END AS part,
			       t.reltuples, CASE c.relkind WHEN 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END AS bytes
			FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
			CROSS JOIN LATERAL (SELECT t.oid UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = t.oid) AS both_kinds (oid)
			JOIN pg_class c ON c.oid = both_kinds.oid
			WHERE t.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
		)
		SELECT CASE part WHEN '' THEN whole ELSE part END, sum(reltuples)::float8, sum(bytes)::float8, part <> '', sum(sum(bytes)) OVER (PARTITION BY whole)::float8
		FROM stored GROUP BY whole, part ORDER BY 5 DESC, whole, part <> '', 3 DESC`))
	relations := bench.Must(pgx.CollectRows(rows, pgx.RowToStructByPos[relation]))
	all := 0.0
	for _, r := range relations {
		all += r.Bytes
	}
	b.Row(fmt.Sprintf("bytes of %s, %.0f of them", of, count), fmt.Sprintf("%.0f", all/count), "", "", target)
	for _, r := range relations {
		if r.WithTheTable < shownShare*all {
			continue
		}
		indent := "  "
		if r.IsAnIndex {
			indent = "    "
		}
		b.Row(indent+r.Name, fmt.Sprintf("%.0f, %.0f a row", r.Bytes/count, r.Bytes/r.Rows), "", "", "")
	}
}
