package nodeevent

import (
	"encoding/json"
	"math/big"
)

// RewardSet is who is paid, and who signs, in the reward cycle given by the block's CycleNumber.
type RewardSet struct {
	RewardedAddresses []BitcoinAddress
	Signers           []Signer          // nil before signers were introduced
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
	present := c.object(func(name []byte) {
		switch string(name) {
		case "rewarded_addresses":
			c.array(func() {
				var a BitcoinAddress
				c.bitcoinAddress(&a)
				s.RewardedAddresses = append(s.RewardedAddresses, a)
			})
		case "signers":
			s.Signers = c.signers()
		case "pox_ustx_threshold":
			s.PoxThreshold = c.amount()
		case "start_cycle_state":
			s.MissedRewardSlots = c.missedRewardSlots()
		default:
			c.skip()
		}
	})
	if !present {
		return nil
	}
	return s
}

func (c *cursor) signers() []Signer {
	list := []Signer{}
	if !c.array(func() {
		var s Signer
		c.object(func(name []byte) {
			switch string(name) {
			case "signing_key":
				s.SigningKey = c.bytes()
			case "stacked_amt":
				s.Stacked = c.amount()
			case "weight":
				c.uint32(&s.Weight)
			default:
				c.skip()
			}
		})
		c.need(s.SigningKey != nil, "signing_key", "a hex string")
		list = append(list, s)
	}) {
		return nil
	}
	return list
}

func (c *cursor) missedRewardSlots() (slots []json.RawMessage) {
	c.object(func(name []byte) {
		if string(name) != "missed_reward_slots" {
			c.skip()
			return
		}
		c.array(func() { slots = append(slots, c.raw()) })
	})
	return slots
}
