package internal_test

import (
	"testing"

	"strata/cmd/strata/internal/demo"
)

// The demo posts as many events as it is told, and refuses to post none: it would never end.
func TestDemoCount(t *testing.T) {
	for count, want := range map[uint64][2]uint64{1: {1, 0}, 40: {35, 5}, 400: {350, 50}, 4000: {3950, 50}} {
		command := demo.Command{Count: count}
		if err := command.Validate(); err != nil {
			t.Errorf("%d: %v", count, err)
		}
		posts, payloads := command.Shares()
		if posts != want[0] || payloads != want[1] {
			t.Errorf("%d: got %d events of a node and %d of an indexer, want %v", count, posts, payloads, want)
		}
	}
	if (&demo.Command{}).Validate() == nil {
		t.Error("a demo without events is accepted")
	}
}
