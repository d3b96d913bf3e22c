package history

import (
	"testing"

	"strata/domain/nodeevent"
	"strata/eventstore/history"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/wholeness"
	"strata/rig/replay"
)

// without returns posts without the blocks at some heights, and without the Bitcoin blocks and attachments that came with them.
func without(t *testing.T, posts []replay.Post, first, last uint64) (left []replay.Post) {
	t.Helper()
	height := uint64(0)
	for _, p := range posts {
		if block, ok := must.Get(nodeevent.Decode(p.Path, p.Body))(t).(*nodeevent.Block); ok {
			height = block.Height
		}
		if height < first || height > last {
			left = append(left, p)
		}
	}
	return left
}

// Blocks that are missing come from a history, whether it has the log or only the chain, and lead to the same chain.
func TestRepair(t *testing.T) {
	t.Parallel()
	_, all := made(synthchain.V40, 700)
	withLog, chainOnly := newServer(t), newServer(t)
	chainOnly.publisher.WithoutLog = true
	want := withLog.take(all...)
	chainOnly.take(all...)
	for name, of := range map[string]*server{"with the log": withLog, "the chain alone": chainOnly} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := must.Get(history.Open(t.Context(), history.NewDir(of.dir), of.trust))(t)
			const first, last = 40, 49
			s := newServer(t)
			replay.Append(t, s.log, without(t, all, first, last)...)
			s.fold()
			holes := must.Get(findHoles(t.Context(), s.log))(t)
			if len(holes) != 1 || holes[0].first != first || holes[0].last != last {
				t.Fatalf("got %+v", holes)
			}
			r := must.Get(newRepairer(t.Context(), s.log, source, holes[0], t.TempDir()))(t)
			must.Do(t, r.run(t.Context()))
			if !holes[0].whole() || r.events < last-first+1 || r.events > 80 {
				t.Errorf("%d events, of heights %v", r.events, holes[0].found)
			}
			got := s.take()
			if last, err := history.CompareChains(t.Context(), want, got, history.VerifyOptions{}); err != nil || last != want.Chain.Last {
				t.Errorf("the same up to height %d of %d: %v", last, want.Chain.Last, err)
			}
			if facts := must.Get(wholeness.Read(t.Context(), s.log.Pool()))(t); len(facts.Problems()) > 0 {
				t.Errorf("still: %+v", facts.Problems())
			}
			again := must.Get(newRepairer(t.Context(), s.log, source, holes[0], t.TempDir()))(t)
			if must.Do(t, again.run(t.Context())); again.events > r.events-(last-first+1) {
				t.Errorf("again it appends %d events, after %d", again.events, r.events)
			}
		})
	}
}
