package ranked

import "strata/projections"

// Checks are what holds of the lists, whatever they are of.
func Checks() []projections.Check {
	return []projections.Check{
		{Name: "the parts of a list add up to it", SQL: `
			SELECT p.list, p.n AS parts, l.n AS entries FROM (SELECT list, sum(n) AS n FROM {schema}.part GROUP BY list) p
			LEFT JOIN {schema}.list l ON l.name = p.list WHERE l.n IS DISTINCT FROM p.n`},
	}
}

// BuildDependent are the tables whose rows depend on how many entries came at once.
var BuildDependent = []string{"part"}
