package mempool

import "strata/projections"

// Checks implements projections.Checked.
func (p *Mempool) Checks() []projections.Check {
	return []projections.Check{
		{Name: "the status follows from the other columns", SQL: `
			SELECT txid, status FROM {schema}.transaction
			WHERE status <> CASE
				WHEN mined_height IS NOT NULL THEN 'mined'
				WHEN taken_height IS NOT NULL THEN 'dropped_replace_by_fee'
				WHEN dropped_seq IS NOT NULL THEN 
					CASE WHEN dropped_status IN ('dropped_replace_by_fee', 'dropped_replace_across_fork', 'dropped_too_expensive',
						'dropped_stale_garbage_collect', 'dropped_problematic') THEN dropped_status ELSE 'dropped' END
				WHEN expired_height IS NOT NULL THEN 'dropped_stale_garbage_collect'
				ELSE 'pending' END`},
		{Name: "heights in transactions are of canonical blocks", SQL: `
			SELECT t.txid FROM {schema}.transaction t
			CROSS JOIN LATERAL (VALUES (t.mined_height), (t.taken_height), (t.expired_height)) AS named (height)
			WHERE named.height IS NOT NULL AND NOT EXISTS (SELECT FROM {schema}.block b WHERE b.height = named.height)`},
		{Name: "used nonces are of canonical blocks", SQL: `
			SELECT u.txid, u.height FROM {schema}.mined u
			LEFT JOIN {schema}.block b ON b.height = u.height AND b.source_seq = u.source_seq
			WHERE b.height IS NULL`},
		{Name: "nothing below the horizon is remembered", SQL: `
			SELECT u.txid FROM {schema}.mined u JOIN {schema}.block b ON b.height = u.height CROSS JOIN {schema}.horizon h
			WHERE b.burn_block_height < h.forgotten_below
			UNION ALL
			SELECT t.txid FROM {schema}.transaction t CROSS JOIN {schema}.horizon h WHERE t.mined_burn_height < h.forgotten_below`},
		{Name: "transactions of remembered blocks are mined", SQL: `
			SELECT t.txid FROM {schema}.transaction t JOIN {schema}.mined u ON u.txid = t.txid
			WHERE t.mined_height IS DISTINCT FROM u.height`},
		{Name: "used nonces are those of their transactions", SQL: `
			SELECT t.txid, u.sponsored FROM {schema}.transaction t JOIN {schema}.mined u ON u.txid = t.txid
			WHERE u.claim IS DISTINCT FROM
				CASE WHEN u.sponsored THEN ` + claimSQL("t.sponsor", "t.sponsor_nonce") + ` ELSE ` + claimSQL("t.sender", "t.nonce") + ` END`},
		{Name: "no transaction is pending with a nonce that a remembered block used for another", SQL: `
			SELECT t.txid FROM {schema}.transaction t
			JOIN {schema}.mined u ON u.txid <> t.txid
				AND u.claim IN (` + claimSQL("t.sender", "t.nonce") + `, ` + claimSQL("t.sponsor", "t.sponsor_nonce") + `)
			WHERE t.status = 'pending'`},
		{Name: "counters equal the number of rows", SQL: `
			SELECT coalesce(c.status, t.status) AS status, coalesce(c.type_id, t.type_id) AS type_id
			FROM {schema}.counter c
			FULL JOIN (SELECT status, type_id, count(*) AS n FROM {schema}.transaction WHERE status <> 'mined' GROUP BY status, type_id) t
				ON t.status = c.status AND t.type_id = c.type_id
			WHERE coalesce(c.n, 0) <> coalesce(t.n, 0)`},
	}
}

// claimSQL returns the expression for the key of an account and a nonce; see claim.key.
func claimSQL(account, nonce string) string {
	return `encode(substring(sha256(convert_to(` + account + ` || '/' || ` + nonce + `, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid`
}
