package synthchain

import (
	"fmt"

	"strata/domain/clarity"
	"strata/internal/synth/synthchain/internal/must"
	"strata/internal/synth/synthchain/internal/nodejson"
)

// queueSurroundings queues the posts that follow a block, as configured: microblocks, drops, stray transactions, and
// posts that are not about the chain.
func (c *Chain) queueSurroundings(b *block) {
	if c.cfg.Microblocks && !b.nakamoto && c.random.IntN(2) == 0 {
		c.streamMicroblocks(b)
	}
	if c.random.Chance(c.cfg.DropProbability) {
		c.model.moveTo(b)
		c.announceStray(c.execution(b.height+1, b.burn.height))
		c.dropSome()
	}
	c.queueZonefiles(b)
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

// rewardSet returns the next reward set if b is the first block of the prepare phase of a cycle, otherwise nil.
func (c *Chain) rewardSet(b *block) *nodejson.RewardSet {
	length := c.cfg.RewardCycle
	position := func(b *block) uint64 { return b.burn.height - c.cfg.StartBurnHeight }
	prepare := length - max(length/5, 1)
	now, before := position(b), position(b.parent)
	if c.cfg.Generation < V25 || now%length < prepare || before/length == now/length && before%length >= prepare {
		return nil
	}
	set := &nodejson.RewardSet{Cycle: now/length + 1, Threshold: 50_000_000_000}
	for i := range signerSlots {
		compressed := c.accounts[len(c.accounts)-1-i].Public[0].CompressedBytes()
		set.Signers = append(set.Signers, nodejson.Signer{
			Key: compressed[:], Stacked: 1_000_000_000_000_000 + c.random.Uint64N(1000), Weight: 1 + i,
		})
	}
	for range 2 {
		_, address := c.planner.RewardAddress()
		set.Addresses = append(set.Addresses, address)
	}
	return set
}

// attachment returns the post of a zone file.
func (c *Chain) attachment(b *block) Post {
	content := fmt.Appendf(nil, "$ORIGIN name-%d.syn\n$TTL 3600\n", c.random.IntN(1000))
	txid := c.random.Hash32()
	metadata := must.Get(clarity.NewTuple(
		clarity.Field{Name: "name", Value: must.Get(clarity.NewBuffer([]byte("name")))},
		clarity.Field{Name: "namespace", Value: must.Get(clarity.NewBuffer([]byte("syn")))},
		clarity.Field{Name: "op", Value: must.Get(clarity.NewASCII("name-register"))},
		clarity.Field{Name: "tx-sender", Value: c.roll.Value(c.accounts[0].Party)},
	))
	a := nodejson.Attachment{
		Index: c.random.Uint64N(1 << 20), Height: b.height, IndexBlock: b.index, Txid: txid, Content: content,
		Contract: c.roll.Text(c.roll.Contract(c.cfg.Network.Boot(), "bns")), Metadata: metadata,
	}
	return Post{Path: "/attachments/new", Body: a.Encode()}
}

// stackerDB returns the post of a chunk of a replicated database.
func (c *Chain) stackerDB() Post {
	names := []string{"miners", "signers-0-1", "signers-1-2"}
	data := make([]byte, 32+c.random.IntN(200))
	c.random.Fill(data)
	chunk := nodejson.Chunk{Issuer: c.cfg.Network.Boot(), Data: data, Signature: c.planner.FakeSignature()}
	chunk.Contract = names[c.random.IntN(len(names))]
	chunk.Slot = c.random.Uint64N(8)
	chunk.Version = c.random.Uint64N(100)
	return Post{Path: "/stackerdb_chunks", Body: chunk.Encode()}
}

// proposal returns the post with the verdict on a block that a miner proposed.
func (c *Chain) proposal(b *block) Post {
	if c.random.IntN(3) == 0 {
		return Post{Path: "/proposal_response", Body: nodejson.RejectedProposal(b.hash)}
	}
	v := nodejson.Validation{Cost: c.cost(100), Size: uint64(len(b.post.Body) / 2)}
	v.ReplayTxHash = c.random.Uint64() | 1<<63
	v.Milliseconds = c.random.Uint64N(2000)
	return Post{Path: "/proposal_response", Body: nodejson.AcceptedProposal(b.hash, v)}
}
