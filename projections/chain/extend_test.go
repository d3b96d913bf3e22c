package chain_test

import (
	"fmt"
	"os"
	"testing"

	"strata/domain/nodeevent"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/pox"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

func TestMain(m *testing.M) {
	replay.Histories(1000)
	os.Exit(m.Run())
}

// folding folds a log until stop is called, with so many blocks in a transaction that extends the chain.
func folding(t *testing.T, log *eventstore.Log, piece int) (stop func()) {
	t.Helper()
	c := rig.Chain(t)
	c.SetPiece(piece)
	return replay.Start(t, log, c, balances.New(nil), pox.New())
}

// TestExtendDown begins a log high above genesis, appends the history below it, and ends what folds, again and again, in the middle of
// extending the chain. The rows are as if all had come in order.
func TestExtendDown(t *testing.T) {
	t.Parallel()
	config := synthchain.Everything(9, synthchain.V3109)
	config.SigningSample = 1000
	made := synthchain.New(config)
	for range 1200 {
		made.Next()
	}
	var others, blocks []replay.Post
	for _, post := range made.CanonicalPosts() {
		if post.Path == nodeevent.PathBlock {
			blocks = append(blocks, post)
		} else {
			others = append(others, post)
		}
	}
	begin := len(blocks) * 2 / 3
	log, inOrder := replay.NewLog(t), replay.NewLogApart(t)
	replay.Append(t, inOrder, others...)
	replay.Append(t, inOrder, blocks...)
	stop := replay.Start(t, inOrder, rig.Chain(t), balances.New(nil), pox.New())
	replay.Wait(t, inOrder)
	stop()

	const piece = 4
	replay.Append(t, log, others...)
	replay.Append(t, log, blocks[begin:]...)
	stop = replay.Start(t, log, rig.Chain(t), balances.New(nil), pox.New())
	replay.Wait(t, log)
	stop()
	replay.Append(t, log, blocks[:begin]...)
	for range 5 {
		stop := folding(t, log, piece)
		steps := rig.Query[int64](t, log, schemas.In(`SELECT max(step) FROM {chain}.step`))
		eventually.Holds(t, "the chain is extended", func() bool {
			return rig.Query[bool](t, log, `SELECT unfinished FROM strata.projection WHERE name = 'chain'`) &&
				rig.Query[int64](t, log, schemas.In(`SELECT max(step) FROM {chain}.step`)) > steps
		})
		stop()
	}
	if n := rig.Query[int](t, log, schemas.In(`SELECT count(*) FROM {chain}.unfinished`)); n == 0 {
		t.Fatal("nothing was left to do")
	}
	folding(t, log, piece)
	replay.Wait(t, log)
	if n := rig.Query[int](t, log, schemas.In(`SELECT count(*) FROM {chain}.unfinished`)); n != 0 {
		t.Errorf("%d rows say that something is unfinished", n)
	}
	t.Logf("fault: of %d blocks, %d appended below the others; ended five times meanwhile, the rows are those of the right order", len(blocks), begin)
	rig.CheckSameRows(t, inOrder.Pool(), log.Pool())
	rig.CheckFit(t, log, projections.Lines{projections.Chain(rig.Chain(t), balances.New(nil), pox.New())}, chain.Spec().Schema)
}

// TestLongHistory appends a history downwards below one block. Each block waits for the next one; the last one connects them all.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	blocks := short.Form(600, 200)
	name := func(height int) string {
		if height == 0 {
			return body.Genesis
		}
		return fmt.Sprintf("h%d", height)
	}
	var posts []replay.Post
	for height := blocks; height > 0; height-- {
		posts = append(posts, body.Block{Name: name(height), Parent: name(height - 1), Burn: fmt.Sprintf("%dh", height+1)}.Post())
	}
	log := replay.NewLog(t)
	replay.Append(t, log, append(posts, genesis())...)
	folding(t, log, blocks/3)
	replay.Wait(t, log)
	if n := rig.Query[int](t, log, schemas.In(`SELECT count(*) FROM {chain}.canonical`)); n != blocks+1 {
		t.Errorf("%d canonical blocks, want %d", n, blocks+1)
	}
}
