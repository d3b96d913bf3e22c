package chain_test

import (
	"fmt"
	"testing"

	"strata/internal/testkit/must"
	"strata/internal/wholeness"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/replay"
)

// What package wholeness reads from the tables.
func TestWholeness(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	facts := func() *wholeness.Facts {
		t.Helper()
		f := must.Get(wholeness.Read(t.Context(), log.Pool()))(t)
		return f
	}
	fold := func(posts ...replay.Post) {
		t.Helper()
		replay.Append(t, log, posts...)
		replay.Run(t, log, rig.Chain(t))
	}
	block := func(height int) replay.Post {
		name, parent := fmt.Sprintf("a%d", height), fmt.Sprintf("a%d", height-1)
		switch height {
		case 0:
			name, parent = body.Genesis, ""
		case 1:
			parent = body.Genesis
		}
		return stacks(name, parent, fmt.Sprintf("%da", height+1))
	}
	if f := facts(); f.Tip != nil || f.Complete() {
		t.Errorf("an empty log: got %+v", f)
	}
	must.Get(log.Pool().Exec(t.Context(), `DELETE FROM log.partial_history`))(t)
	fold(block(5), block(6))
	if f := facts(); f.Tip != nil || f.Gaps != 1 || f.Missing != 5 || f.MissingFrom != 0 || f.MissingTo != 4 {
		t.Errorf("above genesis: got %+v", f)
	}
	fold(block(0), block(1), block(9))
	if f := facts(); f.Tip == nil || *f.Tip != 1 || f.Gaps != 2 || f.Missing != 5 || f.MissingFrom != 2 || f.MissingTo != 8 || f.Waiting != 5 || f.WaitingTo != 9 {
		t.Errorf("two gaps: got %+v", f)
	}
	fold(block(2), block(3), block(4), block(7), block(8))
	if f := facts(); !f.Complete() || *f.Tip != 9 || len(f.Problems()) > 0 {
		t.Errorf("filled: got %+v", f)
	}
}
