package load

import (
	"testing"
)

func TestScatteredIsAPermutation(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 800, 200_000, 199_999} {
		seen := make([]bool, n)
		for i := range n {
			position := Scattered(i, n)
			if seen[position] {
				t.Fatalf("of %d: %d comes twice", n, position)
			}
			seen[position] = true
		}
	}
}
