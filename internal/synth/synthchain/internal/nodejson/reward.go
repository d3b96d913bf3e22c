package nodejson

import (
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/node"
)

// Reward is an entry of matured_miner_rewards. Amounts are microSTX.
type Reward struct {
	Recipient, Miner string
	Block, Index     hash.Hash32 // of the block that earned it
	Coinbase         uint64
	Anchored         uint64 // fees of the block's own transactions
	Confirmed        uint64 // share of the fees of the microblocks that the block confirmed
	Produced         uint64 // share of the fees of the microblocks that the miner streamed
}

// append writes the entry. Its member from_index_consensus_hash holds the index block hash.
func (r *Reward) append(dst []byte, g node.Generation) []byte {
	o := newObject(dst).amount("coinbase_amount", r.Coinbase).hash("from_index_consensus_hash", r.Index).hash("from_stacks_block_hash", r.Block)
	if g >= node.V21 {
		o = o.text("miner_address", r.Miner)
	}
	return o.text("recipient", r.Recipient).amount("tx_fees_anchored", r.Anchored).amount("tx_fees_streamed_confirmed", r.Confirmed).
		amount("tx_fees_streamed_produced", r.Produced).end()
}

// RewardSet says whom a reward cycle pays, and who signs in it.
type RewardSet struct {
	Cycle     uint64
	Threshold uint64 // microSTX for a slot; 0 for null, since pox-5
	Signers   []Signer
	Addresses []string // on Bitcoin
}

// Signer is a signer of a reward cycle.
type Signer struct {
	Key     []byte
	Stacked uint64 // microSTX
	Weight  int
}

// append writes the reward set, or null for none.
func (s *RewardSet) append(dst []byte) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	o := newObject(dst)
	if s.Threshold == 0 {
		o = o.object("pox_ustx_threshold", "")
	} else {
		o = o.amount("pox_ustx_threshold", s.Threshold)
	}
	o = o.list("rewarded_addresses", len(s.Addresses), func(dst []byte, i int) []byte { return appendText(dst, s.Addresses[i]) })
	o = o.list("signers", len(s.Signers), func(dst []byte, i int) []byte {
		signer := &s.Signers[i]
		return newObject(dst).bareHex("signing_key", signer.Key).amount("stacked_amt", signer.Stacked).number("weight", uint64(signer.Weight)).end()
	})
	return o.object("start_cycle_state", `{"missed_reward_slots":[]}`).end()
}
