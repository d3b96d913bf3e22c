package balances

import "strata/projections"

// Checks implements projections.Checked.
func (p *Balances) Checks() []projections.Check {
	return []projections.Check{
		{Name: "the changes of a balance are numbered without gaps, and each continues from the one before", SQL: `
			SELECT account, asset, n FROM (
				SELECT account, asset, n, balance, delta, lag(balance, 1, 0::numeric) OVER w AS before, row_number() OVER w AS place
				FROM {schema}.ledger WINDOW w AS (PARTITION BY account, asset ORDER BY n)
			) l WHERE n <> place OR balance <> before + delta`},
		{Name: "balance = received - sent - fees + rewards", SQL: `
			SELECT account, asset, n FROM {schema}.ledger WHERE balance <> received - sent - fees + rewards`},
		{Name: "a holding equals the last ledger row of its balance", SQL: `
			SELECT coalesce(h.account, l.account) AS account, coalesce(h.asset, l.asset) AS asset
			FROM {schema}.holding h
			FULL JOIN (SELECT DISTINCT ON (account, asset) * FROM {schema}.ledger ORDER BY account, asset, n DESC) l
				ON l.account = h.account AND l.asset = h.asset
			WHERE (h.n, h.height, h.source_seq, h.balance, h.sent, h.received, h.fees, h.rewards)
				IS DISTINCT FROM (l.n, l.height, l.source_seq, l.balance, l.sent, l.received, l.fees, l.rewards)`},
		{Name: "the supply and the holders of an asset agree with the holdings", SQL: `
			SELECT coalesce(a.asset, h.asset) AS asset
			FROM (SELECT DISTINCT ON (asset) * FROM {schema}.asset ORDER BY asset, height DESC) a
			FULL JOIN (
				SELECT asset, sum(received - sent) AS moved, count(*) FILTER (WHERE balance > 0) AS holders FROM {schema}.holding GROUP BY asset
			) h ON h.asset = a.asset
			WHERE (a.holders, a.minted - a.burned) IS DISTINCT FROM (h.holders, h.moved)`},
		{Name: "the mints of an asset are numbered without gaps, and counted", SQL: `
			SELECT coalesce(a.asset, e.asset) AS asset
			FROM (SELECT DISTINCT ON (asset) * FROM {schema}.asset WHERE kind = 'nft' ORDER BY asset, height DESC) a
			FULL JOIN (SELECT asset, count(mint) AS mints, max(mint) AS last FROM {schema}.nft_event GROUP BY asset) e ON e.asset = a.asset
			WHERE a.mints IS DISTINCT FROM e.mints OR a.mints <> coalesce(e.last, 0)`},
		{Name: "the owner of a non-fungible token is the recipient of its last event", SQL: `
			SELECT coalesce(c.asset, e.asset) AS asset, coalesce(c.value_hash, e.value_hash) AS value_hash
			FROM {schema}.nft_custody c
			FULL JOIN (SELECT DISTINCT ON (asset, value_hash) * FROM {schema}.nft_event ORDER BY asset, value_hash, n DESC) e
				ON e.asset = c.asset AND e.value_hash = c.value_hash
			WHERE (c.n, c.owner, c.position, c.tx_index) IS DISTINCT FROM (e.n, e.recipient, e.position, e.tx_index)`},
		{Name: "holdings of non-fungible tokens equal the number of tokens owned", SQL: `
			SELECT coalesce(h.account, c.owner) AS account, coalesce(h.asset, c.asset) AS asset
			FROM (SELECT account, asset, balance FROM {schema}.holding WHERE kind = 'nft' AND balance <> 0) h
			FULL JOIN (SELECT owner, asset, count(*) AS n FROM {schema}.nft_custody WHERE owner IS NOT NULL GROUP BY owner, asset) c
				ON c.owner = h.account AND c.asset = h.asset
			WHERE h.balance IS DISTINCT FROM c.n`},
		{Name: "all rows are of canonical blocks", SQL: `
			SELECT DISTINCT height, source_seq FROM (
				SELECT height, source_seq FROM {schema}.ledger
				UNION ALL SELECT height, source_seq FROM {schema}.nft_event
				UNION ALL SELECT height, source_seq FROM {schema}.asset
				UNION ALL SELECT height, source_seq FROM {schema}.stx_lock
				UNION ALL SELECT height, source_seq FROM {schema}.nonce
			) r WHERE NOT EXISTS (SELECT FROM {schema}.block b WHERE b.height = r.height AND b.source_seq = r.source_seq)`},
	}
}
