package synthstaking

import (
	"encoding/hex"
	"maps"
	"slices"

	"strata/domain/clarity"
	"strata/internal/synth/value"
)

// Each operation returns what the contract prints, or nothing when it refuses the call.

// SetupBond sets a bond up, from two cycles before it starts.
func (c *Contract) SetupBond(index, rate int64, allowed map[string]int64) []clarity.Value {
	start := c.Clock.FirstBond + 2*index
	if c.Bonds[index] != nil || c.Cycle() >= start || c.Cycle() < start-2 {
		return nil
	}
	c.Bonds[index] = &Bond{Index: index, Rate: rate, Value: 2500 - index, Allowed: allowed, Start: start, Unlock: start + BondCycles}
	prints := c.print(value.Tuple("topic", "setup-bond", "bond-index", index, "target-rate", rate, "stx-value-ratio", 2500-index, "min-ustx-ratio", int64(2000),
		"early-unlock-bytes", []byte{0xac}, "first-reward-cycle", start, "bond-start-height", c.Clock.Start(start),
		"unlock-cycle", start+BondCycles, "unlock-burn-height", c.Clock.Start(start+BondCycles)))
	for _, staker := range slices.Sorted(maps.Keys(allowed)) {
		prints = append(prints, c.print(value.Tuple("topic", "add-to-allowlist", "bond-index", index, "staker", value.Principal(staker), "max-sats", allowed[staker]))...)
	}
	return prints
}

// RegisterForBond registers a staker. A stake that ends by the start of the bond, or a bond in its last half cycle, is
// rolled over.
func (c *Contract) RegisterForBond(staker, signer string, index, ustx, sats int64, l1 bool) []clarity.Value {
	b := c.Bonds[index]
	if b == nil || c.preparing() || c.Keys[signer] == "" || b.Allowed[staker] < sats || c.Cycle() >= b.Start {
		return nil
	}
	if s, ok := c.live(staker); ok && s.Unlock > b.Start {
		return nil
	}
	if old, ok := c.bondOf(staker); ok && (!c.lastHalf(old) || old.Unlock > b.Start) {
		return nil
	}
	delete(c.Stakes, staker)
	c.roll(staker)
	c.member[staker] = index
	c.Positions[Place{staker, index}] = Position{Signer: signer, Status: Enrolled, USTX: ustx, Sats: sats, L1: l1}
	c.set(Place{staker, index}, b.Start, b.Unlock, Share{signer, sats, ustx})
	lockup := value.Tuple("type", "l2", "txs", nil)
	if l1 {
		txid := make([]byte, 32)
		txid[0], txid[31] = 0xab, 0x01
		lockup = value.Tuple("type", "l1", "txs", value.Some(value.Must(clarity.NewList(value.Tuple("txid", txid, "output-index", int64(1))))))
	}
	return c.print(value.Tuple("topic", "register-for-bond", "signer", value.Principal(signer), "staker", value.Principal(staker), "amount-ustx", ustx, "sats-total", sats,
		"bond-index", index, "first-reward-cycle", b.Start, "unlock-burn-height", c.Clock.Start(b.Unlock), "unlock-cycle", b.Unlock, "is-l1-lock", l1, "btc-lockup", lockup))
}

// UpdateBond moves a member of a bond to another signer manager from the next cycle on, or from the start of the bond.
func (c *Contract) UpdateBond(staker, signer string) []clarity.Value {
	b, ok := c.bondOf(staker)
	if !ok || c.preparing() || c.Keys[signer] == "" {
		return nil
	}
	from := max(b.Start, c.Cycle()+1)
	if from >= b.Unlock {
		return nil
	}
	at := Place{staker, b.Index}
	p := c.Positions[at]
	old := p.Signer
	p.Signer = signer
	c.Positions[at] = p
	c.set(at, from, b.Unlock, Share{signer, p.Sats, p.USTX})
	return c.print(value.Tuple("topic", "update-bond-registration", "staker", value.Principal(staker), "signer", value.Principal(signer), "old-signer", value.Principal(old),
		"bond-index", b.Index, "amount-ustx", p.USTX, "amount-sats", p.Sats, "first-reward-cycle", from, "num-cycles", b.Unlock-from, "is-l1-lock", p.L1))
}

// Release takes sats out of a bond: a part or all of the sBTC, or all that is locked on Bitcoin.
func (c *Contract) Release(staker string, sats int64) []clarity.Value {
	b, ok := c.bondOf(staker)
	if !ok || c.preparing() {
		return nil
	}
	at := Place{staker, b.Index}
	p := c.Positions[at]
	if p.Sats == 0 {
		return nil
	}
	if sats > p.Sats || p.L1 {
		sats = p.Sats
	}
	p.Sats -= sats
	if p.Sats == 0 {
		p.Status = EarlyExit
	}
	c.Positions[at] = p
	for cycle := max(c.Cycle(), b.Start); cycle < b.Unlock; cycle++ {
		if s, ok := c.Shares[cycle][at]; ok {
			s.Shares = p.Sats
			c.Shares[cycle][at] = s
		}
	}
	if p.L1 {
		return c.print(value.Tuple("topic", "announce-l1-early-exit", "staker", value.Principal(staker), "signer", value.Principal(p.Signer), "bond-index", b.Index, "amount-sats-released", sats))
	}
	return c.print(value.Tuple("topic", "unstake-sbtc", "signer", value.Principal(p.Signer), "staker", value.Principal(staker), "bond-index", b.Index,
		"amount-withdrawn-sats", sats, "new-amount-sats", p.Sats))
}

// Stake stakes STX from the next cycle on. It rolls a bond over that is in its last half cycle.
func (c *Contract) Stake(staker, signer string, ustx, cycles int64) []clarity.Value {
	if _, ok := c.live(staker); ok || c.preparing() || c.Keys[signer] == "" {
		return nil
	}
	if b, ok := c.bondOf(staker); ok && !c.lastHalf(b) {
		return nil
	}
	if s, ok := c.Stakes[staker]; ok && s.Unlock > c.Cycle() {
		return nil
	}
	c.roll(staker)
	first := c.Cycle() + 1
	c.Stakes[staker] = Stake{signer, ustx, first, first + cycles}
	c.set(Place{staker, NoBond}, first, first+cycles, Share{signer, ustx, ustx})
	return c.print(value.Tuple("topic", "stake", "signer", value.Principal(signer), "staker", value.Principal(staker), "amount-ustx", ustx, "num-cycles", cycles,
		"first-reward-cycle", first, "unlock-burn-height", c.Clock.Start(first+cycles), "unlock-cycle", first+cycles))
}

// UpdateStake changes a stake from the next cycle on.
func (c *Contract) UpdateStake(staker, signer string, increase, extend int64) []clarity.Value {
	s, ok := c.live(staker)
	if !ok || c.preparing() || c.Keys[signer] == "" {
		return nil
	}
	from, before := c.Cycle()+1, s
	s.USTX, s.Signer, s.Unlock = s.USTX+increase, signer, s.Unlock+extend
	if s.Unlock <= from {
		return nil
	}
	c.Stakes[staker] = s
	c.set(Place{staker, NoBond}, from, s.Unlock, Share{signer, s.USTX, s.USTX})
	return c.print(value.Tuple("topic", "stake-update", "staker", value.Principal(staker), "signer", value.Principal(signer), "old-signer", value.Principal(before.Signer),
		"unlock-burn-height", c.Clock.Start(s.Unlock), "unlock-cycle", s.Unlock, "prev-unlock-height", before.Unlock, "num-cycles", s.Unlock-from,
		"amount-ustx", s.USTX, "amount-increase", increase, "cycles-to-extend", extend))
}

// Unstake ends a stake with the current cycle.
func (c *Contract) Unstake(staker string) []clarity.Value {
	s, ok := c.live(staker)
	if !ok || c.preparing() {
		return nil
	}
	s.Unlock = c.Cycle() + 1
	c.Stakes[staker] = s
	c.set(Place{staker, NoBond}, s.Unlock, s.Unlock, Share{})
	return c.print(value.Tuple("topic", "unstake", "staker", value.Principal(staker), "signer", value.Principal(s.Signer), "amount-ustx", s.USTX, "first-reward-cycle", s.First,
		"unlock-cycle", s.Unlock, "unlock-burn-height", c.Clock.Start(s.Unlock)))
}

// RegisterSigner registers a key of a signer manager.
func (c *Contract) RegisterSigner(signer string, key byte) []clarity.Value {
	c.Keys[signer] = hex.EncodeToString(Key(key))
	return c.print(value.Tuple("topic", "register-signer", "signer", value.Principal(signer), "signer-key", Key(key)))
}

// GrantKey grants a key to a signer manager.
func (c *Contract) GrantKey(signer string, key byte) []clarity.Value {
	c.auth++
	if c.Grants[signer] == nil {
		c.Grants[signer] = map[string]int64{}
	}
	c.Grants[signer][hex.EncodeToString(Key(key))] = c.auth
	return c.print(value.Tuple("topic", "grant-signer-key", "signer-key", Key(key), "signer-manager", value.Principal(signer), "auth-id", c.auth))
}

// RevokeKey revokes the grant of a key, whether there is one or not.
func (c *Contract) RevokeKey(signer string, key byte) []clarity.Value {
	delete(c.Grants[signer], hex.EncodeToString(Key(key)))
	return c.print(value.Tuple("topic", "revoke-signer-grant", "signer-key", Key(key), "signer-manager", value.Principal(signer)))
}

// CalculateRewards distributes sats for the half cycle before the current one.
func (c *Contract) CalculateRewards(gross int64) []clarity.Value {
	half := c.Clock.CycleLength / 2
	height := c.Clock.FirstHeight + (c.Height-c.Clock.FirstHeight)/half*half - 1
	if height <= c.last {
		return nil
	}
	c.last = height
	cycle := (height - c.Clock.FirstHeight) / c.Clock.CycleLength
	places := c.places(cycle)
	var indexes []int64
	for i, b := range c.Bonds {
		if c.Clock.Start(b.Start) < height && height <= c.Clock.Start(b.Unlock) {
			indexes = append(indexes, i)
		}
	}
	slices.Sort(indexes) // also by descending value of STX
	var prints []clarity.Value
	periods := []clarity.Value{}
	remaining, total := gross, int64(0)
	for _, i := range indexes {
		b := c.Bonds[i]
		var sats int64
		for _, at := range places {
			if at.Bond == i {
				sats += c.Shares[cycle][at].Shares
			}
		}
		target := sats * b.Rate / 10000 / 50
		paid := min(target, remaining)
		perSat := ratio(paid, sats)
		for _, at := range places {
			if at.Bond == i {
				amount := part(c.Shares[cycle][at].Shares, perSat)
				c.Accrued[at] += amount
				b.Accrued += amount
			}
		}
		b.Distributed += paid
		remaining, total = remaining-paid, total+paid
		periods = append(periods, value.Uint(i))
		prints = append(prints, c.print(value.Tuple("topic", "bond-distribution", "bond-index", i, "target-yield", target, "bond-rewards", paid,
			"bond-staked-sats", sats, "accrued-rewards-per-sat", perSat, "cumulative-rewards-per-sat", perSat))...)
	}
	var staked int64
	earns := map[string]bool{}
	for signer := range c.Keys {
		if all, alone := c.Weight(signer, cycle); all >= Minimum {
			earns[signer] = true
			staked += alone
		}
	}
	reserve := remaining * 1500 / 10000
	rest := remaining - reserve
	perUSTX := ratio(rest, staked)
	if staked == 0 {
		reserve = remaining
	}
	for _, at := range places {
		if s := c.Shares[cycle][at]; at.Bond == NoBond && earns[s.Signer] {
			c.Accrued[at] += part(s.Shares, perUSTX)
		}
	}
	list := value.Must(clarity.NewList(periods...))
	return append(prints, c.print(value.Tuple("topic", "calculate-rewards", "bond-periods", list, "calculation-height", height, "gross-accrued-rewards", gross,
		"total-bond-rewards", total, "reserve-deposit", reserve, "reserve-balance", reserve, "stx-cycle", cycle, "total-stx-staker-rewards", rest,
		"cycle-staked-ustx", staked, "accrued-rewards-per-ustx", perUSTX, "cumulative-rewards-per-ustx", perUSTX))...)
}

// ClaimForStaker settles with a staker some of what it has earned.
func (c *Contract) ClaimForStaker(at Place, signer string, amount int64) []clarity.Value {
	amount = min(amount, c.Accrued[at]-c.Claimed[at])
	if amount <= 0 {
		return nil
	}
	c.Claimed[at] += amount
	var bond any
	if at.Bond != NoBond {
		bond = value.Some(at.Bond)
		c.Bonds[at.Bond].Claimed += amount
	}
	return c.print(value.Tuple("topic", "claim-staker-rewards-for-signer", "signer-manager", value.Principal(signer), "staker", value.Principal(at.Staker),
		"reward-cycle", max(c.Cycle()-1, 0), "bond-index", bond, "rewards-claimed", amount))
}

// Claim prints that a signer manager claims what it has earned. It changes nothing of the simulation.
func (c *Contract) Claim(signer string, stx, bonds int64) []clarity.Value {
	list := value.Must(clarity.NewList())
	return c.print(value.Tuple("topic", "claim-rewards", "reward-cycle", max(c.Cycle()-1, 0), "signer-manager", value.Principal(signer),
		"stx-rewards", value.Tuple("earned", stx, "rewards-per-token", int64(1)), "bond-rewards", list, "bond-totals", bonds, "total-rewards", stx+bonds))
}
