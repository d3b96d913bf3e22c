package view

import (
	"strata/domain/hash"
	"strata/domain/pox"
	"strata/readapi/internal/schema"
)

// STXLock is the amount of STX that an account has locked, and since and until when.
type STXLock struct {
	LockTxID              string        `json:"lock_tx_id" doc:"Empty while nothing is locked."`
	Locked                schema.Amount `json:"locked"`
	LockHeight            int64         `json:"lock_height" doc:"Stacks height of the lock; 0 while nothing is locked."`
	BurnchainLockHeight   int64         `json:"burnchain_lock_height"`
	BurnchainUnlockHeight int64         `json:"burnchain_unlock_height"`
}

var nothingLocked = STXLock{Locked: "0"}

// lockRow is the last lock of an account up to a block. Its amount is 0 when there is none.
type lockRow struct {
	amount                           schema.Amount
	unlockHeight, height, burnHeight int64
	PoxVersion                       int16
	Txid                             *hash.Hash32
}

func lockColumns(r *lockRow) []any {
	return []any{(*string)(&r.amount), &r.unlockHeight, &r.PoxVersion, &r.height, &r.burnHeight, &r.Txid}
}

// blockState is the state of a block that decides whether locks are in force.
type blockState struct {
	burnHeight   int64
	forcedUnlock pox.ForcedUnlocks
}

func blockStateColumns(s *blockState) []any {
	return []any{&s.burnHeight, &s.forcedUnlock[0], &s.forcedUnlock[1], &s.forcedUnlock[2], &s.forcedUnlock[3]}
}

// inForce returns the lock as of a block: nothing is locked once the lock or its version of PoX has ended.
func (r lockRow) inForce(at blockState) STXLock {
	if r.amount == "0" || !at.forcedUnlock.InForce(int(r.PoxVersion), r.unlockHeight, at.burnHeight) {
		return nothingLocked
	}
	return STXLock{
		LockTxID: r.Txid.String(), Locked: r.amount, LockHeight: r.height,
		BurnchainLockHeight: r.burnHeight, BurnchainUnlockHeight: r.unlockHeight,
	}
}
