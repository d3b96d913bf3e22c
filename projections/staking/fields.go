package staking

import (
	"math/big"

	"strata/domain/clarity"
	"strata/domain/pox"
)

// fields reads the fields of a print. bad is set once a field has another type than its name demands, or a number that
// no chain can have.
type fields struct {
	printed pox.Print
	bad     bool
}

// amount returns a number.
func (f *fields) amount(name string) *big.Int {
	n, ok := f.printed.Uint(name)
	if !ok {
		f.bad = true
		return new(big.Int)
	}
	return n
}

// number returns a cycle, a height or an index.
func (f *fields) number(name string) int64 {
	n := f.amount(name)
	if !n.IsInt64() {
		f.bad = true
		return 0
	}
	return n.Int64()
}

// optional returns an index that may be none, which is otherwise.
func (f *fields) optional(name string, otherwise int64) int64 {
	if v, ok := f.printed.Value.Field(name); ok && v.Type() == clarity.TypeNone {
		return otherwise
	}
	return f.number(name)
}

func (f *fields) principal(name string) string {
	p, ok := f.printed.Principal(name)
	if !ok {
		f.bad = true
		return ""
	}
	return p.String()
}

func (f *fields) bytes(name string) []byte {
	b, ok := f.printed.Buffer(name)
	if !ok {
		f.bad = true
	}
	return b
}

func (f *fields) truth(name string) bool {
	truth, ok := f.printed.Bool(name)
	if !ok {
		f.bad = true
	}
	return truth
}

// act returns what an event does, the staker or otherwise the signer manager that it is about, and the index of its
// bond.
func (f *fields) act() (a act, subject string, bond *int64) {
	ofBond := func(index int64) *int64 { return &index }
	switch f.printed.Topic {
	case pox.TopicSetupBond:
		s := &setup{
			bond: f.number("bond-index"), firstCycle: f.number("first-reward-cycle"), unlockCycle: f.number("unlock-cycle"),
			startHeight: f.number("bond-start-height"), unlockHeight: f.number("unlock-burn-height"),
			rate: f.amount("target-rate"), value: f.amount("stx-value-ratio"), minimum: f.amount("min-ustx-ratio"),
			unlockBytes: f.bytes("early-unlock-bytes"),
		}
		f.bad = f.bad || s.unlockCycle <= s.firstCycle || s.unlockHeight <= s.startHeight
		return s, "", ofBond(s.bond)
	case pox.TopicAddToAllowlist:
		s := &allow{bond: f.number("bond-index"), staker: f.principal("staker"), maxSats: f.amount("max-sats")}
		return s, s.staker, ofBond(s.bond)
	case pox.TopicRegisterForBond:
		s := &register{
			bond: f.number("bond-index"), staker: f.principal("staker"), signer: f.principal("signer"), ustx: f.amount("amount-ustx"),
			sats: f.amount("sats-total"), firstCycle: f.number("first-reward-cycle"), unlockCycle: f.number("unlock-cycle"),
			unlockHeight: f.number("unlock-burn-height"), l1: f.truth("is-l1-lock"),
		}
		return s, s.staker, ofBond(s.bond)
	case pox.TopicUpdateBond:
		s := &updateBond{
			bond: f.number("bond-index"), staker: f.principal("staker"), signer: f.principal("signer"), ustx: f.amount("amount-ustx"),
			sats: f.amount("amount-sats"), from: f.number("first-reward-cycle"), cycles: f.number("num-cycles"),
		}
		return s, s.staker, ofBond(s.bond)
	case pox.TopicUnstakeSBTC:
		s := &release{bond: f.number("bond-index"), staker: f.principal("staker"), remaining: f.amount("new-amount-sats")}
		return s, s.staker, ofBond(s.bond)
	case pox.TopicEarlyExit:
		s := &release{bond: f.number("bond-index"), staker: f.principal("staker"), remaining: new(big.Int)}
		return s, s.staker, ofBond(s.bond)
	case pox.TopicStake:
		s := &startStake{
			staker: f.principal("staker"), signer: f.principal("signer"), ustx: f.amount("amount-ustx"),
			firstCycle: f.number("first-reward-cycle"), unlockCycle: f.number("unlock-cycle"), unlockHeight: f.number("unlock-burn-height"),
		}
		return s, s.staker, nil
	case pox.TopicStakeUpdate:
		s := &changeStake{
			staker: f.principal("staker"), signer: f.principal("signer"), ustx: f.amount("amount-ustx"),
			unlockCycle: f.number("unlock-cycle"), unlockHeight: f.number("unlock-burn-height"),
		}
		s.from = s.unlockCycle - f.number("num-cycles")
		return s, s.staker, nil
	case pox.TopicUnstake:
		s := &changeStake{
			staker: f.principal("staker"), signer: f.principal("signer"), ustx: f.amount("amount-ustx"),
			unlockCycle: f.number("unlock-cycle"), unlockHeight: f.number("unlock-burn-height"),
		}
		s.from = s.unlockCycle
		return s, s.staker, nil
	}
	return f.signerAct()
}

// signerAct is act for the events of signer managers and of rewards.
func (f *fields) signerAct() (a act, subject string, bond *int64) {
	switch f.printed.Topic {
	case pox.TopicRegisterSigner:
		s := &registerSigner{signer: f.principal("signer"), key: f.bytes("signer-key")}
		return s, s.signer, nil
	case pox.TopicGrantSignerKey:
		s := &grantKey{signer: f.principal("signer-manager"), key: f.bytes("signer-key"), authID: f.amount("auth-id")}
		return s, s.signer, nil
	case pox.TopicRevokeGrant:
		s := &revokeKey{signer: f.principal("signer-manager"), key: f.bytes("signer-key")}
		return s, s.signer, nil
	case pox.TopicBondDistribution:
		s := &distribute{
			bond: f.number("bond-index"), target: f.amount("target-yield"), rewards: f.amount("bond-rewards"),
			sats: f.amount("bond-staked-sats"), perSat: f.amount("accrued-rewards-per-sat"),
		}
		return s, "", &s.bond
	case pox.TopicCalculateRewards:
		return &calculate{
			cycle: f.number("stx-cycle"), height: f.number("calculation-height"), gross: f.amount("gross-accrued-rewards"),
			bonds: f.amount("total-bond-rewards"), deposit: f.amount("reserve-deposit"), reserve: f.amount("reserve-balance"),
			stx: f.amount("total-stx-staker-rewards"), staked: f.amount("cycle-staked-ustx"), perUSTX: f.amount("accrued-rewards-per-ustx"),
		}, "", nil
	case pox.TopicClaimRewards:
		stx := &fields{}
		stx.printed.Value, _ = f.printed.Value.Field("stx-rewards")
		s := &claim{
			signer: f.principal("signer-manager"), cycle: f.number("reward-cycle"), stx: stx.amount("earned"),
			bonds: f.amount("bond-totals"), total: f.amount("total-rewards"),
		}
		f.bad = f.bad || stx.bad
		return s, s.signer, nil
	case pox.TopicClaimStaker:
		s := &stakerClaim{
			staker: f.principal("staker"), signer: f.principal("signer-manager"), cycle: f.number("reward-cycle"),
			bond: f.optional("bond-index", noBond), amount: f.amount("rewards-claimed"),
		}
		if s.bond != noBond {
			bond = &s.bond
		}
		return s, s.staker, bond
	}
	return nil, "", nil
}
