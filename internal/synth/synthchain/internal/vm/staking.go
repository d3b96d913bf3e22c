package vm

import (
	"strata/domain/clarity"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthstaking"
)

// Call is what a call does to the state of pox-5. It returns what the contract prints; nothing if the contract refuses.
type Call func(*synthstaking.Contract) []clarity.Value

// errRefused stands for all reasons for which pox-5 refuses a call.
const errRefused = 27

// StakingClock returns the clock of pox-5 on the schedule: its first cycle is the one after that in which the epoch starts.
func (r *Rules) StakingClock() synthstaking.Clock {
	c := synthstaking.Clock{
		FirstHeight: int64(r.StartBurnHeight), CycleLength: int64(r.RewardCycle), PrepareLength: int64(r.PrepareLength()),
	}
	c.FirstBond = (int64(r.Schedule[node.Epoch40])-c.FirstHeight)/c.CycleLength + 1
	return c
}

// PrepareLength returns the number of burn blocks of a prepare phase.
func (r *Rules) PrepareLength() uint64 { return max(r.RewardCycle/5, 1) }

// PoX5 returns the contract pox-5.
func (r *Rules) PoX5() ledger.Party { return r.stackingContract(5) }

// Try returns the state of pox-5 after a call, and what it prints. It changes nothing.
func (x *Execution) Try(call Call) (*synthstaking.Contract, []clarity.Value) {
	now := x.Staking.Value.Clone()
	now.Height = int64(x.Burn)
	return now, call(now)
}

// Stake executes a call of pox-5 for a staker. As in the contract, sBTC moves first, and the lock comes last.
func (x *Execution) Stake(sbtc, staker ledger.Party, locks bool, call Call) nodejson.Outcome {
	before := x.Staking.Value
	now, prints := x.Try(call)
	if len(prints) == 0 {
		return Failed(errRefused)
	}
	x.Staking.Set(now)
	name := x.text(staker)
	held, holds := before.Deposit(name), now.Deposit(name)
	switch {
	case holds > held && !x.TransferToken(sbtc, staker, x.PoX5(), sats(holds-held)):
		return Failed(1)
	case holds < held && !x.TransferToken(sbtc, x.PoX5(), staker, sats(held-holds)):
		return Failed(1)
	}
	x.printAll(prints)
	if !locks {
		return Succeeded()
	}
	amount, until := now.Lock(name)
	if uint64(amount) > x.Balance.Get(staker) {
		return Failed(8)
	}
	x.lockSTX(staker, ledger.Lock{Amount: uint64(amount), Until: uint64(until), Contract: x.PoX5()})
	return okTuple("stacker", x.Roll.Value(staker), "unlock-burn-height", uint64(until))
}

// Administer executes a call of pox-5 that neither moves nor locks anything.
func (x *Execution) Administer(call Call) nodejson.Outcome {
	now, prints := x.Try(call)
	if len(prints) == 0 {
		return Failed(errRefused)
	}
	x.Staking.Set(now)
	x.printAll(prints)
	return Succeeded()
}

// Distribute executes calculate-rewards: it distributes the sBTC that pox-5 has got since the last time.
func (x *Execution) Distribute(sbtc ledger.Party) nodejson.Outcome {
	gross := x.Income(sbtc)
	out := x.Administer(func(c *synthstaking.Contract) []clarity.Value { return c.CalculateRewards(gross) })
	if out.Status == nodejson.Success {
		x.Count(ledger.TotalAccounted, uint64(gross))
	}
	return out
}

// Income returns the sats that pox-5 has got and not distributed.
func (x *Execution) Income(sbtc ledger.Party) int64 {
	has := int64(x.Token.Get(ledger.Holding{Contract: sbtc, Owner: x.PoX5()}).Lo)
	return has - x.Staking.Value.Deposits() - x.Unclaimed()
}

// Unclaimed returns the sats of rewards that pox-5 still has.
func (x *Execution) Unclaimed() int64 {
	return int64(x.Total.Get(ledger.TotalAccounted).Lo - x.Total.Get(ledger.TotalClaimed).Lo)
}

// PayManager executes claim-rewards: it pays a signer manager.
func (x *Execution) PayManager(sbtc, manager ledger.Party, stx, bonds int64) nodejson.Outcome {
	if x.Unclaimed() < stx+bonds || !x.TransferToken(sbtc, x.PoX5(), manager, sats(stx+bonds)) {
		return Failed(32)
	}
	x.Count(ledger.TotalClaimed, uint64(stx+bonds))
	return x.Administer(func(c *synthstaking.Contract) []clarity.Value { return c.Claim(x.text(manager), stx, bonds) })
}

func (x *Execution) printAll(prints []clarity.Value) {
	for _, v := range prints {
		x.Print(x.PoX5(), v)
	}
}

func sats(n int64) ledger.Amount { return ledger.NewAmount(uint64(n)) }
