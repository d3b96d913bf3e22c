package vm

import (
	"strata/domain/bitcoin"
	"strata/domain/clarity"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/value"
)

// poxVersion returns the version of the stacking contract that is called now. A chain that stays in epoch 4.0 goes on with
// pox-4: its locks need nobody who claims and calculates.
func (x *Execution) poxVersion() int {
	switch {
	case x.Epoch < node.Epoch21:
		return 1
	case x.Epoch < node.Epoch24:
		return 2
	case x.Epoch < node.Epoch25:
		return 3
	case x.Epoch < node.Epoch40 || x.Schedule == nil:
		return 4
	}
	return 5
}

// stackingContract returns the stacking contract of a version.
func (r *Rules) stackingContract(version int) ledger.Party {
	return r.Roll.Contract(r.Network.Boot(), [...]string{"pox", "pox-2", "pox-3", "pox-4", "pox-5"}[version-1])
}

// StackingContract returns the contract that knows stack-stx: that of the epoch, or pox-4 in the time of pox-5.
func (x *Execution) StackingContract() ledger.Party {
	return x.stackingContract(min(x.poxVersion(), 4))
}

// PoX returns the stacking contract of the epoch.
func (x *Execution) PoX() ledger.Party { return x.stackingContract(x.poxVersion()) }

// CanStack reports whether a stacking contract of before pox-5 works: nobody stacks in the epochs 2.2 and 2.3, and no
// contract outlives its epoch.
func (x *Execution) CanStack(contract ledger.Party) bool {
	return contract == x.PoX() && x.poxVersion() < 5 && x.Epoch != node.Epoch22 && x.Epoch != node.Epoch23
}

// Defunct returns the outcome of a call of a stacking contract that does not work any more.
func Defunct() nodejson.Outcome {
	return nodejson.Outcome{Status: nodejson.AbortByResponse, Result: ErrNone, VMError: "Runtime(DefunctPoxContract, [])"}
}

func (x *Execution) cycle() uint64 { return (x.Burn - x.StartBurnHeight) / x.RewardCycle }

// locked returns the part of the balance that cannot be spent now.
func (x *Execution) locked(p ledger.Party) uint64 { return x.Balance.Get(p) - x.Spendable(p) }

// Stack executes stack-stx, whether it is a call or an operation on Bitcoin.
func (x *Execution) Stack(from *account.Account, amount, period uint64, address bitcoin.PoxAddress) nodejson.Outcome {
	p := from.Party
	switch free := x.Spendable(p); {
	case x.locked(p) > 0:
		return Failed(3)
	case free < amount:
		return Failed(1)
	}
	until := x.StartBurnHeight + (x.cycle()+1+period)*x.RewardCycle // the lock starts with the next cycle
	data := []any{
		"lock-amount", amount, "lock-period", period, "pox-addr", PoXTuple(address), "start-burn-height", x.Burn,
		"unlock-burn-height", until,
	}
	x.printStacking("stack-stx", from, period, data)
	x.lockSTX(p, ledger.Lock{Amount: amount, Until: until, Contract: x.PoX()})
	result := []any{"lock-amount", amount, "stacker", x.Roll.Value(p), "unlock-burn-height", until}
	if x.Epoch >= node.Epoch25 {
		result = append(result, "signer-key", from.SignerKey())
	}
	return okTuple(result...)
}

// Extend executes stack-extend: a lock lasts for some cycles more.
func (x *Execution) Extend(from *account.Account, cycles uint64, address bitcoin.PoxAddress) nodejson.Outcome {
	l := x.Lock.Get(from.Party)
	if x.locked(from.Party) == 0 || x.Schedule != nil && l.Contract != x.PoX() {
		return Failed(11)
	}
	l.Until += cycles * x.RewardCycle
	l.Contract = x.PoX()
	x.printStacking("stack-extend", from, cycles, []any{
		"extend-count", cycles, "pox-addr", PoXTuple(address), "unlock-burn-height", l.Until,
	})
	x.lockSTX(from.Party, l)
	return okTuple("stacker", x.Roll.Value(from.Party), "unlock-burn-height", l.Until)
}

// Increase executes stack-increase: a lock grows.
func (x *Execution) Increase(from *account.Account, by uint64, address bitcoin.PoxAddress) nodejson.Outcome {
	l := x.Lock.Get(from.Party)
	if x.locked(from.Party) == 0 || x.Spendable(from.Party) < by || x.Schedule != nil && l.Contract != x.PoX() {
		return Failed(1)
	}
	l.Amount += by
	l.Contract = x.PoX()
	x.printStacking("stack-increase", from, 1, []any{
		"increase-by", by, "pox-addr", PoXTuple(address), "total-locked", l.Amount,
	})
	x.lockSTX(from.Party, l)
	return okTuple("stacker", x.Roll.Value(from.Party), "total-locked", l.Amount)
}

// Delegate executes delegate-stx, which only prints: it does not lock anything yet.
func (x *Execution) Delegate(from, to *account.Account, amount uint64, address bitcoin.PoxAddress) nodejson.Outcome {
	x.printStacking("delegate-stx", from, 1, []any{
		"amount-ustx", amount, "delegate-to", x.Roll.Value(to.Party), "pox-addr", clarity.NewSome(PoXTuple(address)),
		"unlock-burn-height", nil,
	})
	return Succeeded()
}

// printStacking emits the print that nodes add to calls of the PoX contracts, from pox-2 to pox-4. It describes the
// account before the lock.
func (x *Execution) printStacking(name string, from *account.Account, cycles uint64, data []any) {
	if x.Epoch < node.Epoch21 {
		return
	}
	if x.Epoch >= node.Epoch25 {
		data = append(data,
			"end-cycle-id", value.Some(x.cycle()+1+cycles), "start-cycle-id", x.cycle()+1,
		)
		if name != "delegate-stx" {
			data = append(data,
				"auth-id", x.Height, "max-amount", ledger.MaxAmount.Value(), "signer-key", from.SignerKey(),
				"signer-sig", nil,
			)
		}
	}
	p := from.Party
	until := uint64(0)
	if x.locked(p) > 0 {
		until = x.Lock.Get(p).Until
	}
	x.Print(x.PoX(), clarity.NewOk(value.Tuple(
		"balance", x.Spendable(p), "burnchain-unlock-height", until, "data", value.Tuple(data...), "locked", x.locked(p),
		"name", name, "stacker", x.Roll.Value(p),
	)))
}

// PoXTuple returns a Bitcoin address in the form of the PoX contracts.
func PoXTuple(a bitcoin.PoxAddress) clarity.Value {
	return value.Tuple("hashbytes", value.Buffer(a.Hash), "version", value.Buffer([]byte{a.Version}))
}
