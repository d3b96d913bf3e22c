package chain

import "strata/projections"

// Checks implements projections.Checked.
func (c *Chain) Checks() []projections.Check {
	return []projections.Check{
		{Name: "canonical heights have no gaps", SQL: `
			SELECT height FROM (SELECT height, lead(height) OVER (ORDER BY height) AS next FROM {schema}.canonical) h WHERE next <> height + 1`},
		{Name: "each canonical block has a row at its height, and its parent is the canonical block below", SQL: `
			SELECT c.height, c.block_seq
			FROM {schema}.canonical c
			LEFT JOIN {schema}.block b ON b.source_seq = c.block_seq
			LEFT JOIN {schema}.canonical below ON below.height = c.height - 1
			LEFT JOIN {schema}.block parent ON parent.source_seq = below.block_seq
			WHERE b.height IS DISTINCT FROM c.height OR NOT b.attached OR b.parent_index_block_hash <> parent.index_block_hash`},
		{Name: "steps are numbered without gaps", SQL: `
			SELECT max(step) AS last_step, count(*) AS steps FROM {schema}.step HAVING count(*) <> coalesce(max(step), 0)`},
		{Name: "steps add up to the canonical blocks", SQL: `
			SELECT coalesce(s.height, c.height) AS height, coalesce(s.block_seq, c.block_seq) AS block_seq
			FROM (SELECT height, block_seq, sum(kind) AS applied FROM {schema}.step WHERE kind <> 0 GROUP BY height, block_seq) s
			FULL JOIN {schema}.canonical c ON c.height = s.height AND c.block_seq = s.block_seq
			WHERE coalesce(s.applied, 0) <> CASE WHEN c.height IS NULL THEN 0 ELSE 1 END`},
		{Name: "a followed Bitcoin block names the followed one below it as its parent, if it names one", SQL: `
			SELECT b.height, b.source_seq
			FROM {schema}.burn_block b JOIN {schema}.burn_block below ON below.height = b.height - 1 AND below.canonical
			WHERE b.canonical AND b.parent_burn_block_hash <> below.burn_block_hash`},
		{Name: "steps add up to the followed Bitcoin blocks", SQL: `
			SELECT b.height, b.source_seq
			FROM {schema}.burn_block b
			LEFT JOIN (SELECT block_seq, sum(CASE record WHEN 3 THEN 1 ELSE -1 END) AS followed FROM {schema}.step WHERE record IN (3, 4) GROUP BY block_seq) s
				ON s.block_seq = b.source_seq
			WHERE coalesce(s.followed, 0) <> b.canonical::int`},
		{Name: "tx_count of each block equals its transactions", SQL: `
			SELECT b.source_seq, b.tx_count, count(t.source_seq) AS transactions
			FROM {schema}.block b LEFT JOIN {schema}.transaction t USING (source_seq)
			GROUP BY b.source_seq HAVING count(t.source_seq) <> b.tx_count`},
		{Name: "event_count of each transaction equals its events", SQL: `
			SELECT coalesce(t.source_seq, e.source_seq) AS source_seq, coalesce(t.tx_index, e.tx_index) AS tx_index, t.event_count, e.events
			FROM {schema}.transaction t
			FULL JOIN (SELECT source_seq, tx_index, count(*) AS events FROM {schema}.event GROUP BY source_seq, tx_index) e USING (source_seq, tx_index)
			WHERE coalesce(t.event_count, -1) <> coalesce(e.events, 0)`},
	}
}
