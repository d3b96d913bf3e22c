package nodeevent

import (
	"io"
	"math/big"
	"strconv"

	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

// MinerReward is an entry of matured_miner_rewards: a coinbase with its share of fees. This block credits it for a
// block mined 100 blocks (2.x) or tenures (3.x) earlier. Amounts are micro-STX and never nil.
type MinerReward struct {
	Index                 int      // position in the array
	Recipient             string   // required; the credited account, which may be a contract
	MinerAddress          string   // empty before release 2.1, when the miner is the recipient
	Coinbase              *big.Int // required
	FeesAnchored          *big.Int // required
	FeesStreamedConfirmed *big.Int // zero when missing
	FeesStreamedProduced  *big.Int // zero when missing
	FromBlockHash         hash.Hash32
	FromIndexBlockHash    hash.Hash32 // the JSON member is from_index_consensus_hash
}

// Total returns the credited amount.
func (m *MinerReward) Total() *big.Int {
	sum := new(big.Int).Add(m.Coinbase, m.FeesAnchored)
	sum.Add(sum, m.FeesStreamedConfirmed)
	return sum.Add(sum, m.FeesStreamedProduced)
}

// Pointer returns the JSON pointer of the reward in its body.
func (m *MinerReward) Pointer() string { return "/matured_miner_rewards/" + strconv.Itoa(m.Index) }

// ReadMinerRewards reads the matured rewards in the body of a /new_block, and little more of the body. Events and transactions
// may make up many megabytes of it, of which nothing is kept.
func ReadMinerRewards(body io.Reader) ([]MinerReward, error) {
	text, err := jsoncursor.ReadMember(body, "matured_miner_rewards")
	if text == nil || err != nil {
		return nil, err
	}
	rewards, _, err := decodeValue(text, (*cursor).minerRewards)
	return rewards, err
}

func (c *cursor) minerRewards() []MinerReward {
	index := 0
	return jsoncursor.List(&c.Cursor, func(m *MinerReward) {
		m.Index = index
		index++
		c.minerReward(m)
	})
}

func (c *cursor) minerReward(m *MinerReward) {
	present := c.Members(
		required("recipient", &m.Recipient, "a string"),
		optional("miner_address", &m.MinerAddress),
		required("coinbase_amount", func() bool { return c.amount(&m.Coinbase) }, "a whole number"),
		required("tx_fees_anchored", func() bool { return c.amount(&m.FeesAnchored) }, "a whole number"),
		optional("tx_fees_streamed_confirmed", func() { c.amount(&m.FeesStreamedConfirmed) }),
		optional("tx_fees_streamed_produced", func() { c.amount(&m.FeesStreamedProduced) }),
		optional("from_stacks_block_hash", &m.FromBlockHash),
		optional("from_index_consensus_hash", &m.FromIndexBlockHash),
		optional("from_index_block_hash", &m.FromIndexBlockHash),
	)
	c.Need(present, "recipient", "a string")
	if m.FeesStreamedConfirmed == nil {
		m.FeesStreamedConfirmed = new(big.Int)
	}
	if m.FeesStreamedProduced == nil {
		m.FeesStreamedProduced = new(big.Int)
	}
}
