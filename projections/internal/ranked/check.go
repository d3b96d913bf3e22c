package ranked

import "strata/projections"

// Checks returns the checks that hold for all lists.
func Checks() []projections.Check {
	return []projections.Check{
		{Name: "the parts of a list add up to its length", SQL: `
			SELECT p.list, p.n AS parts, l.n AS entries FROM (SELECT list, sum(n) AS n FROM {schema}.part GROUP BY list) p
			LEFT JOIN {schema}.list l ON l.name = p.list WHERE l.n IS DISTINCT FROM p.n`},
	}
}

// BuildDependent names the tables whose rows depend on how many entries were written at once.
var BuildDependent = []string{"part"}
