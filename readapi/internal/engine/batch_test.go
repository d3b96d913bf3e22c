package engine

import (
	"fmt"
	"testing"

	"strata/internal/testkit/check"
)

func TestMainSelect(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		"SELECT": " 1", "\n\tSELECT": " (SELECT 2)", "WITH a AS (SELECT 1), b AS MATERIALIZED (SELECT (2)) SELECT": " {} FROM a, b",
	} {
		check.Equal(t, fmt.Sprintf("%s%s", before, after), mainSelect(before+after), len(before))
	}
}
