package synthchain

import (
	"fmt"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
)

// upgradeHeight is the height at which an epoch with new boot contracts starts.
const upgradeHeight = 3

// begin creates genesis, and queues the posts of genesis and of the first Bitcoin blocks.
func (c *Chain) begin() {
	first := &burnBlock{height: c.cfg.StartBurnHeight, hash: c.bitcoinHash(), time: 1_610_643_248, seen: true}
	c.burns, c.burnTip = []*burnBlock{first}, first
	c.history.burned = first.height
	c.root = &block{burn: first, seen: true, index: hash.IndexBlockHash(zero32, hash.Hash20{}), time: first.time}
	c.blocks = []*block{c.root}
	c.model.at = c.root
	if !c.cfg.MergedGenesis {
		c.announceGenesis()
	}
	tip := first
	for range 1 + c.random.IntN(3) {
		tip = c.mineBitcoin(tip, false)
	}
}

// announceGenesis executes genesis and queues its post. Later announcements of genesis are empty.
func (c *Chain) announceGenesis() {
	x := &execution{model: c.model, chain: c, burn: c.root.burn.height}
	n := &content{block: c.root}
	c.genesis = c.encodeBlock(n)
	for _, o := range c.genesisOperations() {
		n.anchored = append(n.anchored, x.execute(o))
	}
	c.model.Take() // genesis is never undone
	c.root.transactions = len(n.anchored)
	post := Post{Path: "/new_block", Body: c.encodeBlock(n)}
	c.queue = append(c.queue, delivery{post: post})
	c.history.posts = append(c.history.posts, post)
	c.history.blocks = append(c.history.blocks, c.root.ref())
}

// genesisOperations returns the deployments of the boot contracts, and the empty transfer that mints the first STX.
func (c *Chain) genesisOperations() []*operation {
	var all []*operation
	for _, name := range []string{"pox", "lockup", "costs", "cost-voting", "bns", "genesis"} {
		all = append(all, c.bootDeploy(name))
	}
	allocation := c.bootTransfer("")
	allocation.run = func(x *execution) outcome {
		for i, a := range c.accounts {
			x.mintSTX(a.party, c.allocation(i))
		}
		return succeeded()
	}
	return append(all, allocation)
}

// allocation returns the first balance of an account. That of the first accounts exceeds 2^53 microSTX.
func (c *Chain) allocation(i int) uint64 {
	if i < 8 {
		return 10_000_000_000_000_001 + uint64(i)
	}
	return 100_000_000 + uint64(i)*7_919_000_003%900_000_000_000
}

// upgrade returns the deployments of the boot contracts of a later epoch.
func (c *Chain) upgrade() []*operation {
	names := []string{"costs-2"}
	if c.cfg.Generation >= V21 {
		names = append(names, "pox-2", "costs-3")
	}
	if c.cfg.Generation >= V25 {
		names = append(names, "pox-3", "pox-4", "signers", "signers-voting")
	}
	var all []*operation
	for _, name := range names {
		all = append(all, c.bootDeploy(name))
	}
	return all
}

// bootDeploy deploys a contract of the boot address.
func (c *Chain) bootDeploy(name string) *operation {
	contract := c.roll.contract(c.cfg.Network.boot(), name)
	source := fmt.Sprintf(";; boot contract %s\n(define-read-only (whoami) (ok \"%s\"))\n", name, name)
	members := contractInterface([]signature{{"whoami", reading, nil, response(typeText)}}, nil, nil)
	o := c.bootOperation(&transaction.SmartContract{ContractName: name, Code: []byte(source)})
	o.run = func(x *execution) outcome {
		x.establish(contract, nil)
		out := succeeded()
		out.contract = interfaceAt(members, c.cfg.Generation, 1)
		return out
	}
	return o
}

// bootTransfer moves nothing from the boot address to itself.
func (c *Chain) bootTransfer(memo string) *operation {
	return c.bootOperation(&transaction.TokenTransfer{
		Recipient: standard(c.cfg.Network.boot()), Memo: must(transaction.NewMemo(memo)),
	})
}

// bootOperation returns a transaction of the node itself: unsigned, without sender, for chain 0.
func (c *Chain) bootOperation(payload transaction.Payload) *operation {
	draft := transaction.Draft{Network: transaction.Network{Version: c.cfg.Network.stacks().Version}}
	t := must(draft.Transaction(payload))
	t.Origin.KeyEncoding = key.Uncompressed
	o := &operation{raw: t.Encode()}
	o.txid = transaction.ID(o.raw)
	return o
}

// phantomUnlock mints STX that vest on schedule, at the end of a Nakamoto block. Its id depends only on the height.
func (c *Chain) phantomUnlock(x *execution) *operation {
	o := c.bootTransfer(fmt.Sprintf("Block %d token unlocks", x.height))
	to, amount := c.stranger(c.random.IntN(len(c.accounts))), 1+c.random.Uint64N(1_000_000_000)
	o.run = func(x *execution) outcome {
		x.mintSTX(to, amount)
		return succeeded()
	}
	return o
}
