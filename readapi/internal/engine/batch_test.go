package engine

import "testing"

func TestMainSelect(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		"SELECT": " 1", "\n\tSELECT": " (SELECT 2)", "WITH a AS (SELECT 1), b AS MATERIALIZED (SELECT (2)) SELECT": " {} FROM a, b",
	} {
		if got := mainSelect(before + after); got != len(before) {
			t.Errorf("%s%s: got %d, want %d", before, after, got, len(before))
		}
	}
}
