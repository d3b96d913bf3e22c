package draw

import (
	"slices"
	"testing"
)

func TestSameSeedGivesSameDraws(t *testing.T) {
	a, b, other := New(1, 2), New(1, 2), New(1, 3)
	first, second, different := make([]byte, 100), make([]byte, 100), make([]byte, 100)
	a.Fill(first)
	b.Fill(second)
	other.Fill(different)
	if !slices.Equal(first, second) {
		t.Error("the same seed and stream gave different bytes")
	}
	if slices.Equal(first, different) {
		t.Error("two streams of a seed gave the same bytes")
	}
}

func TestChanceUsesOneDraw(t *testing.T) {
	always, never := New(1, 1), New(1, 1)
	for range 100 {
		if !always.Chance(1) || never.Chance(0) {
			t.Fatal("probabilities 1 and 0 must be certain")
		}
		if always.Uint64() != never.Uint64() {
			t.Fatal("the probability changed the draw after it")
		}
	}
}

func TestInIncludesBothEnds(t *testing.T) {
	s, seen := New(1, 1), map[int]bool{}
	for range 1000 {
		n := s.In(Range{Min: 2, Max: 5})
		if n < 2 || n > 5 {
			t.Fatalf("got %d, want 2 to 5", n)
		}
		seen[n] = true
	}
	if len(seen) != 4 || s.In(Range{Min: 7, Max: 7}) != 7 {
		t.Errorf("got only %v", seen)
	}
}

func TestDefault(t *testing.T) {
	for value, want := range map[int]int{-1: 9, 0: 9, 3: 3} {
		if Default(&value, 9); value != want {
			t.Errorf("got %d, want %d", value, want)
		}
	}
}
