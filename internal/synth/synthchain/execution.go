package synthchain

import (
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// execution returns an execution of a block of a given height, before Nakamoto. burn decides whether locks have ended.
func (c *Chain) execution(height, burn uint64) *vm.Execution {
	return &vm.Execution{Ledger: c.model.Ledger, Rules: c.rules, Epoch: c.rules.EpochAt(burn), Height: height, Burn: burn, Clock: height}
}

// execute executes an operation, which must be minable. Only operations with a sender cost something.
func (c *Chain) execute(x *vm.Execution, o *vm.Operation) *nodejson.Receipt {
	r := x.Execute(o)
	if o.Origin != nil {
		r.Cost = c.cost(len(o.Raw))
	}
	return r
}

// cost returns a random cost of a transaction of size bytes.
func (c *Chain) cost(size int) nodejson.Cost {
	n := c.random.Uint64N(1000)
	return nodejson.Cost{
		ReadCount: 3 + n%20, ReadLength: uint64(size) + n*7, Runtime: 1000 + n*131, WriteCount: 1 + n%9, WriteLength: n,
	}
}
