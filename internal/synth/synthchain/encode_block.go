package synthchain

import (
	"math"
	"slices"
)

// neverUnlocked is the forced unlock height of a PoX contract that has none.
const neverUnlocked = math.MaxUint32

// encodeBlock encodes the body of /new_block, with the events in random order.
func (c *Chain) encodeBlock(n *content) []byte {
	b, g := n.block, c.cfg.Generation
	receipts := n.receipts()
	genesis := b.height == 0
	parentHash, parentIndex := zero32, zero32
	parentBurn := b.burn
	if genesis {
		for i := range parentHash {
			parentHash[i], parentIndex[i] = 0xff, 0xff
		}
	} else {
		parentHash, parentIndex, parentBurn = b.parent.hash, b.parent.index, b.parent.burn
	}
	anchored, streamed := cost{}, cost{}
	for _, r := range receipts {
		if r.micro != nil {
			streamed = streamed.add(r.cost)
		} else {
			anchored = anchored.add(r.cost)
		}
	}

	dst := c.buffer[:0]
	dst = anchored.append(append(dst, `{"anchored_cost":`...))
	dst = appendHex(appendKey(dst, "block_hash"), b.hash[:])
	dst = appendNumber(appendKey(dst, "block_height"), b.height)
	if g >= V30 {
		dst = appendKey(dst, "block_time")
		if b.nakamoto {
			dst = appendNumber(dst, b.time)
		} else {
			dst = append(dst, "null"...)
		}
	}
	dst = appendHex(appendKey(dst, "burn_block_hash"), b.burn.hash[:])
	dst = appendNumber(appendKey(dst, "burn_block_height"), b.burn.height)
	burnTime := b.burn.time
	if genesis {
		burnTime = 0
	}
	dst = appendNumber(appendKey(dst, "burn_block_time"), burnTime)
	dst = streamed.append(appendKey(dst, "confirmed_microblocks_cost"))
	if g >= V3109 {
		dst = appendHex(appendKey(dst, "consensus_hash"), b.burn.consensus[:])
	}
	if g >= V25 {
		dst = appendKey(dst, "cycle_number")
		if n.set == "" {
			dst = append(dst, "null"...)
		} else {
			dst = appendNumber(dst, n.cycle)
		}
	}
	dst = c.appendEvents(appendKey(dst, "events"), receipts)
	dst = appendHex(appendKey(dst, "index_block_hash"), b.index[:])
	dst = append(appendKey(dst, "matured_miner_rewards"), '[')
	dst = append(append(dst, n.rewards...), ']')
	if b.nakamoto {
		dst = appendHex(appendKey(dst, "miner_signature"), n.signature[:])
	}
	dst = appendHex(appendKey(dst, "miner_txid"), b.burn.winner[:])
	dst = appendHex(appendKey(dst, "parent_block_hash"), parentHash[:])
	parentBurnHash, parentBurnHeight, parentBurnTime := parentBurn.hash, parentBurn.height, parentBurn.time
	if b.height == 1 {
		parentBurnHash, parentBurnHeight, parentBurnTime = zero32, 0, 0
	}
	dst = appendHex(appendKey(dst, "parent_burn_block_hash"), parentBurnHash[:])
	dst = appendNumber(appendKey(dst, "parent_burn_block_height"), parentBurnHeight)
	dst = appendNumber(appendKey(dst, "parent_burn_block_timestamp"), parentBurnTime)
	dst = appendHex(appendKey(dst, "parent_index_block_hash"), parentIndex[:])
	micro, sequence := zero32, uint64(0)
	if last := len(n.confirmed) - 1; last >= 0 {
		micro, sequence = n.confirmed[last].hash, uint64(n.confirmed[last].header.Sequence)
	}
	dst = appendHex(appendKey(dst, "parent_microblock"), micro[:])
	dst = appendNumber(appendKey(dst, "parent_microblock_sequence"), sequence)
	if g >= V21 {
		dst = appendNumber(appendKey(dst, "pox_v1_unlock_height"), c.cfg.StartBurnHeight+1)
	}
	if g >= V25 {
		dst = appendNumber(appendKey(dst, "pox_v2_unlock_height"), c.cfg.StartBurnHeight+1)
		dst = appendNumber(appendKey(dst, "pox_v3_unlock_height"), c.cfg.StartBurnHeight+1)
	}
	if g >= V40 {
		dst = appendNumber(appendKey(dst, "pox_v4_unlock_height"), neverUnlocked)
	}
	if g >= V25 {
		dst = appendObject(appendKey(dst, "reward_set"), n.set)
		dst = appendKey(dst, "signer_bitvec")
		if b.nakamoto {
			dst = appendBareHex(dst, n.bits.Append(nil))
		} else {
			dst = append(dst, "null"...)
		}
	}
	if b.nakamoto {
		dst = append(appendKey(dst, "signer_signature"), '[')
		for i, s := range n.signers {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendBareHex(dst, s[:])
		}
		dst = appendHex(appendKey(append(dst, ']'), "signer_signature_hash"), b.hash[:])
	}
	if g >= V30 {
		dst = appendNumber(appendKey(dst, "tenure_height"), b.tenure)
	}
	dst = append(appendKey(dst, "transactions"), '[')
	for i, r := range receipts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.append(dst, g, i)
	}
	dst = append(dst, `]}`...)
	c.buffer = dst
	return slices.Clone(dst)
}

// appendEvents writes events[] in random order. The index of an event counts over all transactions.
func (c *Chain) appendEvents(dst []byte, receipts []*receipt) []byte {
	type numbered struct {
		*event
		receipt *receipt
		index   int
	}
	var all []numbered
	for _, r := range receipts {
		for i := range r.events {
			all = append(all, numbered{&r.events[i], r, len(all)})
		}
	}
	c.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	dst = append(dst, '[')
	for i, e := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.append(dst, e.receipt.txid, e.index, e.receipt.outcome.status != abortByPostCondition)
	}
	return append(dst, ']')
}
