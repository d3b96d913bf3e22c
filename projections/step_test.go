package projections_test

import (
	"fmt"
	"slices"
	"testing"

	"strata/domain/hash"
	"strata/projections"
)

func TestLasting(t *testing.T) {
	t.Parallel()
	apply := func(id byte) projections.Step {
		return projections.Step{Kind: projections.Apply, IndexBlockHash: hash.Hash32{id}}
	}
	revert := func(id byte) projections.Step {
		return projections.Step{Kind: projections.Revert, IndexBlockHash: hash.Hash32{id}}
	}
	record := projections.Step{Kind: projections.TakeRecord, IndexBlockHash: hash.Hash32{1}}
	for _, c := range []struct {
		name        string
		steps, want []projections.Step
	}{
		{"no fork", []projections.Step{apply(1), apply(2)}, []projections.Step{apply(1), apply(2)}},
		{"a fork of two", []projections.Step{apply(1), apply(2), apply(3), revert(3), revert(2), apply(4)}, []projections.Step{apply(1), apply(4)}},
		{"a revert of a block from an earlier batch", []projections.Step{revert(9), apply(1)}, []projections.Step{revert(9), apply(1)}},
		{"the same block is applied again", []projections.Step{revert(9), apply(9)}, []projections.Step{revert(9), apply(9)}},
		{"more is reverted than applied", []projections.Step{apply(1), revert(1), revert(9)}, []projections.Step{revert(9)}},
		{"records in between", []projections.Step{apply(1), record, revert(1), record}, nil},
		{"a block comes back", []projections.Step{apply(1), revert(1), apply(2), revert(2), apply(1)}, []projections.Step{apply(1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := fmt.Sprint(c.steps)
			got := projections.Lasting(c.steps)
			if !slices.EqualFunc(got, c.want, func(a, b projections.Step) bool { return a == b }) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if fmt.Sprint(c.steps) != before {
				t.Error("Lasting changed its argument")
			}
		})
	}
}
