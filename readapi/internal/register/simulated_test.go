package register_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	moves "strata/domain/commit"
	"strata/domain/schema"
	"strata/domain/shard"
	"strata/internal/testkit/must"
	"strata/readapi/internal/register"
	"strata/readapi/internal/register/registertest"
)

// reader is a process that follows the register.
type reader struct {
	state *register.State
	at    int // the transactions that it has heard of
}

// TestSimulatedChanges lets versions of projections move, be summarized, dropped and activated. Readers look, at servers that lag behind
// too, or hear of the moves: none ever believes that a shard has not changed which has.
func TestSimulatedChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, simulateChanges)
}

func simulateChanges(t *rapid.T) {
	numbers := []int32{0, 1, 255, 256, 5000, shard.Count - 1}
	names := []string{"a", "b"}
	truth := registertest.Truth{}
	history := []*registertest.Database{{}}
	var transactions [][]moves.Move // nil if it is none of moves
	readers := make([]reader, 2)
	epochs := byte(0)
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		step := rapid.IntRange(0, 11).Draw(t, "step")
		if step >= 7 {
			r := &readers[rapid.IntRange(0, 1).Draw(t, "reader")]
			if hear(t, r, transactions, step, len(history)) {
				judgeState(t, truth, r.state, numbers)
				continue
			}
			from := history[max(len(history)-1-rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(t, "behind"), 0)]
			read := must.Get(from.Read(names, r.state))(t)
			judgeState(t, truth, read, numbers)
			if step < 11 { // a request only looks
				*r = reader{read, slices.Index(history, from)}
			}
			continue
		}
		next := history[len(history)-1].Clone()
		next.LogSize++
		name, number := rapid.SampledFrom(names).Draw(t, "name"), rapid.IntRange(1, 2).Draw(t, "number")
		i := slices.IndexFunc(next.Versions, func(v *registertest.Version) bool { return v.Name == name && v.Number == number })
		var told []moves.Move
		switch {
		case i < 0:
			epochs++
			next.Versions = append(next.Versions, &registertest.Version{Name: name, Number: number, Epoch: [16]byte{epochs}})
			truth[[16]byte{epochs}] = map[int64][]int32{}
		case step == 0:
			next.Versions = slices.Delete(next.Versions, i, i+1)
		case step == 1:
			for _, v := range next.Versions {
				v.Active = v.Name == name && v.Number == number || v.Active && v.Name != name
			}
		case step == 2:
			next.Versions[i].Summarize(rapid.IntRange(0, 3).Draw(t, "kept"))
		default:
			for _, v := range next.Versions {
				if v == next.Versions[i] || rapid.Bool().Draw(t, "too") {
					told = append(told, move(t, truth, v, numbers))
				}
			}
		}
		history, transactions = append(history, next), append(transactions, told)
	}
}

// move moves a version.
func move(t *rapid.T, truth registertest.Truth, v *registertest.Version, numbers []int32) moves.Move {
	m := moves.Move{Version: schema.Schema{Name: v.Name, Version: v.Number}, Epoch: v.Epoch, From: v.Position, AllShards: rapid.IntRange(0, 9).Draw(t, "all") == 0}
	v.Position += rapid.Int64Range(1, 3).Draw(t, "by")
	m.To, m.LogSeq = v.Position, v.Position
	if rapid.Bool().Draw(t, "has a block") {
		m.Tip = &moves.Tip{Height: v.Position}
	}
	v.Height = nil
	if m.Tip != nil {
		v.Height = &m.Tip.Height
	}
	if m.AllShards {
		v.From = m.To
		truth[v.Epoch][m.To] = nil
		return m
	}
	m.Shards = []int32{}
	for _, number := range numbers {
		if rapid.IntRange(0, 2).Draw(t, "changes") == 0 {
			m.Shards = append(m.Shards, number)
		}
	}
	v.Changes = append(v.Changes, registertest.Change{Position: m.To, Shards: m.Shards})
	truth[v.Epoch][m.To] = m.Shards
	return m
}

// hear lets a reader hear of the transactions since its state, one of which may be lost, if they are all moves, and reports whether it did.
func hear(t *rapid.T, r *reader, transactions [][]moves.Move, step, snapshots int) bool {
	if step != 7 || r.state == nil || r.at == snapshots-1 {
		return false
	}
	if rapid.IntRange(0, 3).Draw(t, "lost") == 0 {
		r.at++
	}
	for ; r.at < snapshots-1; r.at++ {
		next, ok := r.state.After(transactions[r.at])
		if !ok || transactions[r.at] == nil {
			return false
		}
		r.state = next
	}
	return true
}

func judgeState(t *rapid.T, truth registertest.Truth, s *register.State, numbers []int32) {
	for _, v := range s.Versions {
		if !v.Active {
			continue
		}
		for _, number := range numbers {
			if got, want := s.Active(v.Name).Changed(number), truth.Changed(v, number); got != want {
				t.Fatalf("shard %d of %s changed at %d, and at %d, it seems (position %d)", number, v, want, got, v.Position)
			}
		}
	}
}
