package readapi

import "strata/domain/hash"

// STXLock is what an account has locked.
type STXLock struct {
	LockTxID              string `json:"lock_tx_id" doc:"Empty while nothing is locked."`
	Locked                amount `json:"locked"`
	LockHeight            int64  `json:"lock_height" doc:"Stacks height of the lock; 0 while nothing is locked."`
	BurnchainLockHeight   int64  `json:"burnchain_lock_height"`
	BurnchainUnlockHeight int64  `json:"burnchain_unlock_height"`
}

var nothingLocked = STXLock{Locked: "0"}

// lockRow is the last lock of an account up to a block.
type lockRow struct {
	amount                           amount
	unlockHeight, height, burnHeight int64
	poxVersion                       int16
	txid                             hash.Hash32
}

func lockColumns(r *lockRow) []any {
	return []any{(*string)(&r.amount), &r.unlockHeight, &r.poxVersion, &r.height, &r.txid, &r.burnHeight}
}

// queueLock adds the query for the last lock of an account.
func queueLock(b *batch, account string, at moment) *result[lockRow] {
	return query(b, lockColumns, `
		SELECT ARRAY[l.source_seq], l.amount::text, l.unlock_height, l.pox_version, l.height, l.txid, b.burn_block_height
		FROM {balances}.stx_lock l JOIN {balances}.block b ON b.height = l.height
		WHERE l.account = $1 AND l.height <= $2
		ORDER BY l.height DESC, l.position DESC LIMIT 1`, account, at.height)
}

// blockState is what decides about locks at a block.
type blockState struct {
	burnHeight int64
	// forcedUnlock are the Bitcoin heights after which locks of pox-1 to pox-4 are void; nil where there is none.
	forcedUnlock [4]*int64
}

func queueBlockState(b *batch, at moment) *result[blockState] {
	return query(b, func(s *blockState) []any {
		return []any{&s.burnHeight, &s.forcedUnlock[0], &s.forcedUnlock[1], &s.forcedUnlock[2], &s.forcedUnlock[3]}
	}, `
		SELECT ARRAY[]::bigint[], burn_block_height, pox_v1_unlock_height, pox_v2_unlock_height, pox_v3_unlock_height, pox_v4_unlock_height
		FROM {balances}.block WHERE height = $1`, at.height)
}

// inForce is the lock as it is at a block: none when its time is over, or that of its version of PoX.
func (r lockRow) inForce(at blockState) STXLock {
	if r.amount == "0" || r.unlockHeight < at.burnHeight {
		return nothingLocked
	}
	if v := int(r.poxVersion) - 1; v >= 0 && v < len(at.forcedUnlock) {
		if end := at.forcedUnlock[v]; end != nil && at.burnHeight > *end {
			return nothingLocked
		}
	}
	return STXLock{
		LockTxID: r.txid.String(), Locked: r.amount, LockHeight: r.height,
		BurnchainLockHeight: r.burnHeight, BurnchainUnlockHeight: r.unlockHeight,
	}
}
