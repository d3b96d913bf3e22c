package pox_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// TestHistories folds random histories with forks of both chains in batches of random sizes. It compares the rows with
// those of the model, and with those of a replay of the canonical chain alone.
func TestHistories(t *testing.T) {
	t.Parallel()
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V21, synthchain.V25, synthchain.V3109, synthchain.V40} {
		for seed := range short.Form[uint64](2, 1) {
			t.Run(fmt.Sprintf("%v/%d", generation, seed), func(t *testing.T) {
				t.Parallel()
				config := synthchain.Everything(seed, generation)
				testHistory(t, config, generation, 400)
			})
		}
	}
}

// TestHistoryOfAllEpochs does the same with a chain that goes through all epochs, so with the events of all contracts.
func TestHistoryOfAllEpochs(t *testing.T) {
	t.Parallel()
	testHistory(t, synthchain.AllEpochs(1), synthchain.V40, 900)
}

func testHistory(t *testing.T, config synthchain.Config, generation synthchain.Generation, posts int) {
	t.Helper()
	config.SigningSample, config.Accounts, config.Maturity = 1000, 12, 6
	config.ForkProbability, config.BitcoinReorgProbability = 0.3, 0.08
	generator := synthchain.New(config)
	rig.History(t, replay.Take(posts, generator.Next), rand.New(rand.NewPCG(config.Seed, 1)), 40, func(tx pgx.Tx) []replay.Post {
		alone := generator.CanonicalPosts()
		newModel(t, alone).compare(t, tx, generation)
		return alone
	})
}

// TestBitcoinHoles follows Bitcoin blocks in random order, as nodes that started at different times announce them, and
// replaces some of them.
func TestBitcoinHoles(t *testing.T) {
	t.Parallel()
	tx := rig.Begin(t)
	random := rand.New(rand.NewPCG(7, 7))
	var steps []projections.Step
	step := func(kind projections.RecordKind, block *nodeevent.BurnBlock, seq int64) {
		steps = append(steps, projections.Step{
			Number: int64(len(steps) + 1), Kind: projections.TakeRecord, Height: -1, RecordKind: kind, Record: block, BlockSeq: seq, SourceSeq: int64(len(steps) + 1),
		})
	}
	type announced struct {
		block *nodeevent.BurnBlock
		seq   int64
	}
	now := map[uint64]announced{}
	for seq := range int64(300) {
		height := 100 + random.Uint64N(60)
		block := &nodeevent.BurnBlock{Height: height}
		block.Hash[0], block.Hash[1], block.Hash[2] = byte(height), byte(seq), byte(seq>>8)
		for i := range random.IntN(4) {
			block.RewardRecipients = append(block.RewardRecipients, nodeevent.BurnPayout{Recipient: fmt.Sprint("address", random.IntN(5)), Amount: 1<<63 + uint64(i)})
			block.RewardSlotHolders = append(block.RewardSlotHolders, fmt.Sprint("address", random.IntN(5)))
		}
		if known, ok := now[height]; ok {
			step(projections.BitcoinLeft, known.block, known.seq)
		}
		step(projections.BitcoinFollowed, block, seq+1)
		now[height] = announced{block, seq + 1}
	}
	rig.Fold(t, tx, steps, func() int { return 1 + random.IntN(9) })
	var want []string
	for height, is := range now {
		want = append(want, fmt.Sprint(height, " ", is.block.Hash, " ", len(is.block.RewardRecipients)))
	}
	slices.Sort(want)
	got := rig.Dump(t, tx)
	foldtest.Same(t, "followed Bitcoin blocks", rig.Texts(t, tx, `
		SELECT height || ' 0x' || encode(burn_block_hash, 'hex') || ' ' || rewards FROM {schema}.burn_block ORDER BY 1`), want)
	replay.End(t, tx)
	straight := rig.Begin(t)
	var alone []projections.Step
	for _, is := range now {
		alone = append(alone, projections.Step{
			Number: int64(len(alone) + 1), Kind: projections.TakeRecord, Height: -1, RecordKind: projections.BitcoinFollowed, Record: is.block, BlockSeq: is.seq, SourceSeq: is.seq,
		})
	}
	rig.Fold(t, straight, alone, func() int { return 7 })
	foldtest.Same(t, "in another order", got, rig.Dump(t, straight))
}
