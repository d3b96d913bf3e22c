package pox

import (
	"strata/projections"
	"strata/projections/internal/ranked"
)

// Checks implements projections.Checked.
func (p *Pox) Checks() []projections.Check {
	return append(ranked.Checks(), []projections.Check{
		{Name: "the counts of a Bitcoin block equal its rows", SQL: `
			SELECT height FROM {schema}.burn_block b
			FULL JOIN (SELECT height, count(*) AS n FROM {schema}.reward GROUP BY height) r USING (height)
			FULL JOIN (SELECT height, count(*) AS n FROM {schema}.slot GROUP BY height) s USING (height)
			FULL JOIN (SELECT height, count(*) AS n FROM {schema}.payout GROUP BY height) p USING (height)
			WHERE coalesce(b.rewards, -1) <> coalesce(r.n, 0) OR b.slots <> coalesce(s.n, 0) OR b.payouts <> coalesce(p.n, 0)`},
		{Name: "the total of an address is the sum of its rewards", SQL: `
			SELECT recipient FROM {schema}.recipient r
			FULL JOIN (SELECT recipient, count(*) AS n, sum(amount) AS amount FROM {schema}.reward GROUP BY recipient) s USING (recipient)
			WHERE (r.rewards, r.amount) IS DISTINCT FROM (s.n, s.amount)`},
		{Name: "the length of a list equals the number of its rows", SQL: `
			SELECT name, l.n AS entries, t.n AS there FROM (
				SELECT 'rewards' AS name, count(*) AS n FROM {schema}.reward
				UNION ALL SELECT 'slots', count(*) FROM {schema}.slot
				UNION ALL SELECT 'cycles', count(*) FROM {schema}.cycle
				UNION ALL SELECT 'rewards:' || recipient, count(*) FROM {schema}.reward GROUP BY recipient
				UNION ALL SELECT 'slots:' || address, count(*) FROM {schema}.slot GROUP BY address
				UNION ALL SELECT 'payouts:' || recipient, count(*) FROM {schema}.payout GROUP BY recipient
			) t FULL JOIN {schema}.list l USING (name)
			WHERE coalesce(l.n, 0) <> coalesce(t.n, 0)`},
		{Name: "events are numbered without gaps, in the order of blocks", SQL: `
			SELECT contract, n FROM (
				SELECT *, row_number() OVER (PARTITION BY contract ORDER BY height, n) AS place,
				       row_number() OVER (PARTITION BY contract, stacker ORDER BY n) AS stacker_place FROM {schema}.event
			) e WHERE n <> place OR stacker_n <> stacker_place`},
		{Name: "all rows of Stacks blocks are of canonical blocks", SQL: `
			SELECT height, source_seq FROM (
				SELECT height, source_seq FROM {schema}.event UNION ALL SELECT height, source_seq FROM {schema}.cycle
				UNION ALL SELECT height, source_seq FROM {schema}.signer UNION ALL SELECT height, source_seq FROM {schema}.delegation
				UNION ALL SELECT height, source_seq FROM {schema}.stacking UNION ALL SELECT height, source_seq FROM {schema}.commitment
				UNION ALL SELECT height, source_seq FROM {schema}.pox5_stake UNION ALL SELECT height, source_seq FROM {schema}.pox5_key
			) r LEFT JOIN {schema}.block b USING (height, source_seq) WHERE b.height IS NULL`},
		{Name: "a delegation lasts until it is revoked or the stacker's next one", SQL: `
			SELECT d.contract, d.n FROM {schema}.delegation d
			CROSS JOIN LATERAL (
				SELECT min(later.height) AS height FROM {schema}.delegation later
				WHERE later.contract = d.contract AND later.stacker = d.stacker AND later.n > d.n
			) next WHERE d.until_height > next.height OR d.until_height IS NULL AND next.height IS NOT NULL OR d.until_height < d.height`},
		{Name: "signers are numbered without gaps, and agree with the totals of their cycle", SQL: `
			SELECT cycle_number FROM {schema}.cycle c
			FULL JOIN (
				SELECT cycle_number, count(*) AS signers, max(place) AS last, sum(weight) AS weight, sum(stacked) AS stacked FROM {schema}.signer GROUP BY cycle_number
			) s USING (cycle_number)
			WHERE (c.total_signers, c.total_signers, c.total_weight, c.total_stacked) IS DISTINCT FROM
				(coalesce(s.signers, 0), coalesce(s.last, 0), coalesce(s.weight, 0), coalesce(s.stacked, 0))`},
		{Name: "the counts of a signer equal its stackers", SQL: `
			SELECT s.cycle_number, s.place FROM {schema}.signer s
			FULL JOIN (
				SELECT cycle_number, signer AS place, count(pool) AS pooled, count(*) - count(pool) AS solo, max(place) AS last
				FROM {schema}.stacker GROUP BY cycle_number, signer
			) t USING (cycle_number, place)
			WHERE coalesce(s.solo, -1) <> coalesce(t.solo, 0) OR s.pooled <> coalesce(t.pooled, 0) OR s.solo + s.pooled <> coalesce(t.last, 0)`},
	}...)
}

// BuildDependent implements projections.BuildDependent.
func (p *Pox) BuildDependent() []string { return ranked.BuildDependent }
