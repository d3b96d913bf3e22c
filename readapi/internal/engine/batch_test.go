package engine

import (
	"fmt"
	"testing"

	"strata/internal/testkit/check"
)

func TestSelectList(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		"SELECT": " 1", "\n\tSELECT": " (SELECT 2)", "WITH a AS (SELECT 1), b AS MATERIALIZED (SELECT (2)) SELECT": " {} FROM a, b",
		"SELECT DISTINCT ON (lower(a), b)": " {}, a FROM c WHERE (a, b) IN (SELECT 1, 2)",
	} {
		check.Equal(t, fmt.Sprintf("%s%s", before, after), selectList(before+after), len(before))
	}
}
