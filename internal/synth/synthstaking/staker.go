package synthstaking

// Member returns the bond that a staker is in, and whether its last half cycle has begun; ok is false once it has ended.
func (c *Contract) Member(staker string) (index int64, lastHalf, ok bool) {
	b, ok := c.bondOf(staker)
	if !ok {
		return 0, false, false
	}
	return b.Index, c.lastHalf(b), true
}

// Staking reports whether a staker has a stake that has not ended.
func (c *Contract) Staking(staker string) bool {
	_, ok := c.live(staker)
	return ok
}

// Lock returns the µSTX that the staker's newest position locks, and until which burn height.
func (c *Contract) Lock(staker string) (ustx, until int64) {
	if i, ok := c.member[staker]; ok {
		return c.Positions[Place{staker, i}].USTX, c.Clock.Start(c.Bonds[i].Unlock)
	}
	s := c.Stakes[staker]
	return s.USTX, c.Clock.Start(s.Unlock)
}

// Deposit returns the sats of sBTC that the contract holds for a staker.
func (c *Contract) Deposit(staker string) int64 {
	i, ok := c.member[staker]
	if p := c.Positions[Place{staker, i}]; ok && !p.L1 {
		return p.Sats
	}
	return 0
}

// Deposits returns the sats of sBTC that the contract holds for all stakers.
func (c *Contract) Deposits() (sats int64) {
	for staker := range c.member {
		sats += c.Deposit(staker)
	}
	return sats
}

// KeyWeights returns the µSTX of each signing key in the set of a cycle: those of all managers with the minimum.
func (c *Contract) KeyWeights(cycle int64) map[string]int64 {
	weights := map[string]int64{}
	for signer, key := range c.Keys {
		if all, _ := c.Weight(signer, cycle); all >= Minimum {
			weights[key] += all
		}
	}
	return weights
}
