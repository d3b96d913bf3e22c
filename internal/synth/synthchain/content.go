package synthchain

import (
	"slices"

	"strata/domain/transaction/key"
	"strata/internal/synth/synthchain/internal/nodejson"
)

// content is a block with its contents, until it is encoded.
type content struct {
	*block
	anchored  []*nodejson.Receipt
	confirmed []*microblock
	rewards   []nodejson.Reward   // that mature
	set       *nodejson.RewardSet // nil for none
	bits      []byte              // of the signers, as header.Ones encodes them
	signature key.Signature
	signers   []key.Signature
}

// receipts returns the transactions in the order of transactions[]. Before Nakamoto this is not the order of execution.
func (n *content) receipts() []*nodejson.Receipt {
	all := slices.Clip(n.anchored)
	for _, m := range n.confirmed {
		all = append(all, m.Receipts...)
	}
	return all
}

// encodeBlock encodes the post of a block. Each call puts the events into another order.
func (c *Chain) encodeBlock(n *content) []byte {
	b := n.block
	facts := nodejson.Block{
		Height: b.height, Hash: b.hash, Index: b.index, Burn: b.burn.facts(), Tenure: b.tenure, Nakamoto: b.nakamoto,
		Time: b.time, Receipts: n.receipts(), Rewards: n.rewards, RewardSet: n.set, SignerBits: n.bits,
		MinerSignature: n.signature, SignerSignatures: n.signers,
	}
	if p := b.parent; p != nil {
		facts.ParentHash, facts.ParentIndex, facts.ParentBurn = p.hash, p.index, p.burn.facts()
	}
	if last := len(n.confirmed) - 1; last >= 0 {
		facts.LastMicroblock = &n.confirmed[last].Microblock
	}
	return c.encoder.Block(&facts)
}
