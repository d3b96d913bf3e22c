package nodejson

import (
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/node"
)

// BurnBlock is a Bitcoin block.
type BurnBlock struct {
	Height    uint64
	Hash      hash.Hash32
	Parent    hash.Hash32
	Consensus hash.Hash20
	Time      uint64
	Winner    hash.Hash32 // Bitcoin transaction of the miner who was elected
}

// Commit is what the miners of a Bitcoin block spend: they pay stackers, or burn.
type Commit struct {
	Txid    hash.Hash32 // the transaction that pays
	Payouts []Payout
	Burned  uint64 // satoshis
}

// Payout is the payment of a block commit to one address.
type Payout struct {
	Address string
	Amount  uint64 // satoshis
}

// BurnBlock encodes the body of /new_burn_block, with the recipients in random order.
func (e *Encoder) BurnBlock(b BurnBlock, c Commit) []byte {
	o := newObject(nil).number("burn_amount", c.Burned).hash("burn_block_hash", b.Hash).number("burn_block_height", b.Height)
	if e.Generation >= node.V3109 {
		o = o.hex("consensus_hash", b.Consensus[:]).hash("parent_burn_block_hash", b.Parent)
	}
	if e.Generation >= node.V34 {
		paid := o.key("pox_transactions")
		if paid = append(paid, '['); len(c.Payouts) > 0 {
			paid = newObject(paid).list("reward_recipients", len(c.Payouts), func(dst []byte, i int) []byte {
				return c.Payouts[i].object(dst).number("utxo_idx", uint64(i)).end()
			}).hash("txid", c.Txid).end()
		}
		o = append(paid, ']')
	}
	order := e.Random.Perm(len(c.Payouts))
	o = o.list("reward_recipients", len(order), func(dst []byte, i int) []byte { return c.Payouts[order[i]].object(dst).end() })
	return o.list("reward_slot_holders", len(c.Payouts), func(dst []byte, i int) []byte { return appendText(dst, c.Payouts[i].Address) }).end()
}

// object begins the object of a payout.
func (p Payout) object(dst []byte) object {
	return newObject(dst).number("amt", p.Amount).text("recipient", p.Address)
}
