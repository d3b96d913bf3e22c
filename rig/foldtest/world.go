package foldtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/projections"
	"strata/rig/body"
	"strata/rig/replay"
)

// World folds handmade blocks in one database transaction.
type World struct {
	T          *testing.T
	Tx         pgx.Tx
	Projection projections.Projection[projections.Step]
	Blocks     map[string]projections.Step
	Step       int64               // number of the last one
	Outcome    projections.Outcome // of the last fold

	rig   *Rig
	posts int64
	// forgetful means that the projection reads everything from its tables again after each block.
	forgetful bool
}

// NewWorld returns a world that keeps its state, or a forgetful one.
func (r *Rig) NewWorld(t *testing.T, forgetful bool) *World {
	t.Helper()
	return &World{Tx: r.Begin(t), Projection: r.create(), Blocks: map[string]projections.Step{}, T: t, rig: r, forgetful: forgetful}
}

// Worlds runs each test in a world that keeps its state and in a forgetful one.
func (r *Rig) Worlds(t *testing.T, tests map[string]func(w *World)) {
	t.Helper()
	t.Parallel()
	for name, test := range tests {
		for _, forgetful := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/restarted=%t", name, forgetful), func(t *testing.T) {
				t.Parallel()
				test(r.NewWorld(t, forgetful))
			})
		}
	}
}

// Apply applies blocks, all in one batch unless the world is forgetful.
func (w *World) Apply(blocks ...body.Block) {
	w.T.Helper()
	var steps []projections.Step
	for _, b := range blocks {
		steps = append(steps, w.Announce(b))
	}
	w.Fold(steps...)
}

// Announce returns the step that applies a block.
func (w *World) Announce(b body.Block) projections.Step {
	w.T.Helper()
	w.posts++
	step := BlockStep(w.T, w.posts, b)
	w.Blocks[b.Name] = step
	return step
}

// BlockStep returns the step that applies a block, which event seq brought. It has no number.
func BlockStep(t replay.TB, seq int64, b body.Block) projections.Step {
	t.Helper()
	item := replay.Decode(t, []replay.Post{b.Post()})[0]
	if item.Err != nil {
		t.Fatal(item.Err)
	}
	item.Block.Seq = seq
	return projections.Step{
		Kind: projections.Apply, Height: int64(item.Block.Height), IndexBlockHash: item.Block.IndexBlockHash, BlockSeq: seq, SourceSeq: seq, Block: item.Block,
	}
}

// Revert reverts blocks, the newest first.
func (w *World) Revert(names ...string) {
	w.T.Helper()
	var steps []projections.Step
	for _, name := range names {
		step := w.Blocks[name]
		step.Kind, step.Block = projections.Revert, nil
		steps = append(steps, step)
	}
	w.Fold(steps...)
}

// Fold folds steps, which it numbers, and runs the checks.
func (w *World) Fold(steps ...projections.Step) {
	w.T.Helper()
	for i := range steps {
		steps[i].Number = w.Step + int64(i) + 1
	}
	size := len(steps)
	if w.forgetful {
		size = 1
	}
	for chunk := range slices.Chunk(steps, size) {
		outcome, err := w.Projection.Fold(w.T.Context(), w.Tx, w.Step, chunk)
		if err != nil {
			w.T.Fatal(err)
		}
		w.Outcome = outcome
		w.Step += int64(len(chunk))
		if w.forgetful {
			w.Projection.Forget()
		}
	}
	w.rig.Check(w.T, w.Tx)
}

// Refused reports whether the projection refuses a step, which changes nothing then.
func (w *World) Refused(step projections.Step) bool {
	w.T.Helper()
	savepoint, err := w.Tx.Begin(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	step.Number = w.Step + 1
	_, refused := w.Projection.Fold(w.T.Context(), savepoint, w.Step, []projections.Step{step})
	w.Projection.Forget()
	replay.End(w.T, savepoint)
	return refused != nil
}

// Want compares the rows of a query, which must have one text column, with the expected ones.
func (w *World) Want(what, query string, want ...string) {
	w.T.Helper()
	Compare(w.T, what, replay.Texts(w.T, w.Tx, query), want)
}

// WantNamed is like Want, with names in place of the addresses of accounts.
func (w *World) WantNamed(what, query string, want ...string) {
	w.T.Helper()
	got := replay.Texts(w.T, w.Tx, query)
	for i := range got {
		for _, a := range []body.Account{"alice", "bob", "carol", "sponsor"} {
			got[i] = strings.ReplaceAll(got[i], a.Address(), string(a))
		}
	}
	Compare(w.T, what, got, want)
}

// Compare compares rows with those that are wanted. Of many, it shows only the differences.
func Compare(t replay.TB, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	all := got
	if len(got)+len(want) > 20 {
		got = slices.DeleteFunc(slices.Clone(got), func(row string) bool { return slices.Contains(want, row) })
		want = slices.DeleteFunc(slices.Clone(want), func(row string) bool { return slices.Contains(all, row) })
	}
	t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
}
