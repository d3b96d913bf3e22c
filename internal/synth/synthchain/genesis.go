package synthchain

import (
	"fmt"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/value"
)

// upgradeHeight is the height at which an epoch with new boot contracts starts.
const upgradeHeight = 3

// begin creates genesis, and queues the posts of genesis and of the first Bitcoin blocks.
func (c *Chain) begin() {
	first := &burnBlock{height: c.cfg.StartBurnHeight, hash: c.bitcoinHash(), time: 1_610_643_248, seen: true}
	c.burns, c.burnTip = []*burnBlock{first}, first
	c.history.burned = first.height
	c.root = &block{burn: first, seen: true, index: hash.IndexBlockHash(hash.Hash32{}, hash.Hash20{}), time: first.time}
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
	x := c.execution(0, c.root.burn.height)
	n := &content{block: c.root}
	c.genesis = c.encodeBlock(n)
	for _, o := range c.genesisOperations() {
		n.anchored = append(n.anchored, c.execute(x, o))
	}
	c.model.Take() // genesis is never undone
	c.root.transactions = len(n.anchored)
	post := Post{Path: "/new_block", Body: c.encodeBlock(n)}
	c.queue = append(c.queue, delivery{post: post})
	c.history.posts = append(c.history.posts, post)
	c.history.blocks = append(c.history.blocks, c.root.ref())
}

// genesisOperations returns the deployments of the boot contracts, and the empty transfer that mints the first STX.
func (c *Chain) genesisOperations() []*vm.Operation {
	var all []*vm.Operation
	for _, name := range []string{"pox", "lockup", "costs", "cost-voting", "bns", "genesis"} {
		all = append(all, c.bootDeploy(name))
	}
	allocation := c.bootTransfer("")
	allocation.Run = func(x *vm.Execution) nodejson.Outcome {
		for i, a := range c.accounts {
			x.MintSTX(a.Party, c.allocation(i))
		}
		return vm.Succeeded()
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

// upgrade returns the deployments of the boot contracts that come with a block, because an epoch starts.
func (c *Chain) upgrade(b *block) (all []*vm.Operation) {
	for _, name := range c.upgradeContracts(b) {
		all = append(all, c.bootDeploy(name))
	}
	return all
}

func (c *Chain) upgradeContracts(b *block) (names []string) {
	if c.cfg.AllEpochs {
		for e := c.rules.EpochAt(b.parent.burn.height) + 1; e <= c.rules.EpochAt(b.burn.height); e++ {
			names = append(names, e.Contracts()...)
		}
		return names
	}
	if b.height != upgradeHeight {
		return nil
	}
	names = []string{"costs-2"}
	if c.cfg.Generation >= V21 {
		names = append(names, "pox-2", "costs-3")
	}
	if c.cfg.Generation >= V25 {
		names = append(names, "pox-3", "pox-4", "signers", "signers-voting")
	}
	return names
}

// bootDeploy deploys a contract of the boot address.
func (c *Chain) bootDeploy(name string) *vm.Operation {
	contract := c.roll.Contract(c.cfg.Network.Boot(), name)
	o := c.bootOperation(&transaction.SmartContract{ContractName: name, Code: contracts.BootSource(name)})
	o.Run = func(x *vm.Execution) nodejson.Outcome {
		x.Establish(contract, nil)
		out := vm.Succeeded()
		out.Contract = contracts.BootInterface(c.cfg.Generation, x.Epoch)
		return out
	}
	return o
}

// bootTransfer moves nothing from the boot address to itself.
func (c *Chain) bootTransfer(memo string) *vm.Operation {
	return c.bootOperation(&transaction.TokenTransfer{
		Recipient: clarity.Principal{Address: c.cfg.Network.Boot()}, Memo: value.Must(transaction.NewMemo(memo)),
	})
}

// bootOperation returns a transaction of the node itself: unsigned, without sender, for chain 0.
func (c *Chain) bootOperation(payload transaction.Payload) *vm.Operation {
	draft := transaction.Draft{Network: transaction.Network{Version: c.cfg.Network.Stacks().Version}}
	t := value.Must(draft.Transaction(payload))
	t.Origin.KeyEncoding = key.Uncompressed
	o := &vm.Operation{Raw: t.Encode()}
	o.Txid = transaction.ID(o.Raw)
	return o
}

// phantomUnlock mints STX that vest on schedule, at the end of a Nakamoto block. Its id depends only on the height.
func (c *Chain) phantomUnlock(x *vm.Execution) *vm.Operation {
	o := c.bootTransfer(fmt.Sprintf("Block %d token unlocks", x.Height))
	to, amount := c.planner.Stranger(), 1+c.random.Uint64N(1_000_000_000)
	o.Run = func(x *vm.Execution) nodejson.Outcome {
		x.MintSTX(to, amount)
		return vm.Succeeded()
	}
	return o
}
