package synthchain

import (
	"strata/domain/bitcoin"
	"strata/domain/clarity"
	"strata/domain/transaction"
)

// poxName returns the name of the stacking contract of a generation.
func poxName(g Generation) string {
	switch {
	case g < V21:
		return "pox"
	case g < V25:
		return "pox-2"
	}
	return "pox-4"
}

func (c *Chain) pox() party { return c.roll.contract(c.cfg.Network.boot(), poxName(c.cfg.Generation)) }

// planStacking plans a lock of STX, or the extension or increase of a lock.
func (c *Chain) planStacking(x *execution) *operation {
	from := c.sender(x)
	if from == nil {
		return nil
	}
	p := from.party
	if l := x.lock.Get(p); l.until >= x.burn && l.amount > 0 {
		if c.cfg.Generation < V21 {
			return nil
		}
		if c.random.IntN(2) == 0 {
			return c.planExtend(x, from)
		}
		return c.planIncrease(x, from)
	}
	amount := c.part(x.available(p, x.burn) - 2*maxFee)
	period := uint64(1 + c.random.IntN(3))
	address := c.poxAddress()
	arguments := []clarity.Value{
		clarity.NewUint64(amount), poxTuple(address), clarity.NewUint64(x.burn), clarity.NewUint64(period),
	}
	return c.callPox(x, from, "stack-stx", arguments, 7, func(x *execution) outcome {
		return x.stack(from, amount, period, address)
	})
}

// callPox calls a function of the stacking contract. From V25 on it adds the arguments with the signer's authorization.
func (c *Chain) callPox(
	x *execution, from *account, function string, arguments []clarity.Value, authID uint64, run func(*execution) outcome,
) *operation {
	if c.cfg.Generation >= V25 {
		arguments = append(arguments, clarity.NewNone(), c.signerKey(from), maxUint, clarity.NewUint64(authID))
	}
	return c.call(x, from, c.pox(), c.stackConditions(), function, arguments, run)
}

// stackConditions returns no post-conditions: locking moves nothing.
func (c *Chain) stackConditions() transaction.PostConditions { return transaction.PostConditions{} }

// maxUint is the greatest Clarity uint, which does not fit into 64 bits.
var maxUint = uintValue(u128{^uint64(0), ^uint64(0)})

func (c *Chain) signerKey(a *account) clarity.Value {
	compressed := a.public[0].CompressedBytes()
	return must(clarity.NewBuffer(compressed[:]))
}

// cycleEnd returns the burn height at which a lock ends that starts with the next cycle and lasts for some cycles.
func (x *execution) cycleEnd(cycles uint64) uint64 {
	cfg := &x.chain.cfg
	return cfg.StartBurnHeight + (x.cycle()+1+cycles)*cfg.RewardCycle
}

func (x *execution) cycle() uint64 {
	return (x.burn - x.chain.cfg.StartBurnHeight) / x.chain.cfg.RewardCycle
}

// stack executes stack-stx, whether it is a call or an operation on Bitcoin.
func (x *execution) stack(from *account, amount, period uint64, address bitcoin.PoxAddress) outcome {
	p := from.party
	switch free := x.available(p, x.burn); {
	case x.locked(p) > 0:
		return failed(3)
	case free < amount:
		return failed(1)
	}
	until := x.cycleEnd(period)
	data := []clarity.Field{
		{Name: "lock-amount", Value: clarity.NewUint64(amount)},
		{Name: "lock-period", Value: clarity.NewUint64(period)},
		{Name: "pox-addr", Value: poxTuple(address)},
		{Name: "start-burn-height", Value: clarity.NewUint64(x.burn)},
		{Name: "unlock-burn-height", Value: clarity.NewUint64(until)},
	}
	x.printStacking("stack-stx", from, period, data)
	x.lockSTX(p, lock{amount: amount, until: until, contract: x.chain.pox()})
	result := []clarity.Field{
		{Name: "lock-amount", Value: clarity.NewUint64(amount)},
		{Name: "stacker", Value: x.chain.principalValue(p)},
		{Name: "unlock-burn-height", Value: clarity.NewUint64(until)},
	}
	if x.chain.cfg.Generation >= V25 {
		result = append(result, clarity.Field{Name: "signer-key", Value: x.chain.signerKey(from)})
	}
	return okTuple(result...)
}

// locked returns the part of the balance that cannot be spent now.
func (x *execution) locked(p party) uint64 { return x.balance.Get(p) - x.available(p, x.burn) }

func okTuple(fields ...clarity.Field) outcome {
	return outcome{status: success, result: clarity.NewOk(must(clarity.NewTuple(fields...))).Encode()}
}

func (c *Chain) planExtend(x *execution, from *account) *operation {
	count := uint64(1 + c.random.IntN(2))
	address := c.poxAddress()
	arguments := []clarity.Value{clarity.NewUint64(count), poxTuple(address)}
	return c.callPox(x, from, "stack-extend", arguments, 8, func(x *execution) outcome {
		l := x.lock.Get(from.party)
		if x.locked(from.party) == 0 {
			return failed(11)
		}
		l.until += count * c.cfg.RewardCycle
		l.contract = c.pox()
		x.printStacking("stack-extend", from, count, []clarity.Field{
			{Name: "extend-count", Value: clarity.NewUint64(count)},
			{Name: "pox-addr", Value: poxTuple(address)},
			{Name: "unlock-burn-height", Value: clarity.NewUint64(l.until)},
		})
		x.lockSTX(from.party, l)
		return okTuple(
			clarity.Field{Name: "stacker", Value: c.principalValue(from.party)},
			clarity.Field{Name: "unlock-burn-height", Value: clarity.NewUint64(l.until)},
		)
	})
}

func (c *Chain) planIncrease(x *execution, from *account) *operation {
	by := c.part(x.available(from.party, x.burn) - 2*maxFee)
	address := c.poxAddress()
	return c.callPox(x, from, "stack-increase", []clarity.Value{clarity.NewUint64(by)}, 9, func(x *execution) outcome {
		l := x.lock.Get(from.party)
		if x.locked(from.party) == 0 || x.available(from.party, x.burn) < by {
			return failed(1)
		}
		l.amount += by
		l.contract = c.pox()
		x.printStacking("stack-increase", from, 1, []clarity.Field{
			{Name: "increase-by", Value: clarity.NewUint64(by)},
			{Name: "pox-addr", Value: poxTuple(address)},
			{Name: "total-locked", Value: clarity.NewUint64(l.amount)},
		})
		x.lockSTX(from.party, l)
		return okTuple(
			clarity.Field{Name: "stacker", Value: c.principalValue(from.party)},
			clarity.Field{Name: "total-locked", Value: clarity.NewUint64(l.amount)},
		)
	})
}

// printStacking emits the print that nodes add to calls of the PoX contracts, from pox-2 to pox-4. It describes the
// account before the lock.
func (x *execution) printStacking(name string, from *account, cycles uint64, data []clarity.Field) {
	g := x.chain.cfg.Generation
	if g < V21 {
		return
	}
	if g >= V25 {
		none := clarity.NewNone()
		data = append(data,
			clarity.Field{Name: "end-cycle-id", Value: clarity.NewSome(clarity.NewUint64(x.cycle() + 1 + cycles))},
			clarity.Field{Name: "start-cycle-id", Value: clarity.NewUint64(x.cycle() + 1)},
		)
		if name != "delegate-stx" {
			data = append(data,
				clarity.Field{Name: "auth-id", Value: clarity.NewUint64(x.height)},
				clarity.Field{Name: "max-amount", Value: maxUint},
				clarity.Field{Name: "signer-key", Value: x.chain.signerKey(from)},
				clarity.Field{Name: "signer-sig", Value: none},
			)
		}
	}
	p := from.party
	until := uint64(0)
	if x.locked(p) > 0 {
		until = x.lock.Get(p).until
	}
	x.print(x.chain.pox(), clarity.NewOk(must(clarity.NewTuple(
		clarity.Field{Name: "balance", Value: clarity.NewUint64(x.available(p, x.burn))},
		clarity.Field{Name: "burnchain-unlock-height", Value: clarity.NewUint64(until)},
		clarity.Field{Name: "data", Value: must(clarity.NewTuple(data...))},
		clarity.Field{Name: "locked", Value: clarity.NewUint64(x.locked(p))},
		clarity.Field{Name: "name", Value: must(clarity.NewASCII(name))},
		clarity.Field{Name: "stacker", Value: x.chain.principalValue(p)},
	))))
}

// poxTuple returns a Bitcoin address in the form of the PoX contracts.
func poxTuple(a bitcoin.PoxAddress) clarity.Value {
	return must(clarity.NewTuple(
		clarity.Field{Name: "hashbytes", Value: must(clarity.NewBuffer(a.Hash))},
		clarity.Field{Name: "version", Value: must(clarity.NewBuffer([]byte{a.Version}))},
	))
}
