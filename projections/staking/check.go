package staking

import "strata/projections"

// Checks implements projections.Checked.
func (p *Staking) Checks() []projections.Check {
	return []projections.Check{
		{Name: "events are numbered without gaps, in the order of blocks", SQL: `
			SELECT n FROM (
				SELECT *, row_number() OVER (ORDER BY height, n) AS place, row_number() OVER (PARTITION BY subject ORDER BY n) AS subject_place,
				       row_number() OVER (PARTITION BY bond_index ORDER BY n) AS bond_place FROM {schema}.event
			) e WHERE n <> place OR subject IS NOT NULL AND subject_n IS DISTINCT FROM subject_place OR bond_index IS NOT NULL AND bond_n IS DISTINCT FROM bond_place`},
		{Name: "events and sets are of canonical blocks", SQL: `
			SELECT height, source_seq FROM (
				SELECT height, source_seq FROM {schema}.event UNION ALL SELECT height, source_seq FROM {schema}.cycle_set
				UNION ALL SELECT height, source_seq FROM {schema}.set_member
			) r LEFT JOIN {schema}.block b USING (height, source_seq) WHERE b.height IS NULL`},
		{Name: "each row is of an event", SQL: `
			SELECT n FROM (
				SELECT n, source_seq FROM {schema}.bond UNION ALL SELECT n, source_seq FROM {schema}.allowlist
				UNION ALL SELECT n, source_seq FROM {schema}.registration UNION ALL SELECT n, source_seq FROM {schema}.stake
				UNION ALL SELECT n, source_seq FROM {schema}.share UNION ALL SELECT n, source_seq FROM {schema}.signer
				UNION ALL SELECT n, source_seq FROM {schema}.signer_key UNION ALL SELECT n, source_seq FROM {schema}.key_grant
				UNION ALL SELECT n, source_seq FROM {schema}.calculation UNION ALL SELECT n, source_seq FROM {schema}.distribution
				UNION ALL SELECT n, source_seq FROM {schema}.earning UNION ALL SELECT n, source_seq FROM {schema}.claim
				UNION ALL SELECT n, source_seq FROM {schema}.staker_claim UNION ALL SELECT n, source_seq FROM {schema}.anchor
			) r LEFT JOIN {schema}.event e USING (n, source_seq) WHERE e.n IS NULL`},
		{Name: "the shares of a staker are of different cycles", SQL: `
			SELECT one.staker, one.bond_index, one.n FROM {schema}.share one
			JOIN {schema}.share other ON other.staker = one.staker AND other.bond_index = one.bond_index AND (other.n, other.from_cycle) <> (one.n, one.from_cycle)
				AND other.from_cycle < one.to_cycle AND one.from_cycle < other.to_cycle
			WHERE one.until_n IS NULL AND other.until_n IS NULL`},
		{Name: "weights are the sums over the shares that hold", SQL: `
			SELECT signer, cycle FROM {schema}.weight w
			FULL JOIN (
				SELECT signer, cycle, sum(sign * (bond_index = -1)::int) AS stakers, sum(sign * (bond_index >= 0 AND shares > 0)::int) AS members,
				       sum(CASE WHEN bond_index = -1 THEN sign * ustx ELSE 0 END) AS staked, sum(CASE WHEN bond_index >= 0 THEN sign * ustx ELSE 0 END) AS bonded
				FROM (
					SELECT s.bond_index, s.shares, s.ustx, o.signer, e.cycle, e.sign FROM {schema}.share s
					CROSS JOIN LATERAL (VALUES (s.signer), ('')) AS o (signer)
					CROSS JOIN LATERAL (VALUES (s.from_cycle, 1), (s.to_cycle, -1)) AS e (cycle, sign)
					WHERE s.until_n IS NULL
				) s GROUP BY signer, cycle
			) s USING (signer, cycle)
			WHERE (coalesce(w.stakers, 0), coalesce(w.members, 0), coalesce(w.staked, 0), coalesce(w.bonded, 0))
				IS DISTINCT FROM (coalesce(s.stakers, 0), coalesce(s.members, 0), coalesce(s.staked, 0), coalesce(s.bonded, 0))`},
		{Name: "holdings are the sums over the stakes and registrations that hold", SQL: `
			SELECT signer, unlock_height FROM {schema}.holding h
			FULL JOIN (
				SELECT o.signer, unlock_height, sum(stakes) AS stakes, sum(members) AS members, sum(staked) AS staked, sum(bonded) AS bonded, sum(sats) AS sats
				FROM (
					SELECT signer, unlock_height, 1 AS stakes, 0 AS members, ustx AS staked, 0 AS bonded, 0 AS sats FROM {schema}.stake WHERE until_n IS NULL
					UNION ALL SELECT signer, unlock_height, 0, 1, 0, ustx, sats FROM {schema}.registration WHERE until_n IS NULL AND status <> 3
				) p CROSS JOIN LATERAL (VALUES (p.signer), ('')) AS o (signer)
				GROUP BY o.signer, unlock_height
			) s USING (signer, unlock_height)
			WHERE (h.stakes, h.members, h.staked, h.bonded, h.sats) IS DISTINCT FROM (s.stakes, s.members, s.staked, s.bonded, s.sats)`},
		{Name: "the sums of a bond are those over its rows", SQL: `
			SELECT bond_index FROM {schema}.bond b
			LEFT JOIN (SELECT bond_index, count(*) AS n, sum(max_sats) AS capacity FROM {schema}.allowlist WHERE until_n IS NULL GROUP BY bond_index) a USING (bond_index)
			LEFT JOIN (
				SELECT bond_index, count(*) AS n, sum(ustx) AS ustx, sum(CASE WHEN l1 THEN sats ELSE 0 END) AS l1, sum(CASE WHEN l1 THEN 0 ELSE sats END) AS l2
				FROM {schema}.registration WHERE until_n IS NULL GROUP BY bond_index
			) r USING (bond_index)
			LEFT JOIN (SELECT bond_index, sum(rewards) AS rewards, sum(accrued) AS accrued FROM {schema}.distribution GROUP BY bond_index) d USING (bond_index)
			LEFT JOIN (SELECT bond_index, sum(amount) AS amount FROM {schema}.staker_claim GROUP BY bond_index) c USING (bond_index)
			WHERE (b.allowed, b.registered, b.capacity, b.l1_sats, b.l2_sats, b.ustx, b.distributed, b.accrued, b.claimed) IS DISTINCT FROM (
				coalesce(a.n, 0), coalesce(r.n, 0), coalesce(a.capacity, 0), coalesce(r.l1, 0), coalesce(r.l2, 0), coalesce(r.ustx, 0),
				coalesce(d.rewards, 0), coalesce(d.accrued, 0), coalesce(c.amount, 0))`},
		{Name: "claims are summed by cycle and bond", SQL: `
			SELECT cycle, bond_index FROM {schema}.claimed t
			FULL JOIN (SELECT cycle, bond_index, count(*) AS n, sum(amount) AS amount FROM {schema}.staker_claim GROUP BY cycle, bond_index) s USING (cycle, bond_index)
			WHERE (t.claims, t.amount) IS DISTINCT FROM (s.n, s.amount)`},
		{Name: "signer managers are numbered without gaps, and have one key", SQL: `
			SELECT signer FROM (SELECT signer, place, row_number() OVER (ORDER BY n) AS expected FROM {schema}.signer) s
			WHERE place <> expected OR (SELECT count(*) FROM {schema}.signer_key k WHERE k.signer = s.signer AND k.until_n IS NULL) <> 1`},
	}
}
