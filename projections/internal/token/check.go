package token

import "strata/projections"

// Checks implements projections.Checked.
func (p *Projection) Checks() []projections.Check {
	return []projections.Check{
		{Name: "counters equal the numbers of rows", SQL: `
			SELECT name, c.n AS counted, t.n AS there FROM (
				SELECT 'contracts' AS name, count(*) AS n FROM {schema}.contract
				UNION ALL SELECT 'tokens', count(*) FROM {schema}.token
				UNION ALL SELECT {schema}.want_state(attempts, severity), count(*) FROM {schema}.want GROUP BY 1
			) t FULL JOIN {schema}.counter c USING (name)
			WHERE coalesce(c.n, 0) <> coalesce(t.n, 0)`},
		{Name: "the stretches of a list add up to its tokens", SQL: `
			SELECT list, s.n AS counted, t.n AS there FROM (
				SELECT 'name' AS list, count(*) AS n FROM {schema}.token WHERE name_key IS NOT NULL
				UNION ALL SELECT 'symbol', count(*) FROM {schema}.token WHERE symbol_key IS NOT NULL
			) t FULL JOIN (SELECT list, sum(n) AS n FROM {schema}.stretch GROUP BY list) s USING (list)
			WHERE coalesce(s.n, 0) <> coalesce(t.n, 0)`},
		{Name: "each stretch of a list counts the tokens from its key to the next", SQL: `
			SELECT list, max(key) FILTER (WHERE NOT is_token) AS first_key, coalesce(max(counted), 0) AS counted, count(*) FILTER (WHERE is_token) AS there
			FROM (
				SELECT *, count(counted) OVER (PARTITION BY list ORDER BY key, contract, is_token) AS stretch FROM (
					SELECT list, first_key AS key, first_contract AS contract, n AS counted, false AS is_token FROM {schema}.stretch
					UNION ALL SELECT 'name', name_key, contract_id COLLATE "C", NULL, true FROM {schema}.token WHERE name_key IS NOT NULL
					UNION ALL SELECT 'symbol', symbol_key, contract_id COLLATE "C", NULL, true FROM {schema}.token WHERE symbol_key IS NOT NULL
				) points
			) placed
			GROUP BY list, stretch
			HAVING coalesce(max(counted), 0) <> count(*) FILTER (WHERE is_token)`},
		{Name: "each token belongs to a contract", SQL: `
			SELECT contract_id, token_id FROM {schema}.token t
			WHERE NOT EXISTS (SELECT FROM {schema}.contract c WHERE c.contract_id = t.contract_id)`},
		{Name: "each reference belongs to a token", SQL: `
			SELECT contract_id, token_id, role, locale FROM {schema}.reference r
			WHERE NOT EXISTS (SELECT FROM {schema}.token t WHERE t.contract_id = r.contract_id AND t.token_id = r.token_id)`},
	}
}

// BuildDependent implements projections.BuildDependent: where a list is cut into stretches depends on its history.
func (p *Projection) BuildDependent() []string { return []string{"stretch"} }
