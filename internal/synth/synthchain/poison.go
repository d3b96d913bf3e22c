package synthchain

import (
	header "strata/domain/block/microblock"
	"strata/domain/clarity"
	"strata/domain/transaction"
)

// planPoison plans a report that the miner of the previous block signed two microblocks with the same sequence. The
// reporter gets a part of that miner's reward; the rest is destroyed.
func (c *Chain) planPoison(x *execution) *operation {
	from := c.sender(x)
	tenure := x.height - 1
	r, ok := x.reward.Rows[tenure]
	if x.nakamoto || from == nil || !ok || r.reporter != noReporter || c.random.IntN(4) > 0 {
		return nil
	}
	miner := c.accounts[r.miner]
	var payload transaction.PoisonMicroblock
	for i := range payload.Headers {
		h := header.Header{Sequence: 1, PrevBlock: r.block, TxMerkleRoot: c.random.Hash32()}
		h.Sign(miner.keys[0])
		payload.Headers[i] = h
	}
	signer := miner.public[0].Hash160()
	o := c.send(x, from, &payload, transaction.PostConditions{}, func(x *execution) outcome {
		reported := *x.reward.Get(tenure)
		reported.reporter = from.party
		x.reward.Set(tenure, &reported)
		return outcome{status: success, result: must(clarity.NewTuple(
			clarity.Field{Name: "block_height", Value: clarity.NewUint64(tenure)},
			clarity.Field{Name: "microblock_pubkey_hash", Value: must(clarity.NewBuffer(signer[:]))},
			clarity.Field{Name: "reporter", Value: c.principalValue(from.party)},
			clarity.Field{Name: "sequence", Value: clarity.NewUint64(1)},
		)).Encode()}
	})
	o.needs = func(x *execution) bool {
		now, ok := x.reward.Rows[tenure]
		return ok && !x.nakamoto && now.block == r.block && now.reporter == noReporter
	}
	return o
}
