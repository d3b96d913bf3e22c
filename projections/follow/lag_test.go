package follow_test

import (
	"bytes"
	"fmt"
	"testing"

	"strata/projections/balances"
	"strata/rig"
	"strata/rig/replay"
)

// TestLargeItems expects a follower that is a few blocks behind to fold them one at a time, but large blocks in one
// batch.
func TestLargeItems(t *testing.T) {
	t.Parallel()
	const blocks = 24
	for _, c := range []struct{ padding, want int }{{0, 1}, {100_000, blocks}} {
		t.Run(fmt.Sprintf("with %d bytes of padding each", c.padding), func(t *testing.T) {
			t.Parallel()
			log := replay.NewLog(t)
			posts := rig.Blocks(0, blocks)
			for i := range posts {
				posts[i].Body = append(posts[i].Body, bytes.Repeat([]byte{' '}, c.padding)...)
			}
			replay.Append(t, log, posts...)
			replay.Run(t, log, rig.Chain(t)) // so that the recorder finds all steps
			r := &rig.Recorder{}
			replay.Start(t, log, rig.Chain(t), balances.New(nil), r)
			replay.Wait(t, log)
			rig.CheckRecorded(t, log, blocks)
			if got := r.Largest(); got != c.want {
				t.Errorf("the largest batch had %d steps, want %d", got, c.want)
			}
		})
	}
}
