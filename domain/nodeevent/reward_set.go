package nodeevent

import (
	"encoding/json"
	"math/big"

	"strata/domain/internal/jsoncursor"
)

// RewardSet says who receives rewards, and who signs, in the reward cycle with the block's CycleNumber.
type RewardSet struct {
	RewardedAddresses []BitcoinAddress
	Signers           []Signer          // nil before signers existed
	PoxThreshold      *big.Int          // micro-STX, pox_ustx_threshold; nil for pox-5 sets
	MissedRewardSlots []json.RawMessage // start_cycle_state.missed_reward_slots; empty in practice
}

// Signer is a member of a signer set.
type Signer struct {
	SigningKey []byte   // 33 bytes
	Stacked    *big.Int // micro-STX; nil when missing
	Weight     uint32
}

func (c *cursor) rewardSet() *RewardSet {
	s := &RewardSet{}
	present := c.Members(
		optional("rewarded_addresses", func() { s.RewardedAddresses = jsoncursor.List(&c.Cursor, c.bitcoinAddress) }),
		optional("signers", func() { s.Signers = c.signers() }),
		optional("pox_ustx_threshold", func() { c.amount(&s.PoxThreshold) }),
		optional("start_cycle_state", func() { s.MissedRewardSlots = c.missedRewardSlots() }),
	)
	if !present {
		return nil
	}
	return s
}

func (c *cursor) signers() []Signer {
	return jsoncursor.List(&c.Cursor, func(s *Signer) {
		present := c.Members(
			required("signing_key", &s.SigningKey, "a hex string"),
			optional("stacked_amt", func() { c.amount(&s.Stacked) }),
			optional("weight", &s.Weight),
		)
		c.Need(present, "signing_key", "a hex string")
	})
}

func (c *cursor) missedRewardSlots() (slots []json.RawMessage) {
	c.Members(optional("missed_reward_slots", func() {
		slots = jsoncursor.List(&c.Cursor, func(slot *json.RawMessage) { *slot = c.Raw() })
	}))
	return slots
}
