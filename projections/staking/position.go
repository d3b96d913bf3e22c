package staking

import "math/big"

// setup is the event setup-bond.
type setup struct {
	bond                      int64
	firstCycle, unlockCycle   int64
	startHeight, unlockHeight int64
	rate, value, minimum      *big.Int
	unlockBytes               []byte
}

func (a *setup) needs(w *names) { w.bonds[a.bond] = true }

func (a *setup) apply(s *state, e *event) {
	if s.bonds[a.bond] != nil {
		return // the contract refuses it
	}
	r := &bond{setup: a, n: e.n, seq: e.seq}
	s.bonds[a.bond], s.all.bonds = r, append(s.all.bonds, r)
	s.anchor(e, a.firstCycle, a.startHeight)
	s.anchor(e, a.unlockCycle, a.unlockHeight)
}

// anchor notes the burn height at which a cycle begins.
func (s *state) anchor(e *event, cycle, height int64) {
	if s.known[cycle] {
		return
	}
	s.known[cycle] = true
	s.anchors.add([]int64{cycle, height, e.n, e.seq})
}

// allow is the event add-to-allowlist.
type allow struct {
	bond    int64
	staker  string
	maxSats *big.Int
}

func (a *allow) needs(w *names) { w.allowed[allowanceKey{a.bond, a.staker}] = true }

func (a *allow) apply(s *state, e *event) {
	if before := s.allowances[allowanceKey{a.bond, a.staker}]; before != nil {
		before.until = &e.n
		s.sums.allowance(before, -1)
	}
	r := &allowance{span: span{n: e.n, seq: e.seq}, bond: a.bond, staker: a.staker, maxSats: a.maxSats}
	s.keepAllowance(r)
	s.sums.allowance(r, 1)
}

// register is the event register-for-bond.
type register struct {
	bond                                  int64
	firstCycle, unlockCycle, unlockHeight int64
	l1                                    bool
	ustx, sats                            *big.Int
	staker, signer                        string
}

func (a *register) needs(w *names) { w.stakers[a.staker] = true }

// apply registers a staker. A stake that the staker has is over, but its shares keep earning, and so do those of another
// bond that lasts.
func (a *register) apply(s *state, e *event) {
	s.endStake(a.staker, e)
	s.leaveBonds(a.staker, a.bond, e)
	r := &registration{
		enrolledN: e.n, bond: a.bond, firstCycle: a.firstCycle, unlockCycle: a.unlockCycle, unlockHeight: a.unlockHeight,
		status: enrolled, l1: a.l1, enrolledSats: a.sats, sats: a.sats, ustx: a.ustx, staker: a.staker, signer: a.signer,
	}
	s.register(r, e)
	s.setShares(e, a.staker, a.bond, a.firstCycle, a.unlockCycle, a.signer, a.sats, a.ustx)
	s.anchor(e, a.unlockCycle, a.unlockHeight)
}

// register adds a registration, which takes the place of the staker's earlier row for the bond.
func (s *state) register(r *registration, e *event) {
	if before := s.registrations[r.staker][r.bond]; before != nil {
		before.until = &e.n
		s.sums.registration(before, -1)
	}
	r.span = span{n: e.n, seq: e.seq}
	s.keepRegistration(r)
	s.sums.registration(r, 1)
}

// leaveBonds marks the staker's registrations for bonds that last as replaced, except for one.
func (s *state) leaveBonds(staker string, except int64, e *event) {
	var left []*registration
	for _, r := range s.registrations[staker] {
		if r.bond != except && r.status != replaced && r.unlockHeight > e.burnHeight {
			left = append(left, r)
		}
	}
	for _, r := range left {
		after := *r
		after.status, after.sats, after.ustx = replaced, new(big.Int), new(big.Int)
		s.register(&after, e)
	}
}

// updateBond is the event update-bond-registration.
type updateBond struct {
	bond, from, cycles int64
	ustx, sats         *big.Int
	staker, signer     string
}

func (a *updateBond) needs(w *names) { w.stakers[a.staker] = true }

func (a *updateBond) apply(s *state, e *event) {
	before := s.registrations[a.staker][a.bond]
	if before == nil {
		return // the registration is not in the log
	}
	after := *before
	after.signer, after.sats, after.ustx = a.signer, a.sats, a.ustx
	s.register(&after, e)
	s.setShares(e, a.staker, a.bond, a.from, a.from+a.cycles, a.signer, a.sats, a.ustx)
}

// release is the event unstake-sbtc or announce-l1-early-exit: sats leave a bond, and the STX stay locked.
type release struct {
	bond      int64
	remaining *big.Int // sats
	staker    string
}

func (a *release) needs(w *names) { w.stakers[a.staker], w.bonds[a.bond] = true, true }

// apply cuts the shares from the current cycle on, so that the rest of the current cycle earns less, too.
func (a *release) apply(s *state, e *event) {
	before := s.registrations[a.staker][a.bond]
	if before == nil {
		return // the registration is not in the log
	}
	after := *before
	after.sats = a.remaining
	if a.remaining.Sign() == 0 && after.status == enrolled {
		after.status = released
	}
	s.register(&after, e)
	from := before.firstCycle
	if b := s.bonds[a.bond]; b != nil {
		from = max(from, b.cycle(e.burnHeight))
	}
	s.scaleShares(e, a.staker, a.bond, from, a.remaining)
}

// startStake is the event stake.
type startStake struct {
	firstCycle, unlockCycle, unlockHeight int64
	ustx                                  *big.Int
	staker, signer                        string
}

func (a *startStake) needs(w *names) { w.stakers[a.staker] = true }

func (a *startStake) apply(s *state, e *event) {
	s.endStake(a.staker, e)
	s.leaveBonds(a.staker, noBond, e)
	s.stake(&stake{
		enrolledN: e.n, firstCycle: a.firstCycle, unlockCycle: a.unlockCycle, unlockHeight: a.unlockHeight,
		ustx: a.ustx, staker: a.staker, signer: a.signer,
	}, e)
	s.setShares(e, a.staker, noBond, a.firstCycle, a.unlockCycle, a.signer, a.ustx, a.ustx)
}

// changeStake is the event stake-update or unstake. The shares change from a cycle on, which is the next one.
type changeStake struct {
	from, unlockCycle, unlockHeight int64
	ustx                            *big.Int
	staker, signer                  string
}

func (a *changeStake) needs(w *names) { w.stakers[a.staker] = true }

func (a *changeStake) apply(s *state, e *event) {
	after := stake{enrolledN: e.n, firstCycle: a.from, staker: a.staker}
	if before := s.stakes[a.staker]; before != nil {
		after.enrolledN, after.firstCycle = before.enrolledN, before.firstCycle
	}
	after.signer, after.ustx, after.unlockCycle, after.unlockHeight = a.signer, a.ustx, a.unlockCycle, a.unlockHeight
	s.endStake(a.staker, e)
	s.stake(&after, e)
	s.setShares(e, a.staker, noBond, a.from, a.unlockCycle, a.signer, a.ustx, a.ustx)
}

// stake adds a stake.
func (s *state) stake(r *stake, e *event) {
	r.span = span{n: e.n, seq: e.seq}
	s.keepStake(r)
	s.sums.stake(r, 1)
	s.anchor(e, r.unlockCycle, r.unlockHeight)
}

// endStake ends the staker's stake, if there is one.
func (s *state) endStake(staker string, e *event) {
	if r := s.stakes[staker]; r != nil {
		r.until = &e.n
		s.sums.stake(r, -1)
		delete(s.stakes, staker)
	}
}
