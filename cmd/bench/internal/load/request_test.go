package load

import (
	"testing"
)

// Distinct requests never repeat, and all have the same length.
func TestDistinct(t *testing.T) {
	t.Parallel()
	list := Distinct("/v2/accounts/SP", "?proof=0")
	seen := map[string]bool{}
	var buffer []byte
	for range 1000 {
		request := list.take(&buffer)
		if len(request.request) != len("GET /v2/accounts/SP0000000000?proof=0 HTTP/1.1\r\nHost: strata\r\n\r\n") {
			t.Fatalf("%q", request.request)
		}
		seen[string(request.request)] = true
	}
	if len(seen) != 1000 || !seen["GET /v2/accounts/SP0000000999?proof=0 HTTP/1.1\r\nHost: strata\r\n\r\n"] {
		t.Errorf("got %d requests, want 1000", len(seen))
	}
}

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
