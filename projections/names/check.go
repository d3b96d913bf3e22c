package names

import (
	"strata/projections"
	"strata/projections/internal/ranked"
)

// Checks implements projections.Checked.
func (p *Names) Checks() []projections.Check {
	return append(ranked.Checks(), []projections.Check{
		{Name: "the length of a list equals the number of its names", SQL: `
			SELECT name, l.n AS entries, t.n AS there FROM (
				SELECT 'names' AS name, count(*) AS n FROM {schema}.name WHERE listed
				UNION ALL SELECT 'names:' || namespace, count(*) FROM {schema}.name WHERE listed GROUP BY namespace
			) t FULL JOIN {schema}.list l USING (name)
			WHERE coalesce(l.n, 0) <> coalesce(t.n, 0)`},
		{Name: "rows of a name are numbered without gaps, in the order of blocks", SQL: `
			SELECT name, n FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY height, n) AS place FROM {schema}.operation WHERE n <> 0) o WHERE n <> place
			UNION ALL
			SELECT name, n FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY height, n) AS place FROM {schema}.custody) c WHERE n <> place
			UNION ALL
			SELECT namespace, n FROM (SELECT *, row_number() OVER (PARTITION BY namespace ORDER BY height, n) AS place FROM {schema}.namespace WHERE n <> 0) s WHERE n <> place`},
		{Name: "a name is what its last operation and its token's last event say", SQL: `
			SELECT coalesce(w.name, f.name) AS name FROM {schema}.name w
			FULL JOIN (
				SELECT coalesce(o.name, c.name) AS name, coalesce(o.operation, 6) <> 6 AS listed, CASE WHEN c.name IS NULL THEN o.owner ELSE c.holder END AS holder
				FROM (SELECT DISTINCT ON (name) * FROM {schema}.operation ORDER BY name, n DESC) o
				FULL JOIN (SELECT DISTINCT ON (name) * FROM {schema}.custody ORDER BY name, n DESC) c USING (name)
			) f USING (name)
			WHERE (w.listed, w.holder) IS DISTINCT FROM (f.listed, f.holder)`},
		{Name: "all rows are of canonical blocks", SQL: `
			SELECT height, source_seq FROM (
				SELECT height, source_seq FROM {schema}.operation WHERE n > 0 UNION ALL SELECT height, source_seq FROM {schema}.custody
				UNION ALL SELECT height, source_seq FROM {schema}.namespace WHERE n > 0 UNION ALL SELECT height, operation_seq FROM {schema}.subdomain WHERE n > 0
				UNION ALL SELECT height, source_seq FROM {schema}.caller UNION ALL SELECT height, source_seq FROM {schema}.act
			) r LEFT JOIN {schema}.block b USING (height, source_seq)
			WHERE b.height IS NULL AND NOT EXISTS (SELECT FROM {schema}.reading d WHERE d.height = r.height AND d.source_seq = r.source_seq)`},
		{Name: "the registry was read at canonical blocks", SQL: `
			SELECT r.subject FROM {schema}.reading r LEFT JOIN {schema}.block b USING (height) WHERE b.height IS NULL`},
		{Name: "the registry is asked about what a contract may have changed since it was read", SQL: `
			SELECT n.subject FROM (` + neededSQL(`SELECT DISTINCT subject FROM {schema}.act`) + `) n LEFT JOIN {schema}.want w USING (subject)
			WHERE w.min_height IS NULL OR w.min_height < n.height`},
		{Name: "subdomains are those of the zonefiles of updates", SQL: `
			SELECT name, n, place FROM (SELECT * FROM {schema}.subdomain WHERE n > 0) s
			FULL JOIN (
				SELECT o.name, o.n, r.place, r.label, r.owner FROM {schema}.operation o JOIN {schema}.zonefile_record r USING (zonefile_hash) WHERE o.operation = 3
			) f USING (name, n, place)
			WHERE (s.label, s.owner) IS DISTINCT FROM (f.label, f.owner)`},
		{Name: "wants are the zonefiles that operations name and that have not come", SQL: `
			SELECT w.zonefile_hash AS wanted, f.zonefile_hash AS missing FROM (SELECT * FROM {schema}.want WHERE subject IS NULL) w
			FULL JOIN (
				SELECT DISTINCT ON (o.zonefile_hash) o.zonefile_hash, coalesce(a.source_seq, o.source_seq) AS source_seq, coalesce(a.attempts, 0) AS attempts,
				       coalesce(a.waits, 0) AS waits
				FROM {schema}.operation o LEFT JOIN {schema}.attempt a USING (zonefile_hash)
				WHERE o.n > 0 AND o.pointer IS NOT NULL AND o.zonefile_hash <> '\x' AND NOT EXISTS (SELECT FROM {schema}.zonefile z WHERE z.zonefile_hash = o.zonefile_hash)
				ORDER BY o.zonefile_hash, o.height, o.source_seq, o.tx_index
			) f USING (zonefile_hash)
			WHERE (w.source_seq, w.attempts, w.waits) IS DISTINCT FROM (f.source_seq, f.attempts, f.waits)`},
	}...)
}

// BuildDependent implements projections.BuildDependent.
func (p *Names) BuildDependent() []string { return append([]string{"want"}, ranked.BuildDependent...) }
