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
	for _, c := range []struct{ blocks, padding, want int }{{24, 0, 1}, {64, 0, 1}, {65, 0, 65}, {24, 100_000, 24}} {
		t.Run(fmt.Sprintf("%d with %d bytes of padding each", c.blocks, c.padding), func(t *testing.T) {
			t.Parallel()
			log := replay.NewLog(t)
			posts := rig.Blocks(0, c.blocks)
			for i := range posts {
				posts[i].Body = append(posts[i].Body, bytes.Repeat([]byte{' '}, c.padding)...)
			}
			replay.Append(t, log, posts...)
			replay.Run(t, log, rig.Chain(t)) // so that the recorder finds all steps
			r := &rig.Recorder{}
			replay.Start(t, log, rig.Chain(t), balances.New(nil), r)
			replay.Wait(t, log)
			rig.CheckRecorded(t, log, int64(c.blocks))
			if got := r.Largest(); got != c.want {
				t.Errorf("the largest batch had %d steps, want %d", got, c.want)
			}
		})
	}
}
