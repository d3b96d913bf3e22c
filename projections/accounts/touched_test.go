package accounts_test

import (
	"testing"

	"strata/domain/shard"
	"strata/internal/synth/synthchain"
	"strata/projections"
	"strata/rig/body"
	"strata/rig/replay"
)

// TestTouched checks that a step touches every account and block that it changes, and few others.
func TestTouched(t *testing.T) {
	t.Parallel()
	for _, generation := range []synthchain.Generation{synthchain.V205, synthchain.V40} {
		t.Run(generation.String(), func(t *testing.T) {
			t.Parallel()
			config := synthchain.Everything(11, generation)
			config.SigningSample, config.ForkProbability = 1000, 0.2
			generator := synthchain.New(config)
			posts := replay.Take(250, generator.Next)
			rig.CheckTouched(t, posts, answers, nil)
		})
	}
}

// TestTouchedByRecord checks that a record changes nothing.
func TestTouchedByRecord(t *testing.T) {
	t.Parallel()
	w := rig.NewWorld(t, false)
	w.Apply(body.At(1, alice.Did()))
	w.Fold(projections.Step{Kind: projections.TakeRecord, Height: 1, BlockSeq: 2, SourceSeq: 2})
	if w.Outcome.Touched == nil || w.Outcome.Touched.Includes(shard.Account(alice.Address())) || w.Outcome.Tip == nil || w.Outcome.Tip.Height != 1 {
		t.Errorf("got %+v", w.Outcome)
	}
}

// answers selects a summary of each account.
const answers = `
	SELECT account, concat_ws(' ', id, source_seq,
	       (SELECT concat(max(n), ':', max(source_seq)) FROM {schema}.account_transaction WHERE account = id),
	       (SELECT concat(max(n), ':', max(source_seq)) FROM {schema}.account_event WHERE account = id),
	       (SELECT concat(max(n), ':', max(source_seq)) FROM {schema}.contract_event WHERE contract = id))
	FROM {schema}.account`
