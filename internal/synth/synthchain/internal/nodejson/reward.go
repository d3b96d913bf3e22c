package nodejson

import (
	"strconv"

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
	dst = appendAmount(append(dst, `{"coinbase_amount":`...), r.Coinbase)
	dst = appendHex(appendKey(dst, "from_index_consensus_hash"), r.Index[:])
	dst = appendHex(appendKey(dst, "from_stacks_block_hash"), r.Block[:])
	if g >= node.V21 {
		dst = appendText(appendKey(dst, "miner_address"), r.Miner)
	}
	dst = appendText(appendKey(dst, "recipient"), r.Recipient)
	dst = appendAmount(appendKey(dst, "tx_fees_anchored"), r.Anchored)
	dst = appendAmount(appendKey(dst, "tx_fees_streamed_confirmed"), r.Confirmed)
	dst = appendAmount(appendKey(dst, "tx_fees_streamed_produced"), r.Produced)
	return append(dst, '}')
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
	dst = append(dst, `{"pox_ustx_threshold":`...)
	if s.Threshold == 0 {
		dst = append(dst, "null"...)
	} else {
		dst = appendAmount(dst, s.Threshold)
	}
	dst = appendList(appendKey(dst, "rewarded_addresses"), len(s.Addresses), func(dst []byte, i int) []byte {
		return appendText(dst, s.Addresses[i])
	})
	dst = appendList(appendKey(dst, "signers"), len(s.Signers), func(dst []byte, i int) []byte {
		signer := &s.Signers[i]
		dst = appendBareHex(append(dst, `{"signing_key":`...), signer.Key)
		dst = appendAmount(appendKey(dst, "stacked_amt"), signer.Stacked)
		return append(strconv.AppendInt(appendKey(dst, "weight"), int64(signer.Weight), 10), '}')
	})
	return append(appendKey(dst, "start_cycle_state"), `{"missed_reward_slots":[]}}`...)
}
