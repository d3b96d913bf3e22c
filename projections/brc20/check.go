package brc20

import (
	"strata/projections"
	"strata/projections/internal/ranked"
)

// Checks implements projections.Checked.
func (p *BRC20) Checks() []projections.Check {
	return append(ranked.Checks(), []projections.Check{
		{Name: "each entry continues the balance of the one before", SQL: `
			SELECT address, ticker, height, tx_index FROM (
				SELECT *, lag(available, 1, 0::numeric) OVER w AS available_before, lag(transferrable, 1, 0::numeric) OVER w AS transferrable_before
				FROM {schema}.entry WINDOW w AS (PARTITION BY address, ticker ORDER BY height, tx_index)
			) e WHERE available <> available_before + available_delta OR transferrable <> transferrable_before + transferrable_delta`},
		{Name: "a balance equals its last entry", SQL: `
			SELECT ticker, address FROM {schema}.balance b
			FULL JOIN (SELECT DISTINCT ON (address, ticker) * FROM {schema}.entry ORDER BY address, ticker, height DESC, tx_index DESC) e USING (ticker, address)
			WHERE (b.height, b.tx_index, b.source_seq, b.available, b.transferrable, b.total)
				IS DISTINCT FROM (e.height, e.tx_index, e.source_seq, e.available, e.transferrable, e.available + e.transferrable)`},
		{Name: "the balances below zero are noted", SQL: `
			SELECT ticker, address FROM {schema}.below_zero z
			FULL JOIN (SELECT ticker, address FROM {schema}.balance WHERE available < 0 OR transferrable < 0) b USING (ticker, address)
			WHERE z.ticker IS NULL OR b.ticker IS NULL`},
		{Name: "a token counts its operations and holders", SQL: `
			SELECT ticker, t.tx_count, o.n AS operations, t.holders, coalesce(h.n, 0) AS there FROM {schema}.token t
			FULL JOIN (SELECT ticker, count(*) AS n FROM {schema}.operation GROUP BY ticker) o USING (ticker)
			LEFT JOIN (SELECT ticker, count(*) AS n FROM {schema}.balance WHERE total > 0 GROUP BY ticker) h USING (ticker)
			WHERE coalesce(t.tx_count, -1) <> coalesce(o.n, 0) OR t.holders <> coalesce(h.n, 0)`},
		{Name: "the length of a list is its number of rows", SQL: `
			SELECT name, l.n AS entries, t.n AS there FROM (
				SELECT 'all' AS name, count(*) AS n FROM {schema}.operation
				UNION ALL SELECT 'kind:' || kind, count(*) FROM {schema}.operation GROUP BY kind
				UNION ALL SELECT 'ticker:' || ticker, count(*) FROM {schema}.operation GROUP BY ticker
				UNION ALL SELECT 'tokens', count(*) FROM {schema}.token WHERE height IS NOT NULL
			) t JOIN {schema}.list l USING (name)
			WHERE l.n <> t.n`},
	}...)
}

// BuildDependent implements projections.BuildDependent.
func (p *BRC20) BuildDependent() []string { return ranked.BuildDependent }
