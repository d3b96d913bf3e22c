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
	dst := appendNumber([]byte(`{"burn_amount":`), c.Burned)
	dst = appendHex(appendKey(dst, "burn_block_hash"), b.Hash[:])
	dst = appendNumber(appendKey(dst, "burn_block_height"), b.Height)
	if e.Generation >= node.V3109 {
		dst = appendHex(appendKey(dst, "consensus_hash"), b.Consensus[:])
		dst = appendHex(appendKey(dst, "parent_burn_block_hash"), b.Parent[:])
	}
	if e.Generation >= node.V34 {
		dst = append(appendKey(dst, "pox_transactions"), '[')
		if len(c.Payouts) > 0 {
			dst = appendList(append(dst, `{"reward_recipients":`...), len(c.Payouts), func(dst []byte, i int) []byte {
				dst = c.Payouts[i].append(dst)
				return append(appendNumber(appendKey(dst, "utxo_idx"), uint64(i)), '}')
			})
			dst = append(appendHex(appendKey(dst, "txid"), c.Txid[:]), '}')
		}
		dst = append(dst, ']')
	}
	order := e.Random.Perm(len(c.Payouts))
	dst = appendList(appendKey(dst, "reward_recipients"), len(order), func(dst []byte, i int) []byte {
		return append(c.Payouts[order[i]].append(dst), '}')
	})
	dst = appendList(appendKey(dst, "reward_slot_holders"), len(c.Payouts), func(dst []byte, i int) []byte {
		return appendText(dst, c.Payouts[i].Address)
	})
	return append(dst, '}')
}

// append writes a payout without the closing brace.
func (p Payout) append(dst []byte) []byte {
	dst = appendNumber(append(dst, `{"amt":`...), p.Amount)
	return appendText(appendKey(dst, "recipient"), p.Address)
}
