package ranked

import "strata/projections"

// Checks returns the checks that hold for all lists.
func Checks() []projections.Check {
	return []projections.Check{
		{Name: "the parts of a list add up to its length", SQL: `
			SELECT p.list, p.n AS parts, l.n AS entries FROM (
				SELECT list, sum(n) AS n FROM {schema}.part WHERE list NOT LIKE '` + SectionPrefix + `%' GROUP BY list
			) p LEFT JOIN {schema}.list l ON l.name = p.list WHERE l.n IS DISTINCT FROM p.n`},
		{Name: "a section is the sum of its parts", SQL: `
			SELECT s.list, s.a, s.b, s.c, s.n AS entries, p.n AS parts FROM (
				SELECT *, substr(list, length('` + SectionPrefix + `') + 1) AS of, lead(a) OVER w AS next_a, lead(b) OVER w AS next_b, lead(c) OVER w AS next_c
				FROM {schema}.part WHERE list LIKE '` + SectionPrefix + `%' WINDOW w AS (PARTITION BY list ORDER BY a, b, c)
			) s CROSS JOIN LATERAL (
				SELECT sum(n) AS n FROM {schema}.part p WHERE p.list = s.of AND (p.a, p.b, p.c) >= (s.a, s.b, s.c)
					AND (s.next_a IS NULL OR (p.a, p.b, p.c) < (s.next_a, s.next_b, s.next_c))
			) p WHERE p.n IS DISTINCT FROM s.n`},
		{Name: "sections add up to the length of their list", SQL: `
			SELECT s.of, s.n AS sections, l.n AS entries FROM (
				SELECT substr(list, length('` + SectionPrefix + `') + 1) AS of, sum(n) AS n FROM {schema}.part WHERE list LIKE '` + SectionPrefix + `%' GROUP BY list
			) s LEFT JOIN {schema}.list l ON l.name = s.of WHERE l.n IS DISTINCT FROM s.n`},
	}
}

// BuildDependent names the tables whose rows depend on how many entries were written at once.
var BuildDependent = []string{"part"}
