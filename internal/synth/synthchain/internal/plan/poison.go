package plan

import (
	"strata/domain/clarity"
	header "strata/domain/microblock"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/value"
)

// poison plans a report that the miner of the previous block signed two microblocks with the same sequence. The
// reporter gets a part of that miner's reward; the rest is destroyed.
func (p *Planner) poison(x *vm.Execution) *vm.Operation {
	from := p.sender(x)
	tenure := x.Height - 1
	r, ok := x.Reward.Rows[tenure]
	if x.Nakamoto || from == nil || !ok || r.Reporter != ledger.NoReporter || p.random.IntN(4) > 0 {
		return nil
	}
	miner := p.accounts[r.Miner]
	var payload transaction.PoisonMicroblock
	for i := range payload.Headers {
		h := header.Header{Sequence: 1, PrevBlock: r.Block, TxMerkleRoot: p.random.Hash32()}
		h.Sign(miner.Keys[0])
		payload.Headers[i] = h
	}
	signer := miner.Public[0].Hash160()
	o := p.send(x, from, &payload, transaction.PostConditions{}, func(x *vm.Execution) nodejson.Outcome {
		reported := *x.Reward.Get(tenure)
		reported.Reporter = from.Party
		x.Reward.Set(tenure, &reported)
		return nodejson.Outcome{Status: nodejson.Success, Result: value.Tuple(
			"block_height", clarity.NewUint64(tenure),
			"microblock_pubkey_hash", value.Buffer(signer[:]),
			"reporter", p.rules.Roll.Value(from.Party), "sequence", 1,
		).Encode()}
	})
	o.Needs = func(x *vm.Execution) bool {
		now, ok := x.Reward.Rows[tenure]
		return ok && !x.Nakamoto && now.Block == r.Block && now.Reporter == ledger.NoReporter
	}
	return o
}
