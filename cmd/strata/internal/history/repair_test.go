package history

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/cmd/strata/internal/folding"
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
			holes := must.Get(folding.FindHoles(t.Context(), s.log))(t)
			if len(holes) != 1 || holes[0].First != first || holes[0].Last != last {
				t.Fatalf("got %+v", holes)
			}
			events := must.Get(holes[0].Fill(t.Context(), s.log, source, t.TempDir()))(t)
			if holes[0].Left() > 0 || events < last-first+1 || events > 80 {
				t.Errorf("%d events, and %d heights are left", events, holes[0].Left())
			}
			// What has been appended and is not folded yet is not appended again.
			for _, h := range must.Get(folding.FindHoles(t.Context(), s.log))(t) {
				if again := must.Get(h.Fill(t.Context(), s.log, source, t.TempDir()))(t); again != 0 || h.Left() > 0 {
					t.Errorf("again it appends %d events, and %d heights are left", again, h.Left())
				}
			}
			got := s.take()
			if last, err := history.CompareChains(t.Context(), want, got, history.VerifyOptions{}); err != nil || last != want.Chain.Last {
				t.Errorf("the same up to height %d of %d: %v", last, want.Chain.Last, err)
			}
			if facts := must.Get(wholeness.Read(t.Context(), s.log.Pool()))(t); len(facts.Problems()) > 0 {
				t.Errorf("still: %+v", facts.Problems())
			}
			if holes := must.Get(folding.FindHoles(t.Context(), s.log))(t); len(holes) > 0 {
				t.Errorf("still missing: %+v", holes)
			}
		})
	}
}

// A server takes missing blocks once the history has them, and looks again only when that has changed.
func TestMend(t *testing.T) {
	t.Parallel()
	_, all := made(synthchain.V40, 700)
	source, s := newServer(t), newServer(t)
	source.take(all[:200]...)
	replay.Append(t, s.log, without(t, all, 40, 49)...)
	s.fold()
	var said bytes.Buffer
	opened := 0
	m := folding.Mender{Log: s.log, Download: filepath.Join(t.TempDir(), "download"), Logger: slog.New(slog.NewTextHandler(&said, nil)),
		Open: func(ctx context.Context) (*history.Opened, error) {
			opened++
			return history.Open(ctx, history.NewDir(source.dir), source.trust)
		}}
	mend := func(wantOpened, wantSaid int) {
		t.Helper()
		must.Do(t, m.Mend(t.Context()))
		if n := strings.Count(said.String(), "looked for missing blocks"); opened != wantOpened || n != wantSaid {
			t.Errorf("it opened the history %d times and looked %d times, want %d and %d", opened, n, wantOpened, wantSaid)
		}
	}
	mend(1, 1)
	mend(2, 1)
	source.take(all[200:]...)
	mend(3, 2)
	s.fold()
	mend(3, 2) // nothing is missing
	want := source.take()
	if last, err := history.CompareChains(t.Context(), want, s.take(), history.VerifyOptions{}); err != nil || last != want.Chain.Last {
		t.Errorf("the same up to height %d of %d: %v", last, want.Chain.Last, err)
	}
	if _, err := os.Stat(m.Download); !os.IsNotExist(err) {
		t.Errorf("the folder of downloads is left: %v", err)
	}
}
