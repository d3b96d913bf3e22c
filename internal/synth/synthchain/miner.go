package synthchain

import (
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
)

// minerOperation returns a transaction of the miner, without a fee. after is the number of the miner's transactions
// that come before it in the block.
func (c *Chain) minerOperation(x *execution, b *block, after uint64, payload transaction.Payload, run func(*execution) outcome) *operation {
	o := &operation{origin: b.miner, nonce: x.nonce.Get(b.miner.party) + after, run: run}
	c.sign(o, payload, transaction.PostConditions{})
	return o
}

// tenureChange starts or extends a tenure. The burn view is always the tenure's own sortition, so that a block depends
// only on the Bitcoin block that it names.
func (c *Chain) tenureChange(x *execution, b *block, cause transaction.TenureCause, after uint64) *operation {
	change := &transaction.TenureChange{
		ConsensusHash: b.burn.consensus, PrevConsensusHash: b.burn.consensus, BurnViewConsensusHash: b.burn.consensus,
		PreviousEnd: b.parent.index, PreviousBlocks: uint32(b.parent.position), Cause: cause,
		PubkeyHash: b.miner.public[0].Hash160(),
	}
	if cause == transaction.TenureBlockFound {
		change.PrevConsensusHash = b.parent.burn.consensus
	}
	return c.minerOperation(x, b, after, change, func(*execution) outcome { return succeeded() })
}

// coinbase claims the reward of a tenure, now and then for a recipient other than the miner. If it is the first
// transaction of the block, it may also mint STX that vest on schedule.
func (c *Chain) coinbase(x *execution, b *block, after uint64, first bool) *operation {
	data := transaction.CoinbaseData(c.random.Hash32())
	var recipient *clarity.Principal
	b.claimant = b.miner.party
	if c.cfg.Generation >= V21 && c.random.IntN(8) == 0 {
		b.claimant = c.recipient(x, b.miner.party)
		p := c.roll.principal(b.claimant)
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
	vested := party(-1)
	amount := uint64(0)
	if first && c.random.Chance(c.cfg.VestingShare) {
		vested, amount = c.stranger(c.random.IntN(len(c.accounts))), 1+c.random.Uint64N(1_000_000_000)
	}
	return c.minerOperation(x, b, after, payload, func(x *execution) outcome {
		if vested >= 0 {
			x.mintSTX(vested, amount)
		}
		return succeeded()
	})
}

// settle pays the reward that matures in a block and records the reward of its own tenure.
func (c *Chain) settle(x *execution, n *content, fresh bool, fees uint64) {
	b := n.block
	if !fresh {
		r := *x.reward.Get(b.tenure)
		r.fees += fees
		x.reward.Set(b.tenure, &r)
		return
	}
	r := &reward{
		miner: b.miner.party, recipient: b.claimant, producer: b.miner.party, block: b.hash, index: b.index,
		coinbase: 500_000_000 + c.random.Uint64N(2_000_000_000), fees: fees, reporter: noReporter,
	}
	if b.parent.miner != nil {
		r.producer = b.parent.miner.party
	}
	for _, m := range n.confirmed {
		for _, o := range m.operations {
			r.streamed += o.fee
		}
	}
	x.reward.Set(b.tenure, r)
	if b.tenure > uint64(c.cfg.Maturity) {
		n.rewards = c.pay(x, b.tenure-uint64(c.cfg.Maturity))
	}
}

// pay pays the reward of a tenure and returns its entries of matured_miner_rewards.
func (c *Chain) pay(x *execution, tenure uint64) []byte {
	r := x.reward.Get(tenure)
	x.reward.Remove(tenure)
	recipient, coinbase, fees := r.recipient, r.coinbase, r.fees
	confirmed, produced := r.streamed*3/5, r.streamed*2/5
	if r.reporter != noReporter {
		recipient, coinbase, fees, confirmed, produced = r.reporter, r.coinbase/20, 0, 0, 0
	}
	total := fees + confirmed
	x.credit(recipient, coinbase+total)
	if produced > 0 {
		x.credit(r.producer, produced)
	}
	x.count(totalCoinbase, coinbase)
	x.count(totalFeesPaid, total+produced)
	dst := c.appendReward(nil, recipient, r.miner, r, coinbase, fees, confirmed, 0)
	dst = append(dst, ',')
	return c.appendReward(dst, r.producer, r.producer, r, 0, 0, 0, produced)
}

// appendReward writes an entry of matured_miner_rewards. Its member from_index_consensus_hash holds the index block
// hash.
func (c *Chain) appendReward(dst []byte, recipient, miner party, r *reward, coinbase, anchored, confirmed, produced uint64) []byte {
	dst = appendAmount(append(dst, `{"coinbase_amount":`...), coinbase)
	dst = appendHex(appendKey(dst, "from_index_consensus_hash"), r.index[:])
	dst = appendHex(appendKey(dst, "from_stacks_block_hash"), r.block[:])
	if c.cfg.Generation >= V21 {
		dst = appendText(appendKey(dst, "miner_address"), c.roll.text(miner))
	}
	dst = appendText(appendKey(dst, "recipient"), c.roll.text(recipient))
	dst = appendAmount(appendKey(dst, "tx_fees_anchored"), anchored)
	dst = appendAmount(appendKey(dst, "tx_fees_streamed_confirmed"), confirmed)
	dst = appendAmount(appendKey(dst, "tx_fees_streamed_produced"), produced)
	return append(dst, '}')
}

// zero32 stands for a hash that does not exist.
var zero32 hash.Hash32
