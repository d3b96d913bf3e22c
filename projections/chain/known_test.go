package chain_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/follow"
	"strata/rig"
	"strata/rig/replay"
)

// TestKnownAtAnotherHeight announces blocks again with a height above all others, which no node does: hashes commit to heights. The
// projection does not look up what is above all that it knows, and yet must find that it knows these.
func TestKnownAtAnotherHeight(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	follow := func() (stop func()) {
		return replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond}, projections.Chain(rig.Chain(t)))
	}
	post := func(posts ...replay.Post) {
		for _, p := range posts {
			replay.Append(t, log, p)
			replay.Wait(t, log)
		}
	}
	stop := follow()
	below := bitcoin("2a", "1a")
	post(bitcoin("1a", ""), genesis(), below, stacks("a1", "genesis", "2a"), stacks("a2", "a1", "2a"), bitcoin("3a", "2a"))
	stop()
	follow()
	post(stacks("a3", "a2", "3a"))
	post(stacks("a1", "genesis", "2a", with(map[string]any{"block_height": 9})))
	post(replay.Post{Path: below.Path, Body: bytes.Replace(below.Body, []byte(`height":2`), []byte(`height":9`), 1)})
	post(bitcoin("4a", "3a"), stacks("a4", "a3", "4a"))
	must.Do(t, pgx.BeginFunc(t.Context(), log.Pool(), func(tx pgx.Tx) error {
		got := read(t, tx)
		want := state{chain: "genesis a1 a2 a3 a4", steps: "+genesis +a1 +a2 +a3 +a4", burn: "1a 2a 3a 4a"}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		checkSteps(t, tx)
		return nil
	}))
}
