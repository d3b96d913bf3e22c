package bns

import (
	"strata/projections"
	"strata/projections/internal/ranked"
)

// Checks implements projections.Checked.
func (p *BNS) Checks() []projections.Check {
	return append(ranked.Checks(), []projections.Check{
		{Name: "the length of a list equals the number of its rows", SQL: `
			WITH current AS (SELECT * FROM {schema}.name WHERE until_height IS NULL AND owner IS NOT NULL)
			SELECT name, l.n AS entries, t.n AS there FROM (
				SELECT list AS name, count(*) AS n FROM (
					SELECT 'names' AS list FROM current
					UNION ALL SELECT CASE WHEN valid THEN 'valid' ELSE 'expired' END FROM current
					UNION ALL SELECT 'revoked' FROM current WHERE revoked
					UNION ALL SELECT 'namespace:' || namespace FROM current
					UNION ALL SELECT 'active:' || namespace FROM current WHERE valid AND NOT revoked
					UNION ALL SELECT 'lapsed:' || namespace FROM current WHERE NOT valid
					UNION ALL SELECT 'disabled:' || namespace FROM current WHERE revoked
					UNION ALL SELECT CASE WHEN valid THEN 'held:' ELSE 'over:' END || owner FROM current
					UNION ALL SELECT 'withdrawn:' || owner FROM current WHERE revoked
				) e GROUP BY list
			) t FULL JOIN {schema}.list l USING (name)
			WHERE coalesce(l.n, 0) <> coalesce(t.n, 0)`},
		{Name: "a current version is valid until the Bitcoin height passes its expiry", SQL: `
			SELECT n.full_name FROM {schema}.name n
			CROSS JOIN (SELECT burn_height FROM {schema}.block ORDER BY height DESC LIMIT 1) b
			WHERE n.valid <> (n.until_height IS NULL AND n.owner IS NOT NULL AND coalesce(b.burn_height <= n.expires_at, true))`},
		{Name: "versions of a name follow each other", SQL: `
			SELECT full_name, height FROM (
				SELECT *, lead(height) OVER (PARTITION BY full_name ORDER BY height) AS next FROM {schema}.name
			) n WHERE until_height IS DISTINCT FROM next`},
		{Name: "events are numbered without gaps, in the order of blocks", SQL: `
			SELECT n FROM (
				SELECT *, row_number() OVER (ORDER BY height, n) AS place, row_number() OVER (PARTITION BY full_name ORDER BY n) AS name_place FROM {schema}.event
			) e WHERE n <> place OR full_name IS NOT NULL AND name_n <> name_place`},
		{Name: "a block counts the events up to it", SQL: `
			SELECT b.height FROM {schema}.block b WHERE b.events <> (SELECT count(*) FROM {schema}.event e WHERE e.height <= b.height)`},
		{Name: "a name counts its events", SQL: `
			SELECT n.full_name FROM {schema}.name n WHERE n.until_height IS NULL
				AND n.events <> (SELECT count(*) FROM {schema}.event e WHERE e.full_name = n.full_name)`},
		{Name: "a primary name belongs to its principal", SQL: `
			SELECT p.principal FROM {schema}.primary_name p
			JOIN {schema}.name n ON n.full_name = p.full_name AND n.until_height IS NULL
			WHERE p.until_height IS NULL AND (n.owner, n.id) IS DISTINCT FROM (p.principal, p.id)`},
		{Name: "a revoked name has a revoked entry in the resolver", SQL: `
			SELECT n.full_name FROM {schema}.name n
			JOIN {schema}.zonefile z ON z.full_name = n.full_name AND z.until_height IS NULL
			WHERE n.until_height IS NULL AND n.owner IS NOT NULL AND n.revoked <> z.revoked`},
		{Name: "all rows are of canonical blocks", SQL: `
			SELECT r.height, r.source_seq FROM (
				SELECT height, source_seq FROM {schema}.name UNION ALL SELECT height, source_seq FROM {schema}.namespace
				UNION ALL SELECT height, source_seq FROM {schema}.primary_name UNION ALL SELECT height, source_seq FROM {schema}.zonefile
				UNION ALL SELECT height, source_seq FROM {schema}.preorder UNION ALL SELECT height, source_seq FROM {schema}.event
				UNION ALL SELECT height, source_seq FROM {schema}.caller UNION ALL SELECT height, source_seq FROM {schema}.act
			) r LEFT JOIN {schema}.block b USING (height, source_seq)
			WHERE b.height IS NULL AND NOT EXISTS (SELECT FROM {schema}.reading d WHERE d.height = r.height AND d.source_seq = r.source_seq)`},
		{Name: "a contract is read at a canonical block", SQL: `
			SELECT r.agent FROM {schema}.reading r LEFT JOIN {schema}.block b USING (height) WHERE b.height IS NULL`},
		{Name: "a want is open for each contract with names that may have changed something since it was read", SQL: `
			SELECT agent, full_name, w.source_seq FROM (` + neededSQL(`SELECT DISTINCT agent FROM {schema}.act`) + `) n
			FULL JOIN {schema}.want w USING (agent, full_name) WHERE n.height IS NULL OR w.min_height IS NULL OR w.min_height < n.height`},
	}...)
}

// BuildDependent implements projections.BuildDependent.
func (p *BNS) BuildDependent() []string { return append([]string{"want"}, ranked.BuildDependent...) }
