package nodeevent

import (
	"math/big"
	"strconv"

	"strata/domain/hash"
)

// MinerReward is an entry of matured_miner_rewards: a coinbase with its share of fees, credited in this block for one
// mined 100 blocks (2.x) or tenures (3.x) earlier. Amounts are micro-STX and never nil.
type MinerReward struct {
	Index                 int      // position in the array
	Recipient             string   // required; the account credited, perhaps a contract
	MinerAddress          string   // empty before release 2.1: then it is Recipient
	Coinbase              *big.Int // required
	FeesAnchored          *big.Int // required
	FeesStreamedConfirmed *big.Int // zero when missing
	FeesStreamedProduced  *big.Int // zero when missing
	FromBlockHash         hash.Hash32
	FromIndexBlockHash    hash.Hash32 // the member is called from_index_consensus_hash
}

// Total is the amount credited.
func (m *MinerReward) Total() *big.Int {
	sum := new(big.Int).Add(m.Coinbase, m.FeesAnchored)
	sum.Add(sum, m.FeesStreamedConfirmed)
	return sum.Add(sum, m.FeesStreamedProduced)
}

// Pointer is the JSON pointer of the reward in its body.
func (m *MinerReward) Pointer() string { return "/matured_miner_rewards/" + strconv.Itoa(m.Index) }

func (c *cursor) minerRewards() []MinerReward {
	list := []MinerReward{}
	c.array(func() {
		list = append(list, MinerReward{Index: len(list)})
		c.minerReward(&list[len(list)-1])
	})
	return list
}

func (c *cursor) minerReward(m *MinerReward) {
	recipient := false
	c.object(func(name []byte) {
		switch string(name) {
		case "recipient":
			recipient = c.name(&m.Recipient)
		case "miner_address":
			c.name(&m.MinerAddress)
		case "coinbase_amount":
			m.Coinbase = c.amount()
		case "tx_fees_anchored":
			m.FeesAnchored = c.amount()
		case "tx_fees_streamed_confirmed":
			m.FeesStreamedConfirmed = c.amount()
		case "tx_fees_streamed_produced":
			m.FeesStreamedProduced = c.amount()
		case "from_stacks_block_hash":
			c.hash32(&m.FromBlockHash)
		case "from_index_consensus_hash", "from_index_block_hash":
			c.hash32(&m.FromIndexBlockHash)
		default:
			c.skip()
		}
	})
	c.need(recipient, "recipient", "a string")
	c.need(m.Coinbase != nil, "coinbase_amount", "a whole number")
	c.need(m.FeesAnchored != nil, "tx_fees_anchored", "a whole number")
	if m.FeesStreamedConfirmed == nil {
		m.FeesStreamedConfirmed = new(big.Int)
	}
	if m.FeesStreamedProduced == nil {
		m.FeesStreamedProduced = new(big.Int)
	}
}
