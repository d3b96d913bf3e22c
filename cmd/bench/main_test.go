package main

import "testing"

// TestPartsAreDistinct checks that no package's part hides another's.
func TestPartsAreDistinct(t *testing.T) {
	t.Parallel()
	total := 0
	for _, own := range packageParts {
		total += len(own)
	}
	if got := len(parts()); got != total {
		t.Errorf("got %d parts, want %d", got, total)
	}
}
