package synthchain

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/value"
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
	if c.cfg.AllEpochs {
		return c.scheduledSet(b)
	}
	length := c.cfg.RewardCycle
	position := func(b *block) uint64 { return b.burn.height - c.cfg.StartBurnHeight }
	prepare := length - max(length/5, 1)
	now, before := position(b), position(b.parent)
	if c.cfg.Generation < V25 || now%length < prepare || before/length == now/length && before%length >= prepare {
		return nil
	}
	set := &nodejson.RewardSet{Cycle: now/length + 1, Threshold: 50_000_000_000}
	set.Signers = c.usualSigners(func() uint64 { return c.random.Uint64N(1000) })
	for range 2 {
		_, address := c.planner.RewardAddress()
		set.Addresses = append(set.Addresses, address)
	}
	return set
}

// scheduledSet returns the reward set of a cycle, if b is the first block since the start of its prepare phase, otherwise
// nil. From the first cycle of pox-5 on, those sign who stake.
func (c *Chain) scheduledSet(b *block) *nodejson.RewardSet {
	clock := c.rules.StakingClock()
	due := func(b *block) int64 {
		return (int64(b.burn.height) - clock.FirstHeight + clock.PrepareLength) / clock.CycleLength
	}
	cycle := due(b)
	if c.rules.EpochAt(b.burn.height) < node.Epoch25 || due(b.parent) == cycle {
		return nil
	}
	set := &nodejson.RewardSet{Cycle: uint64(cycle)}
	if cycle >= clock.FirstBond {
		set.Signers = stakingSigners(c.model.Staking.Value.KeyWeights(cycle))
	} else {
		set.Threshold = 50_000_000_000
		_, address := c.planner.RewardAddress()
		set.Addresses = []string{address}
	}
	if len(set.Signers) == 0 { // an empty set would halt the chain
		set.Signers = c.usualSigners(func() uint64 { return 0 })
	}
	return set
}

// usualSigners returns the signers before pox-5, who have stacked a round amount and some more.
func (c *Chain) usualSigners(more func() uint64) (signers []nodejson.Signer) {
	for i := range signerSlots {
		compressed := c.accounts[len(c.accounts)-1-i].Public[0].CompressedBytes()
		signers = append(signers, nodejson.Signer{Key: compressed[:], Stacked: 1_000_000_000_000_000 + more(), Weight: 1 + i})
	}
	return signers
}

// stakingSigners returns the signers of a set in the order of their keys. The slots of the reward cycle are shared by
// largest remainder.
func stakingSigners(weights map[string]int64) (signers []nodejson.Signer) {
	const slots = 4000
	total := int64(0)
	for _, ustx := range weights {
		total += ustx
	}
	threshold := max(1, (total+slots-1)/slots)
	left := slots
	for _, key := range slices.Sorted(maps.Keys(weights)) {
		weight := int(weights[key] / threshold)
		left -= weight
		signers = append(signers, nodejson.Signer{Key: value.Must(hex.DecodeString(key)), Stacked: uint64(weights[key]), Weight: weight})
	}
	order := make([]int, len(signers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(one, other int) int {
		return cmp.Compare(signers[other].Stacked%uint64(threshold), signers[one].Stacked%uint64(threshold))
	})
	for _, i := range order[:min(left, len(order))] {
		signers[i].Weight++
	}
	return signers
}

// attachment returns the post of a zone file.
func (c *Chain) attachment(b *block) Post {
	content := fmt.Appendf(nil, "$ORIGIN name-%d.syn\n$TTL 3600\n", c.random.IntN(1000))
	txid := c.random.Hash32()
	metadata := value.Tuple(
		"name", value.Buffer("name"), "namespace", value.Buffer("syn"), "op", "name-register",
		"tx-sender", c.roll.Value(c.accounts[0].Party),
	)
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
