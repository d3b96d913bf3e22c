package pox

import "math/big"

// layout says what an event of one name holds.
type layout struct {
	required []string // fields of the data tuple
	optional []string // fields that came with later contracts, or may be none
	address  presence // of pox-addr
	shown    []string // fields in the JSON form
	apply    func(*Event)
}

type presence byte

const (
	always presence = iota
	maybe
	absent
)

var (
	cycles    = []string{"end-cycle-id", "start-cycle-id"}
	signature = []string{"signer-sig", "signer-key", "max-amount", "auth-id", "end-cycle-id", "start-cycle-id"}
)

// layouts has the events of pox-2 to pox-4 by name. Signatures, and the cycles an operation is for, were added to the
// prints after epoch 2.4.
var layouts = map[string]layout{
	"handle-unlock": {
		required: []string{"first-cycle-locked", "first-unlocked-cycle"},
		shown:    []string{"first-cycle-locked", "first-unlocked-cycle"},
		apply:    unlock,
	},
	"stack-stx": {
		required: []string{"lock-amount", "lock-period", "start-burn-height", "unlock-burn-height"},
		optional: signature,
		shown:    []string{"lock-amount", "lock-period", "start-burn-height", "unlock-burn-height", "signer-key", "end-cycle-id", "start-cycle-id"},
		apply:    lock,
	},
	"stack-increase": {
		required: []string{"increase-by", "total-locked"},
		optional: signature,
		shown:    []string{"increase-by", "total-locked", "signer-key", "end-cycle-id", "start-cycle-id"},
		apply:    increase,
	},
	"stack-extend": {
		required: []string{"extend-count", "unlock-burn-height"},
		optional: signature,
		shown:    []string{"extend-count", "unlock-burn-height", "signer-key", "end-cycle-id", "start-cycle-id"},
		apply:    extend,
	},
	"delegate-stx": {
		required: []string{"amount-ustx", "delegate-to"},
		optional: append([]string{"unlock-burn-height"}, cycles...),
		address:  maybe,
		shown:    []string{"amount-ustx", "delegate-to", "unlock-burn-height", "end-cycle-id", "start-cycle-id"},
		apply:    extend,
	},
	"delegate-stack-stx": {
		required: []string{"lock-amount", "lock-period", "start-burn-height", "unlock-burn-height", "delegator"},
		optional: cycles,
		shown:    []string{"lock-amount", "lock-period", "start-burn-height", "unlock-burn-height", "delegator", "end-cycle-id", "start-cycle-id"},
		apply:    lock,
	},
	"delegate-stack-increase": {
		required: []string{"increase-by", "total-locked", "delegator"},
		optional: cycles,
		shown:    []string{"increase-by", "total-locked", "delegator", "end-cycle-id", "start-cycle-id"},
		apply:    increase,
	},
	"delegate-stack-extend": {
		required: []string{"extend-count", "unlock-burn-height", "delegator"},
		optional: cycles,
		shown:    []string{"extend-count", "unlock-burn-height", "delegator", "end-cycle-id", "start-cycle-id"},
		apply:    extend,
	},
	"stack-aggregation-commit":         commit,
	"stack-aggregation-commit-indexed": commit,
	"stack-aggregation-increase": {
		required: []string{"reward-cycle", "amount-ustx", "delegator"},
		optional: append([]string{"reward-cycle-index"}, signature...),
		shown:    []string{"reward-cycle", "amount-ustx", "end-cycle-id", "start-cycle-id"},
	},
	"revoke-delegate-stx": {
		required: []string{"delegate-to"},
		optional: cycles,
		address:  absent,
		shown:    []string{"delegate-to", "end-cycle-id", "start-cycle-id"},
	},
}

var commit = layout{
	required: []string{"reward-cycle", "amount-ustx", "delegator"},
	optional: signature,
	shown:    []string{"reward-cycle", "amount-ustx", "signer-key", "end-cycle-id", "start-cycle-id"},
}

// unlock turns the state before a missed slot's unlock into the one after it.
func unlock(e *Event) {
	e.Balance = new(big.Int).Add(e.Balance, e.Locked)
}

// lock turns the state before a lock into the one after it.
func lock(e *Event) {
	extend(e)
	e.Balance = subtract(e.Balance, e.Data.LockAmount)
	e.Locked = e.Data.LockAmount
}

// increase turns the state before a lock's increase into the one after it.
func increase(e *Event) {
	e.Balance = subtract(e.Balance, e.Data.IncreaseBy)
	e.Locked = new(big.Int).Add(e.Locked, e.Data.IncreaseBy)
}

// extend takes over the unlock height, where there is one.
func extend(e *Event) {
	if e.Data.UnlockBurnHeight != nil {
		e.BurnchainUnlockHeight = e.Data.UnlockBurnHeight
	}
}

// subtract stops at zero.
func subtract(from, amount *big.Int) *big.Int {
	rest := new(big.Int).Sub(from, amount)
	if rest.Sign() < 0 {
		rest.SetInt64(0)
	}
	return rest
}
