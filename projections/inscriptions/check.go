package inscriptions

import (
	"strata/projections"
	"strata/projections/internal/ranked"
)

// Checks implements projections.Checked.
func (p *Inscriptions) Checks() []projections.Check {
	return append(ranked.Checks(), []projections.Check{
		{Name: "the length of a list is its number of rows", SQL: `
			SELECT name, l.n AS entries, t.n AS there FROM (
				SELECT 'all' AS name, count(*) AS n FROM {schema}.inscription
				UNION ALL SELECT 'number', count(*) FROM {schema}.inscription
				UNION ALL SELECT 'ordinal', count(*) FROM {schema}.inscription
				UNION ALL SELECT 'cursed', count(*) FROM {schema}.inscription WHERE number < 0
				UNION ALL SELECT 'not_cursed', count(*) FROM {schema}.inscription WHERE number >= 0
				UNION ALL SELECT 'recursive', count(*) FROM {schema}.inscription WHERE recursive
				UNION ALL SELECT 'not_recursive', count(*) FROM {schema}.inscription WHERE NOT recursive
				UNION ALL SELECT 'mime:' || mime_type, count(*) FROM {schema}.inscription GROUP BY mime_type
				UNION ALL SELECT 'rarity:' || rarity, count(*) FROM {schema}.inscription GROUP BY rarity
				UNION ALL SELECT 'rarity_number:' || rarity, count(*) FROM {schema}.inscription GROUP BY rarity
				UNION ALL SELECT 'address:' || address, count(*) FROM {schema}.owner WHERE address IS NOT NULL GROUP BY address
				UNION ALL SELECT 'genesis_address:' || genesis_address, count(*) FROM {schema}.inscription WHERE genesis_address <> '' GROUP BY genesis_address
				UNION ALL SELECT 'sat:' || sat, count(*) FROM {schema}.inscription GROUP BY sat HAVING count(*) > 1
			) t FULL JOIN {schema}.list l USING (name)
			WHERE coalesce(l.n, 0) <> coalesce(t.n, 0)`},
		{Name: "a satoshi is at its last location", SQL: `
			SELECT sat FROM {schema}.satoshi s
			FULL JOIN (SELECT DISTINCT ON (sat) * FROM {schema}.location ORDER BY sat, height DESC, tx_index DESC) l USING (sat)
			WHERE (s.height, s.tx_index, s.source_seq, s.output_txid, s.vout) IS DISTINCT FROM (l.height, l.tx_index, l.source_seq, l.output_txid, l.vout)`},
		{Name: "a satoshi counts the inscriptions on it", SQL: `
			SELECT sat, s.inscriptions, i.n AS there FROM {schema}.satoshi s
			FULL JOIN (SELECT sat, count(*) AS n FROM {schema}.inscription GROUP BY sat) i USING (sat)
			WHERE coalesce(s.inscriptions, 0) <> coalesce(i.n, 0)`},
		{Name: "the owner of an inscription is the address of its satoshi", SQL: `
			SELECT id FROM {schema}.inscription i
			FULL JOIN {schema}.owner o USING (id, sat, number)
			LEFT JOIN {schema}.satoshi s USING (sat)
			LEFT JOIN {schema}.location l ON l.sat = s.sat AND l.height = s.height AND l.tx_index = s.tx_index
			WHERE (o.height, o.tx_index, o.address) IS DISTINCT FROM (i.height, i.tx_index, l.address)`},
		{Name: "a block counts the inscriptions that it reveals and moves", SQL: `
			SELECT height, b.reveals, i.n AS revealed, b.moves, l.n AS moved FROM {schema}.block b
			FULL JOIN (SELECT height, count(*) AS n FROM {schema}.inscription GROUP BY height) i USING (height)
			FULL JOIN (SELECT height, sum(moved) AS n FROM {schema}.location GROUP BY height) l USING (height)
			WHERE coalesce(b.reveals, -1) <> coalesce(i.n, 0) OR coalesce(b.moves, -1) <> coalesce(l.n, 0)`},
	}...)
}

// BuildDependent implements projections.BuildDependent.
func (p *Inscriptions) BuildDependent() []string { return ranked.BuildDependent }
