package ordinals_test

import (
	"strings"
	"testing"

	"strata/domain/ordinals"
)

func TestBounded(t *testing.T) {
	for _, text := range []string{"", "bc1q", strings.Repeat("x", ordinals.BoundedMost)} {
		if got := ordinals.Bounded(text); got != text {
			t.Errorf("Bounded(%q) = %q", text, got)
		}
	}

	long := strings.Repeat("x", ordinals.BoundedMost+1)
	const want = "sha256:3ac31d30e2ef713a7d4803d2923982618af0bfb6488e67e2bcb9d0050f24d56a"
	got := ordinals.Bounded(long)
	if got != want {
		t.Errorf("Bounded of a long text is %q, want %q", got, want)
	}
	if other := ordinals.Bounded(long + "x"); other == got {
		t.Errorf("two long texts are both %q", got)
	}
}
