package page

import (
	"strings"
)

// Bisection is a binary search in SQL: over a range of numbers, with one probe for each halving. All searches in lists
// are made with it.
type Bisection struct {
	// Low and High are SQL expressions for the first and the last number of the range, of type bigint.
	Low, High string
	// If is an SQL condition; unless it holds the search finds NULL. Empty for none.
	If string
	// Probe is an SQL query for at most one row with the columns n, which is the number {middle}, and holds, which says
	// whether the predicate of the search holds there. Without a row for some middle, the search finds NULL.
	Probe string
}

// Last returns an SQL expression for the last number of the range for which the predicate holds, which must hold for no
// number after one for which it does not. It is Low if the predicate holds for none after it.
func (s Bisection) Last() string {
	return s.search(`(low + high + 1) / 2`,
		`CASE WHEN middle.holds THEN middle.n ELSE low END, CASE WHEN middle.holds THEN high ELSE middle.n - 1 END`)
}

// First returns an SQL expression for the first number of the range for which the predicate holds, which must hold for
// all numbers after it. It is High if the predicate holds for none before it.
func (s Bisection) First() string {
	return s.search(`(low + high) / 2`,
		`CASE WHEN middle.holds THEN low ELSE middle.n + 1 END, CASE WHEN middle.holds THEN middle.n ELSE high END`)
}

func (s Bisection) search(middle, halves string) string {
	if s.If != "" {
		s.If = "WHERE " + s.If
	}
	return strings.NewReplacer("{low}", s.Low, "{high}", s.High, "{if}", s.If, "{halves}", halves,
		"{probe}", strings.ReplaceAll(s.Probe, "{middle}", middle)).Replace(`(
			WITH RECURSIVE halving (low, high) AS (
				SELECT {low}, {high} {if}
				UNION ALL
				SELECT {halves}
				FROM halving CROSS JOIN LATERAL ({probe}) middle
				WHERE low < high
			)
			SELECT low FROM halving WHERE low = high LIMIT 1
		)`)
}
