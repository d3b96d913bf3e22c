package balances

import "strata/projections"

// Checks implements projections.Checked.
func (p *Balances) Checks() []projections.Check {
	return []projections.Check{
		{Name: "the changes of a balance are numbered without gaps, and each continues from the one before", SQL: `
			SELECT holding, n FROM (
				SELECT holding, n, balance, delta, lag(balance, 1, 0::numeric) OVER w AS before, row_number() OVER w AS place
				FROM {schema}.entry WINDOW w AS (PARTITION BY holding ORDER BY height, n)
			) e WHERE n <> place OR balance <> before + delta`},
		{Name: "each change adds to one of the sums, and balance = received - sent - fees + rewards", SQL: `
			SELECT holding, n FROM (
				SELECT holding, n, delta, received - fees + rewards - balance - lag(received - fees + rewards - balance, 1, 0::numeric) OVER w AS sent,
					received - lag(received, 1, 0::numeric) OVER w AS received, fees - lag(fees, 1, 0::numeric) OVER w AS fees, rewards - lag(rewards, 1, 0::numeric) OVER w AS rewards
				FROM {schema}.entry WINDOW w AS (PARTITION BY holding ORDER BY height, n)
			) e WHERE delta NOT IN (received, rewards, -fees, -sent) OR (sent <> 0)::int + (received <> 0)::int + (fees <> 0)::int + (rewards <> 0)::int > 1
			UNION ALL SELECT id, n FROM {schema}.holding WHERE balance <> received - sent - fees + rewards`},
		{Name: "a holding equals the last entry of its balance, and is numbered without gaps", SQL: `
			SELECT coalesce(h.id, e.holding) AS holding
			FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM {schema}.holding) h
			FULL JOIN (SELECT DISTINCT ON (holding) * FROM {schema}.entry ORDER BY holding, height DESC, n DESC) e ON e.holding = h.id
			WHERE (h.n, h.height, h.source_seq, h.balance, h.received, h.fees, h.rewards)
				IS DISTINCT FROM (e.n, e.height, e.source_seq, e.balance, e.received, e.fees, e.rewards) OR h.id <> h.place
			UNION ALL SELECT holdings FROM (SELECT holdings FROM {schema}.block ORDER BY height DESC LIMIT 1) b
			WHERE holdings <> (SELECT count(*) FROM {schema}.holding)`},
		{Name: "signers are numbered without gaps in the order of their first nonces, which grow", SQL: `
			SELECT coalesce(s.id, n.signer) AS signer
			FROM (SELECT *, row_number() OVER (ORDER BY height, id) AS place FROM {schema}.signer) s
			FULL JOIN (
				SELECT signer, min(height) AS height, bool_and(next_nonce > before) AS grows
				FROM (SELECT *, lag(next_nonce, 1, 0::numeric) OVER (PARTITION BY signer ORDER BY height) AS before FROM {schema}.signer_nonce) n GROUP BY signer
			) n ON n.signer = s.id
			WHERE (s.height, s.id) IS DISTINCT FROM (n.height, s.place::int) OR NOT n.grows
			UNION ALL SELECT signers FROM (SELECT signers FROM {schema}.block ORDER BY height DESC LIMIT 1) b
			WHERE signers <> (SELECT count(*) FROM {schema}.signer)`},
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
				SELECT height, source_seq FROM {schema}.entry
				UNION ALL SELECT height, source_seq FROM {schema}.nft_event
				UNION ALL SELECT height, source_seq FROM {schema}.asset
				UNION ALL SELECT height, source_seq FROM {schema}.stx_lock
				UNION ALL SELECT height, source_seq FROM {schema}.signer
				UNION ALL SELECT height, source_seq FROM {schema}.signer_nonce
			) r WHERE NOT EXISTS (SELECT FROM {schema}.block b WHERE b.height = r.height AND b.source_seq = r.source_seq)`},
	}
}
