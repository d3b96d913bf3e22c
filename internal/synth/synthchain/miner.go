package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// minerOperation returns a transaction of the miner, without a fee. after is the number of the miner's transactions
// that come before it in the block.
func (c *Chain) minerOperation(
	x *vm.Execution, b *block, after uint64, payload transaction.Payload, run vm.Run,
) *vm.Operation {
	o := &vm.Operation{Origin: b.miner, Nonce: x.Nonce.Get(b.miner.Party) + after, Run: run}
	c.planner.Sign(o, payload, transaction.PostConditions{})
	return o
}

// tenureChange starts or extends a tenure. The burn view is always the tenure's own sortition, so that a block depends
// only on the Bitcoin block that it names.
func (c *Chain) tenureChange(x *vm.Execution, b *block, cause transaction.TenureCause, after uint64) *vm.Operation {
	change := &transaction.TenureChange{
		ConsensusHash: b.burn.consensus, PrevConsensusHash: b.burn.consensus, BurnViewConsensusHash: b.burn.consensus,
		PreviousEnd: b.parent.index, PreviousBlocks: uint32(b.parent.position), Cause: cause,
		PubkeyHash: b.miner.Public[0].Hash160(),
	}
	if cause == transaction.TenureBlockFound {
		change.PrevConsensusHash = b.parent.burn.consensus
	}
	return c.minerOperation(x, b, after, change, func(*vm.Execution) nodejson.Outcome { return vm.Succeeded() })
}

// coinbase claims the reward of a tenure, now and then for a recipient other than the miner. If it is the first
// transaction of the block, it may also mint STX that vest on schedule.
func (c *Chain) coinbase(x *vm.Execution, b *block, after uint64, first bool) *vm.Operation {
	data := transaction.CoinbaseData(c.random.Hash32())
	var recipient *clarity.Principal
	b.claimant = b.miner.Party
	if c.cfg.Generation >= V21 && c.random.IntN(8) == 0 {
		b.claimant = c.planner.Recipient(x, b.miner.Party)
		p := c.roll.Principal(b.claimant)
		recipient = &p
	}
	var payload transaction.Payload
	switch {
	case b.nakamoto:
		var proof transaction.VRFProof
		c.random.Fill(proof[:])
		payload = &transaction.NakamotoCoinbase{Data: data, Recipient: recipient, VRFProof: proof}
	case recipient != nil:
		payload = &transaction.CoinbaseToAltRecipient{Data: data, Recipient: *recipient}
	default:
		payload = &transaction.Coinbase{Data: data}
	}
	vested := ledger.Party(-1)
	amount := uint64(0)
	if first && c.random.Chance(c.cfg.VestingShare) {
		vested, amount = c.planner.Stranger(), 1+c.random.Uint64N(1_000_000_000)
	}
	return c.minerOperation(x, b, after, payload, func(x *vm.Execution) nodejson.Outcome {
		if vested >= 0 {
			x.MintSTX(vested, amount)
		}
		return vm.Succeeded()
	})
}

// settle pays the reward that matures in a block and records the reward of its own tenure.
func (c *Chain) settle(x *vm.Execution, n *content, fresh bool, fees uint64) {
	b := n.block
	if !fresh {
		r := *x.Reward.Get(b.tenure)
		r.Fees += fees
		x.Reward.Set(b.tenure, &r)
		return
	}
	r := &ledger.Reward{
		Miner: b.miner.Party, Recipient: b.claimant, Producer: b.miner.Party, Block: b.hash, Index: b.index,
		Coinbase: 500_000_000 + c.random.Uint64N(2_000_000_000), Fees: fees, Reporter: ledger.NoReporter,
	}
	if c.cfg.AllEpochs {
		r.Coinbase = c.rules.EpochAt(b.burn.height).Coinbase()
	}
	if b.parent.miner != nil {
		r.Producer = b.parent.miner.Party
	}
	for _, m := range n.confirmed {
		for _, o := range m.operations {
			r.Streamed += o.Fee
		}
	}
	x.Reward.Set(b.tenure, r)
	if b.tenure > uint64(c.cfg.Maturity) {
		n.rewards = c.pay(x, b.tenure-uint64(c.cfg.Maturity))
	}
}

// pay pays the reward of a tenure and returns its entries of matured_miner_rewards.
func (c *Chain) pay(x *vm.Execution, tenure uint64) []nodejson.Reward {
	r := x.Reward.Get(tenure)
	x.Reward.Remove(tenure)
	recipient, coinbase, fees := r.Recipient, r.Coinbase, r.Fees
	confirmed, produced := r.Streamed*3/5, r.Streamed*2/5
	if r.Reporter != ledger.NoReporter {
		recipient, coinbase, fees, confirmed, produced = r.Reporter, r.Coinbase/20, 0, 0, 0
	}
	total := fees + confirmed
	x.Credit(recipient, coinbase+total)
	if produced > 0 {
		x.Credit(r.Producer, produced)
	}
	x.Count(ledger.TotalCoinbase, coinbase)
	x.Count(ledger.TotalFeesPaid, total+produced)
	earned := nodejson.Reward{
		Recipient: c.roll.Text(recipient), Miner: c.roll.Text(r.Miner), Block: r.Block, Index: r.Index, Coinbase: coinbase,
		Anchored: fees, Confirmed: confirmed,
	}
	producer := c.roll.Text(r.Producer)
	streamed := nodejson.Reward{Recipient: producer, Miner: producer, Block: r.Block, Index: r.Index, Produced: produced}
	return []nodejson.Reward{earned, streamed}
}
