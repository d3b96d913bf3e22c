package synthchain

import (
	"fmt"
	"strings"

	"strata/domain/clarity"
	"strata/domain/transaction/key"
)

// queueSurroundings queues the posts that follow a block, as configured: microblocks, drops, stray transactions, and
// posts that are not about the chain.
func (c *Chain) queueSurroundings(b *block) {
	if c.cfg.Microblocks && !b.nakamoto && c.random.IntN(2) == 0 {
		c.streamMicroblocks(b)
	}
	if c.random.Chance(c.cfg.DropProbability) {
		c.model.moveTo(b)
		c.planStray(&execution{model: c.model, chain: c, height: b.height + 1, burn: b.burn.height})
		c.dropSome()
	}
	if c.random.Chance(c.cfg.AttachmentProbability) {
		c.deliver(delivery{post: c.attachment(b)}, nil)
	}
	if c.random.Chance(c.cfg.StackerDBProbability) {
		c.deliver(delivery{post: c.stackerDB()}, nil)
	}
	if c.random.Chance(c.cfg.ProposalProbability) {
		c.deliver(delivery{post: c.proposal(b)}, nil)
	}
}

// rewardSet returns the next reward set if b is the first block of the prepare phase of a cycle, otherwise an empty
// one.
func (c *Chain) rewardSet(b *block) (cycle uint64, set string) {
	length := c.cfg.RewardCycle
	position := func(b *block) uint64 { return b.burn.height - c.cfg.StartBurnHeight }
	prepare := length - max(length/5, 1)
	now, before := position(b), position(b.parent)
	if c.cfg.Generation < V25 || now%length < prepare || before/length == now/length && before%length >= prepare {
		return 0, ""
	}
	var signers []string
	for i := range signerSlots {
		compressed := c.accounts[len(c.accounts)-1-i].public[0].CompressedBytes()
		signers = append(signers, fmt.Sprintf(`{"signing_key":"%x","stacked_amt":"%d","weight":%d}`,
			compressed[:], 1_000_000_000_000_000+c.random.Uint64N(1000), 1+i))
	}
	return now/length + 1, fmt.Sprintf(
		`{"pox_ustx_threshold":"%d","rewarded_addresses":["%s","%s"],"signers":[%s],"start_cycle_state":{"missed_reward_slots":[]}}`,
		50_000_000_000, c.bitcoinAddress(), c.bitcoinAddress(), strings.Join(signers, ","))
}

// attachment returns the post of a zone file.
func (c *Chain) attachment(b *block) Post {
	content := fmt.Appendf(nil, "$ORIGIN name-%d.syn\n$TTL 3600\n", c.random.IntN(1000))
	digest := key.Hash160(content)
	txid := c.random.Hash32()
	metadata := must(clarity.NewTuple(
		clarity.Field{Name: "name", Value: must(clarity.NewBuffer([]byte("name")))},
		clarity.Field{Name: "namespace", Value: must(clarity.NewBuffer([]byte("syn")))},
		clarity.Field{Name: "op", Value: must(clarity.NewASCII("name-register"))},
		clarity.Field{Name: "tx-sender", Value: c.principalValue(c.accounts[0].party)},
	))
	dst := appendNumber([]byte(`[{"attachment_index":`), c.random.Uint64N(1<<20))
	dst = appendNumber(appendKey(dst, "block_height"), b.height)
	dst = appendHex(appendKey(dst, "content"), content)
	dst = appendHex(appendKey(dst, "content_hash"), digest[:])
	dst = appendText(appendKey(dst, "contract_id"), c.roll.text(c.roll.contract(c.cfg.Network.boot(), "bns")))
	dst = appendHex(appendKey(dst, "index_block_hash"), b.index[:])
	dst = appendHex(appendKey(dst, "metadata"), metadata.Raw())
	dst = appendHex(appendKey(dst, "tx_id"), txid[:])
	return Post{Path: "/attachments/new", Body: append(dst, `}]`...)}
}

// stackerDB returns the post of a chunk of a replicated database. The contract is an object, and no hex has a 0x.
func (c *Chain) stackerDB() Post {
	names := []string{"miners", "signers-0-1", "signers-1-2"}
	boot := c.cfg.Network.boot()
	data := make([]byte, 32+c.random.IntN(200))
	c.random.Fill(data)
	signature := c.fakeSignature()
	dst := appendNumber([]byte(`{"contract_id":{"issuer":[`), uint64(boot.Version))
	dst = append(appendByteList(append(dst, ','), boot.Hash160[:]), ']')
	dst = appendText(appendKey(dst, "name"), names[c.random.IntN(len(names))])
	dst = append(dst, `},"modified_slots":[{"data":`...)
	dst = appendBareHex(dst, data)
	dst = appendBareHex(appendKey(dst, "sig"), signature[:])
	dst = appendNumber(appendKey(dst, "slot_id"), c.random.Uint64N(8))
	dst = appendNumber(appendKey(dst, "slot_version"), c.random.Uint64N(100))
	return Post{Path: "/stackerdb_chunks", Body: append(dst, `}]}`...)}
}

// proposal returns the post with the verdict on a block that a miner proposed.
func (c *Chain) proposal(b *block) Post {
	if c.random.IntN(3) == 0 {
		dst := append([]byte(nil), `{"failed_txid":null,"reason":"timestamp is too far ahead","reason_code":"InvalidTimestamp","result":"Reject"`...)
		dst = appendBareHex(appendKey(dst, "signer_signature_hash"), b.hash[:])
		return Post{Path: "/proposal_response", Body: append(dst, '}')}
	}
	dst := c.cost(100).append([]byte(`{"cost":`))
	dst = append(dst, `,"replay_tx_exhausted":false`...)
	dst = appendNumber(appendKey(dst, "replay_tx_hash"), c.random.Uint64()|1<<63)
	dst = append(dst, `,"result":"Ok"`...)
	dst = appendBareHex(appendKey(dst, "signer_signature_hash"), b.hash[:])
	dst = appendNumber(appendKey(dst, "size"), uint64(len(b.post.Body)/2))
	dst = appendNumber(appendKey(dst, "validation_time_ms"), c.random.Uint64N(2000))
	return Post{Path: "/proposal_response", Body: append(dst, '}')}
}
