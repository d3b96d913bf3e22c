package synthchain

import (
	"crypto/sha512"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/header"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// grow builds a block on top of parent. It queues the burn block and mempool posts that the block needs, but not the
// post of the block. The block starts a new tenure if fresh is set or if the tenure of the parent is over.
func (c *Chain) grow(parent *block, fresh bool) *block {
	height := parent.height + 1
	fresh = fresh || !parent.nakamoto || parent.burn.orphaned ||
		parent.position >= c.cfg.BlocksPerTenure || c.random.IntN(c.cfg.BlocksPerTenure+1) == 0
	b := &block{parent: parent, height: height, tenure: parent.tenure, position: parent.position + 1}
	b.burn, b.miner = parent.burn, parent.miner
	if fresh {
		b.burn = c.election(parent)
		b.miner = b.burn.miner
		b.tenure++
		b.position = 1
	}
	b.nakamoto = c.isNakamoto(b)
	b.time = max(b.burn.time, parent.time) + 1 + c.random.Uint64N(20)

	c.model.moveTo(parent)
	x := c.execution(height, parent.burn.height)
	x.Epoch = c.rules.EpochAt(b.burn.height)
	if x.Nakamoto = b.nakamoto; b.nakamoto {
		x.Burn, x.Clock = b.burn.height, b.tenure
	}
	n := &content{block: b}
	if !b.nakamoto && !parent.nakamoto {
		n.confirmed = c.confirm(parent)
	}
	c.mine(x, n, fresh)
	fees := uint64(0)
	for _, o := range b.operations {
		fees += o.Fee
	}
	c.seal(n)
	c.settle(x, n, fresh, fees)
	b.changes = c.model.Take()
	b.attached = x.Attached
	c.model.at = b

	n.set = c.rewardSet(b)
	b.transactions = len(n.receipts())
	c.flushPool()
	b.post = Post{Path: "/new_block", Body: c.encodeBlock(n)}
	if c.cfg.DuplicateProbability > 0 {
		b.reordered = c.encodeBlock(n)
	}
	c.blocks = append(c.blocks, b)
	return b
}

// isNakamoto reports whether a block is of Nakamoto.
func (c *Chain) isNakamoto(b *block) bool {
	if c.cfg.AllEpochs {
		return c.rules.EpochAt(b.burn.height) >= node.Epoch30
	}
	return c.cfg.Nakamoto && b.height >= c.cfg.NakamotoFromHeight
}

// election returns the burn block that elects the miner of a tenure on top of parent: an unused one, or a new one.
func (c *Chain) election(parent *block) *burnBlock {
	tip := c.burnTip
	for _, b := range c.burns {
		if b.orphaned || !b.descendsFrom(parent.burn) {
			continue
		}
		if b.elects && !b.used && b.height > parent.burn.height && c.random.IntN(2) == 0 {
			b.used = true
			return b
		}
		if b.height > tip.height {
			tip = b
		}
	}
	for c.random.Chance(c.cfg.EmptyBurnShare) {
		tip = c.mineBitcoin(tip, false)
	}
	tip = c.mineBitcoin(tip, true)
	tip.used = true
	return tip
}

// mine executes the transactions of a block.
func (c *Chain) mine(x *vm.Execution, n *content, fresh bool) {
	b := n.block
	include := func(o *vm.Operation) { n.anchored = append(n.anchored, c.execute(x, o)) }
	wanted := 0
	take := func(o *vm.Operation) {
		include(o)
		b.operations = append(b.operations, o)
		wanted--
	}
	for _, o := range c.upgrade(b) {
		include(o)
	}
	if fresh && c.random.Chance(c.cfg.BitcoinOpShare) {
		if o := c.planner.BitcoinOperation(x, b.burn.facts()); o != nil {
			include(o)
		}
	}
	for _, o := range c.minerOperations(x, b, fresh, len(n.anchored) == 0) {
		include(o)
	}
	if b.height == 1 && c.genesis == nil {
		for _, o := range c.genesisOperations() {
			include(o)
		}
	}
	wanted = c.random.In(c.cfg.TxPerBlock)
	for _, rival := range c.blocks {
		if rival == b.parent || rival.height != b.height && rival.height != b.parent.height {
			continue
		}
		for _, o := range rival.operations {
			if wanted > 0 && c.random.IntN(3) > 0 && x.Minable(o) {
				take(o)
			}
		}
	}
	// Unconfirmed microblocks are orphaned; their transactions go back to the mempool.
	for _, m := range b.parent.stream[len(n.confirmed):] {
		for _, o := range m.operations {
			if wanted > 0 && x.Minable(o) {
				take(o)
			}
		}
	}
	for wanted > 0 {
		o := c.planner.Operation(x)
		if o == nil {
			break
		}
		c.announce(o)
		take(o)
	}
	if b.nakamoto && c.cfg.Generation >= V3109 && c.random.Chance(c.cfg.VestingShare) {
		include(c.phantomUnlock(x))
	}
}

// seal computes the hashes of the block from its header.
func (c *Chain) seal(n *content) {
	b := n.block
	merkle := sha512.New512_256()
	for _, r := range n.anchored {
		merkle.Write(r.Txid[:])
	}
	root := hash.Hash32(merkle.Sum(nil))
	if !b.nakamoto {
		h := header.Epoch2{
			Burn: b.burn.height * minCommit, Work: b.height, ParentBlock: b.parent.hash, TxMerkleRoot: root,
			StateIndexRoot: c.random.Hash32(), MicroblockPubkeyHash: b.miner.Public[0].Hash160(),
		}
		if last := len(n.confirmed) - 1; last >= 0 {
			h.ParentMicroblock = n.confirmed[last].Hash
			h.ParentMicroblockSequence = n.confirmed[last].Header.Sequence
		}
		b.hash = h.Hash()
		b.index = h.ID(b.burn.consensus)
		return
	}
	bits := signerSlots
	if c.waterfall(b.burn.height) {
		bits = 1
	}
	n.bits = header.Ones(bits)
	h := header.Nakamoto{
		ChainLength: b.height, BurnSpent: b.burn.height * minCommit, ConsensusHash: b.burn.consensus,
		ParentBlockID: b.parent.index, TxMerkleRoot: root, StateIndexRoot: c.random.Hash32(), Timestamp: b.time,
		PoxTreatment: n.bits,
	}
	if c.cfg.AllEpochs && c.rules.EpochAt(b.burn.height) >= node.Epoch40 {
		h.Version = 1
		for i, r := range n.anchored {
			if r.Outcome.Status == nodejson.ProblematicSkipped {
				h.Problematic = append(h.Problematic, header.ProblematicTransaction{Index: uint32(i), Category: r.Outcome.Skipped})
			}
		}
	}
	digest := h.Hash()
	genuine := b.height%uint64(c.cfg.SigningSample) == 0
	n.signature = c.blockSignature(b.miner, digest, genuine)
	h.MinerSignature = n.signature
	b.hash, b.index = h.Hash(), h.ID()
	for i := range signerSlots {
		if i == 0 || c.random.IntN(5) > 0 {
			n.signers = append(n.signers, c.blockSignature(c.accounts[len(c.accounts)-1-i], b.hash, genuine))
		}
	}
}

// signerSlots is the number of signers. They are the last accounts.
const signerSlots = 3

func (c *Chain) blockSignature(a *account.Account, digest hash.Hash32, genuine bool) key.Signature {
	if !genuine {
		return c.planner.FakeSignature()
	}
	return a.Keys[0].Sign(digest)
}

// minerOperations returns the miner's operations at the beginning of a block: a coinbase, which in Nakamoto follows a
// tenure change, or now and then, in later blocks of a tenure, a tenure extension.
func (c *Chain) minerOperations(x *vm.Execution, b *block, fresh, first bool) []*vm.Operation {
	if !fresh {
		if c.random.IntN(6) > 0 {
			return nil
		}
		return []*vm.Operation{c.tenureChange(x, b, transaction.TenureExtended, 0)}
	}
	if !b.nakamoto {
		return []*vm.Operation{c.coinbase(x, b, 0, first)}
	}
	return []*vm.Operation{c.tenureChange(x, b, transaction.TenureBlockFound, 0), c.coinbase(x, b, 1, false)}
}
