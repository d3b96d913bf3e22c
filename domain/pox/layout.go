package pox

import "math/big"

// layout describes the events of one name.
type layout struct {
	required []string        // fields of the data tuple
	optional []string        // fields that may be none, or that only later contracts print
	address  addressPresence // whether the data tuple holds pox-addr
	members  []string        // fields that the JSON form shows, in order
	apply    func(*Event)    // turns the state before the operation into the one after it; nil if there is no change
}

type addressPresence byte

const (
	addressRequired addressPresence = iota
	addressOptional
	addressAbsent
)

var (
	cycles    = []string{"end-cycle-id", "start-cycle-id"}
	signature = []string{"signer-sig", "signer-key", "max-amount", "auth-id", "end-cycle-id", "start-cycle-id"}
)

// layouts maps the name of each event of pox-2 to pox-4 to its layout. Signatures, and the cycles that an operation
// applies to, came to the events after epoch 2.4.
var layouts = map[string]layout{
	"handle-unlock": {
		required: []string{"first-cycle-locked", "first-unlocked-cycle"},
		members:  []string{"first-cycle-locked", "first-unlocked-cycle"},
		apply:    applyUnlock,
	},
	"stack-stx": {
		required: []string{"lock-amount", "lock-period", "start-burn-height", "unlock-burn-height"},
		optional: signature,
		members: []string{"lock-amount", "lock-period", "start-burn-height", "unlock-burn-height", "signer-key",
			"end-cycle-id", "start-cycle-id"},
		apply: applyLock,
	},
	"stack-increase": {
		required: []string{"increase-by", "total-locked"},
		optional: signature,
		members:  []string{"increase-by", "total-locked", "signer-key", "end-cycle-id", "start-cycle-id"},
		apply:    applyIncrease,
	},
	"stack-extend": {
		required: []string{"extend-count", "unlock-burn-height"},
		optional: signature,
		members:  []string{"extend-count", "unlock-burn-height", "signer-key", "end-cycle-id", "start-cycle-id"},
		apply:    applyUnlockHeight,
	},
	"delegate-stx": {
		required: []string{"amount-ustx", "delegate-to"},
		optional: append([]string{"unlock-burn-height"}, cycles...),
		address:  addressOptional,
		members:  []string{"amount-ustx", "delegate-to", "unlock-burn-height", "end-cycle-id", "start-cycle-id"},
		apply:    applyUnlockHeight,
	},
	"delegate-stack-stx": {
		required: []string{"lock-amount", "lock-period", "start-burn-height", "unlock-burn-height", "delegator"},
		optional: cycles,
		members: []string{"lock-amount", "lock-period", "start-burn-height", "unlock-burn-height", "delegator",
			"end-cycle-id", "start-cycle-id"},
		apply: applyLock,
	},
	"delegate-stack-increase": {
		required: []string{"increase-by", "total-locked", "delegator"},
		optional: cycles,
		members:  []string{"increase-by", "total-locked", "delegator", "end-cycle-id", "start-cycle-id"},
		apply:    applyIncrease,
	},
	"delegate-stack-extend": {
		required: []string{"extend-count", "unlock-burn-height", "delegator"},
		optional: cycles,
		members:  []string{"extend-count", "unlock-burn-height", "delegator", "end-cycle-id", "start-cycle-id"},
		apply:    applyUnlockHeight,
	},
	"stack-aggregation-commit":         commit,
	"stack-aggregation-commit-indexed": commit,
	"stack-aggregation-increase": {
		required: []string{"reward-cycle", "amount-ustx", "delegator"},
		optional: append([]string{"reward-cycle-index"}, signature...),
		members:  []string{"reward-cycle", "amount-ustx", "end-cycle-id", "start-cycle-id"},
	},
	"revoke-delegate-stx": {
		required: []string{"delegate-to"},
		optional: cycles,
		address:  addressAbsent,
		members:  []string{"delegate-to", "end-cycle-id", "start-cycle-id"},
	},
}

var commit = layout{
	required: []string{"reward-cycle", "amount-ustx", "delegator"},
	optional: signature,
	members:  []string{"reward-cycle", "amount-ustx", "signer-key", "end-cycle-id", "start-cycle-id"},
}

// applyUnlock applies the unlock of an account that missed its reward slot. Locked keeps the unlocked amount.
func applyUnlock(e *Event) {
	e.Balance = new(big.Int).Add(e.Balance, e.Locked)
}

// applyLock applies a new lock.
func applyLock(e *Event) {
	applyUnlockHeight(e)
	e.Balance = subtract(e.Balance, e.Data.LockAmount)
	e.Locked = e.Data.LockAmount
}

// applyIncrease applies the increase of a lock.
func applyIncrease(e *Event) {
	e.Balance = subtract(e.Balance, e.Data.IncreaseBy)
	e.Locked = new(big.Int).Add(e.Locked, e.Data.IncreaseBy)
}

// applyUnlockHeight applies the unlock height, if the event has one.
func applyUnlockHeight(e *Event) {
	if e.Data.UnlockBurnHeight != nil {
		e.BurnchainUnlockHeight = e.Data.UnlockBurnHeight
	}
}

// subtract returns from minus amount, or zero if the difference is negative.
func subtract(from, amount *big.Int) *big.Int {
	difference := new(big.Int).Sub(from, amount)
	if difference.Sign() < 0 {
		difference.SetInt64(0)
	}
	return difference
}
