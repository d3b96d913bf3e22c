package plan

import (
	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/contracts"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/node"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/synthstaking"
	"strata/internal/synth/value"
)

// Who is who in pox-5, by number of account. The accounts before mine.
const (
	stakingAdmin = 4 // sets bonds up, and deployed sBTC
	firstManager = 5 // deployed signer managers
	managers     = 3
)

// stakingAttempts is the number of calls that are thought of until pox-5 accepts one. Every tenth call is sent though it
// would be refused.
const stakingAttempts = 16

// staking plans a call that has to do with pox-5: by the bond's admin, a signer manager, or a staker. Before epoch 4.0 it
// plans a lock with the contract of the time.
func (p *Planner) staking(x *vm.Execution) *vm.Operation {
	if x.Schedule == nil || x.Epoch < node.Epoch40 {
		return p.stack(x)
	}
	if !x.Deployed.Has(x.PoX5()) {
		return nil
	}
	if o := p.settleStaking(x); o != nil {
		return o
	}
	var o *vm.Operation
	for range stakingAttempts {
		call := p.stakingCall(x)
		if call == nil {
			continue
		}
		if _, prints := x.Try(call.do); len(prints) == 0 && p.random.IntN(10) > 0 {
			continue
		}
		if o = call.operation(p, x); o != nil && x.Minable(o) {
			return o
		}
	}
	return o
}

// sbtc returns the contract of sBTC.
func (p *Planner) sbtc() ledger.Party {
	return p.rules.Roll.Contract(p.accounts[stakingAdmin].Address, contracts.SBTC.Name)
}

// manager returns a signer manager, and the account that it belongs to.
func (p *Planner) manager(i int) (ledger.Party, *account.Account) {
	owner := p.accounts[firstManager+i]
	return p.rules.Roll.Contract(owner.Address, contracts.Manager.Name), owner
}

// settleStaking plans what must be there before anybody stakes: sBTC, and signer managers with keys.
func (p *Planner) settleStaking(x *vm.Execution) *vm.Operation {
	deploy := func(from *account.Account, t *contracts.Template) *vm.Operation {
		contract := p.rules.Roll.Contract(from.Address, t.Name)
		code := transaction.SmartContract{ContractName: t.Name, Code: []byte(t.Source)}
		o := p.send(x, from, &code, transaction.PostConditions{}, func(x *vm.Execution) nodejson.Outcome {
			x.Establish(contract, t)
			out := vm.Succeeded()
			out.Contract = t.Interface(x.Generation, x.Epoch, x.Epoch.Clarity())
			return out
		})
		o.Needs = func(x *vm.Execution) bool { return !x.Deployed.Has(contract) }
		return o
	}
	if !x.Deployed.Has(p.sbtc()) {
		return deploy(p.accounts[stakingAdmin], contracts.SBTC)
	}
	for i := range managers {
		contract, owner := p.manager(i)
		if !x.Deployed.Has(contract) {
			return deploy(owner, contracts.Manager)
		}
		if x.Staking.Value.Keys[p.rules.Roll.Text(contract)] == "" {
			return p.registerManager(i, byte(1+i)).operation(p, x)
		}
	}
	return nil
}

// stakingCall is a call of pox-5, direct or through a signer manager.
type stakingCall struct {
	from      *account.Account
	contract  ledger.Party // that the transaction calls
	function  string
	arguments []clarity.Value
	staker    bool // the call is a staker's own
	locks     bool
	pays      func(*vm.Execution) nodejson.Outcome // instead of the usual outcome; usually nil
	do        vm.Call
}

func (c *stakingCall) operation(p *Planner, x *vm.Execution) *vm.Operation {
	if x.Spendable(c.from.Party) < spare {
		return nil
	}
	sbtc := p.sbtc()
	return p.call(x, c.from, c.contract, c.conditions(p), c.function, c.arguments, func(x *vm.Execution) nodejson.Outcome {
		switch {
		case x.Epoch < node.Epoch40:
			return vm.Failed(1) // on a branch where the epoch has not begun
		case c.pays != nil:
			return c.pays(x)
		case c.staker:
			return x.Stake(sbtc, c.from.Party, c.locks, c.do)
		}
		return x.Administer(c.do)
	})
}

// conditions returns post-conditions of the kinds that came with epoch 4.0 for every other call of a staker.
func (c *stakingCall) conditions(p *Planner) transaction.PostConditions {
	if !c.staker || p.random.IntN(2) == 0 {
		return allowAll
	}
	condition := transaction.PostCondition{Type: transaction.ConditionPox, Code: transaction.MaybePerformed}
	if c.locks {
		condition = transaction.PostCondition{Type: transaction.ConditionStaking, Code: transaction.SentGreaterOrEqual, Amount: 0}
	}
	return value.Must(transaction.NewPostConditions(transaction.PostConditionAllow, condition.OriginPrincipal()))
}

func uints(all ...int64) (values []clarity.Value) {
	for _, n := range all {
		values = append(values, clarity.NewUint64(uint64(n)))
	}
	return values
}

// stakingCall thinks of a call, which pox-5 may refuse.
func (p *Planner) stakingCall(x *vm.Execution) *stakingCall {
	i := p.random.IntN(managers)
	manager, owner := p.manager(i)
	signer := p.rules.Roll.Text(manager)
	switch p.random.IntN(20) {
	case 0:
		return p.manage(x, i)
	case 1:
		return p.setupBond(x)
	case 2:
		return p.reward(x)
	case 3: // claims
		unclaimed := x.Unclaimed()
		stx, bonds := p.sats(unclaimed/6), p.sats(unclaimed/6)
		return &stakingCall{
			from: owner, contract: manager, function: "claim", arguments: uints(x.Staking.Value.Cycle()),
			do:   func(c *synthstaking.Contract) []clarity.Value { return c.Claim(signer, stx, bonds) },
			pays: func(x *vm.Execution) nodejson.Outcome { return x.PayManager(p.sbtc(), manager, stx, bonds) },
		}
	case 4:
		return p.settleStaker(x, i)
	}
	return p.stakerCall(x, manager, signer)
}

// sats returns a random number up to n, and at least 1.
func (p *Planner) sats(n int64) int64 { return 1 + p.random.Int64N(max(n, 1)) }

func (p *Planner) registerManager(i int, n byte) *stakingCall {
	manager, owner := p.manager(i)
	signer := p.rules.Roll.Text(manager)
	return &stakingCall{
		from: owner, contract: manager, function: "register", arguments: []clarity.Value{value.Buffer(synthstaking.Key(n))},
		do: func(c *synthstaking.Contract) []clarity.Value { return c.RegisterSigner(signer, n) },
	}
}

// manage thinks of a change of the keys of a signer manager.
func (p *Planner) manage(x *vm.Execution, i int) *stakingCall {
	manager, owner := p.manager(i)
	signer, n := p.rules.Roll.Text(manager), byte(1+p.random.IntN(5))
	key := value.Buffer(synthstaking.Key(n))
	switch p.random.IntN(3) {
	case 0:
		return p.registerManager(i, n)
	case 1:
		return &stakingCall{
			from: owner, contract: x.PoX5(), function: "revoke-signer-grant", arguments: []clarity.Value{p.rules.Roll.Value(manager), key},
			do: func(c *synthstaking.Contract) []clarity.Value { return c.RevokeKey(signer, n) },
		}
	}
	return &stakingCall{
		from: owner, contract: manager, function: "grant", arguments: append([]clarity.Value{key}, uints(p.random.Int64N(1000))...),
		do: func(c *synthstaking.Contract) []clarity.Value { return c.GrantKey(signer, n) },
	}
}

// setupBond thinks of the next bond, which most stakers may register for.
func (p *Planner) setupBond(x *vm.Execution) *stakingCall {
	c := x.Staking.Value
	clock := c.Clock
	index := nextBond(clock, int64(x.Burn)) + p.random.Int64N(2)
	allowed := map[string]int64{}
	for _, a := range p.accounts[firstManager+managers:] {
		if p.random.IntN(4) > 0 && len(allowed) < 40 {
			allowed[p.rules.Roll.Text(a.Party)] = 1 + p.random.Int64N(50_000_000)
		}
	}
	rate := 100 + p.random.Int64N(900)
	return &stakingCall{
		from: p.accounts[stakingAdmin], contract: x.PoX5(), function: "setup-bond", arguments: uints(index, rate),
		do: func(c *synthstaking.Contract) []clarity.Value { return c.SetupBond(index, rate, allowed) },
	}
}

// nextBond returns the first bond that has not started at a burn height.
func nextBond(clock synthstaking.Clock, burn int64) int64 {
	if first := clock.Start(clock.FirstBond); burn >= first {
		return (burn-first)/(2*clock.CycleLength) + 1
	}
	return 0
}

// reward thinks of income of pox-5 or of a staker in sBTC, or of the distribution of the income.
func (p *Planner) reward(x *vm.Execution) *stakingCall {
	if sbtc := p.sbtc(); x.Income(sbtc) > 100_000 {
		return &stakingCall{
			from: p.accounts[p.random.IntN(len(p.accounts))], contract: x.PoX5(), function: "calculate-rewards",
			arguments: []clarity.Value{value.Must(clarity.NewList())},
			do:        func(c *synthstaking.Contract) []clarity.Value { return c.CalculateRewards(1) },
			pays:      func(x *vm.Execution) nodejson.Outcome { return x.Distribute(sbtc) },
		}
	}
	return p.mintSBTC(x.PoX5(), p.sats(3_000_000))
}

func (p *Planner) mintSBTC(to ledger.Party, sats int64) *stakingCall {
	sbtc, amount := p.sbtc(), ledger.NewAmount(uint64(sats))
	return &stakingCall{
		from: p.accounts[stakingAdmin], contract: sbtc, function: "mint", arguments: append(uints(sats), p.rules.Roll.Value(to)),
		do:   func(*synthstaking.Contract) []clarity.Value { return uints(1) },
		pays: func(x *vm.Execution) nodejson.Outcome { return vm.Check(x.MintToken(sbtc, to, amount), 1) },
	}
}

// settleStaker thinks of a settlement of a manager with a staker that has earned something.
func (p *Planner) settleStaker(x *vm.Execution, i int) *stakingCall {
	manager, owner := p.manager(i)
	signer := p.rules.Roll.Text(manager)
	c, staker := x.Staking.Value, p.staker()
	at := synthstaking.Place{Staker: p.rules.Roll.Text(staker.Party), Bond: synthstaking.NoBond}
	if bond, _, ok := c.Member(at.Staker); ok {
		at.Bond = bond
	}
	amount := p.sats(200_000)
	return &stakingCall{
		from: owner, contract: manager, function: "settle", arguments: append([]clarity.Value{p.rules.Roll.Value(staker.Party)}, uints(c.Cycle())...),
		do: func(c *synthstaking.Contract) []clarity.Value { return c.ClaimForStaker(at, signer, amount) },
	}
}

// staker returns an account that may stake.
func (p *Planner) staker() *account.Account {
	first := firstManager + managers
	return p.accounts[first+p.random.IntN(min(len(p.accounts)-first, 24))]
}

// stakerCall thinks of a staker's call.
func (p *Planner) stakerCall(x *vm.Execution, manager ledger.Party, signer string) *stakingCall {
	from := p.staker()
	c, name := x.Staking.Value, p.rules.Roll.Text(from.Party)
	for range 8 { // whoever may roll over has little time
		if _, last, ok := c.Member(name); ok && last {
			break
		}
		other := p.staker()
		if _, last, ok := c.Member(p.rules.Roll.Text(other.Party)); ok && last {
			from, name = other, p.rules.Roll.Text(other.Party)
		}
	}
	if x.Spendable(from.Party) < 2*spare {
		return nil
	}
	ustx := int64(x.Balance.Get(from.Party)/2 + p.random.Uint64N(x.Balance.Get(from.Party)/4))
	call := &stakingCall{from: from, contract: x.PoX5(), staker: true, locks: true}
	with := func(function string, do vm.Call, numbers ...int64) *stakingCall {
		call.function, call.do = function, do
		call.arguments = append([]clarity.Value{p.rules.Roll.Value(manager)}, uints(numbers...)...)
		return call
	}
	kind := p.random.IntN(9)
	if _, last, ok := c.Member(name); ok && !last {
		kind = 5 + p.random.IntN(2)
	}
	switch kind {
	case 0, 1:
		cycles := p.sats(6)
		return with("stake", func(c *synthstaking.Contract) []clarity.Value { return c.Stake(name, signer, ustx, cycles) }, ustx, cycles, int64(x.Burn))
	case 2, 3:
		increase, extend := p.random.Int64N(int64(x.Spendable(from.Party)/4)), p.random.Int64N(3)
		return with("stake-update", func(c *synthstaking.Contract) []clarity.Value { return c.UpdateStake(name, signer, increase, extend) }, extend, increase)
	case 4:
		if p.random.IntN(2) == 0 {
			return with("unstake", func(c *synthstaking.Contract) []clarity.Value { return c.Unstake(name) })
		}
	case 5:
		call.locks = false
		return with("update-bond-registration", func(c *synthstaking.Contract) []clarity.Value { return c.UpdateBond(name, signer) })
	case 6:
		call.locks = false
		sats := p.sats(30_000_000)
		function := "unstake-sbtc"
		if bond, _, ok := c.Member(name); ok && c.Positions[synthstaking.Place{Staker: name, Bond: bond}].L1 {
			function = "announce-l1-early-exit"
		}
		return with(function, func(c *synthstaking.Contract) []clarity.Value { return c.Release(name, sats) }, sats)
	}
	return p.registerForBond(x, call, name, signer, ustx)
}

// registerForBond thinks of a registration for one of the bonds that have not started. The sBTC must be there first.
func (p *Planner) registerForBond(x *vm.Execution, call *stakingCall, name, signer string, ustx int64) *stakingCall {
	c := x.Staking.Value
	index := nextBond(c.Clock, int64(x.Burn))
	b := c.Bonds[index]
	if b == nil || b.Allowed[name] == 0 {
		return nil
	}
	sats, l1 := 1+p.random.Int64N(b.Allowed[name]), p.random.IntN(3) == 0
	if has := x.Token.Get(ledger.Holding{Contract: p.sbtc(), Owner: call.from.Party}); !l1 && has.Less(ledger.NewAmount(uint64(sats))) {
		return p.mintSBTC(call.from.Party, sats)
	}
	call.function = "register-for-bond"
	call.arguments = uints(index, ustx, sats)
	call.do = func(c *synthstaking.Contract) []clarity.Value {
		return c.RegisterForBond(name, signer, index, ustx, sats, l1)
	}
	return call
}
