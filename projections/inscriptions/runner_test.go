package inscriptions_test

import (
	"fmt"
	"testing"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/inscriptions"
	judge "strata/projections/ordinals"
	"strata/rig/replay"
)

// TestRunner folds payloads of the log together with the projection ordinals, which writes the steps.
func TestRunner(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{false, true} {
		t.Run(fmt.Sprintf("live %t", live), func(t *testing.T) {
			t.Parallel()
			log := replay.NewLog(t)
			feed := synthordinals.New(synthordinals.Everything(7, ordinals.Regtest))
			projection := inscriptions.New(nil)
			projection.Limit(8)
			line := projections.Feed(judge.New(nil), projection)
			if live {
				replay.Follow(t, follow.Config{Log: log}, line)
			}
			w := newWorld(t, nil) // keeps the bodies
			for range 120 {
				post := feed.Next()
				w.post(post)
				replay.Append(t, log, post)
			}
			if live {
				replay.Wait(t, log)
			} else {
				replay.RunLines(t, log, line)
			}
			tx := replay.Begin(t, log.Pool())
			state := feed.Expected()
			tip, _ := state.Tip()
			w.tx, w.tip = tx, &projections.Tip{Height: int64(tip.Height), BlockHash: tip.Hash, IndexBlockHash: tip.Hash}
			w.check(&state)
		})
	}
}
