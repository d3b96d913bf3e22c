package pox

// ForcedUnlocks holds the Bitcoin heights at which all locks of pox-1 to pox-4 end, as node payloads announce them
// (pox_v1_unlock_height to pox_v4_unlock_height). It is nil where no height is known. Locks of pox-5 are never forced
// to end.
type ForcedUnlocks [4]*int64

// InForce reports whether a lock of a version of PoX still holds at a Bitcoin height. The block at the unlock height is
// the first one without the lock, and the same is true for the height of a forced unlock: a node counts an STX balance
// as unlocked if its unlock height is at most the height of the burn block (SIP-007, SIP-015).
func (f ForcedUnlocks) InForce(version int, unlockHeight, burnHeight int64) bool {
	if unlockHeight <= burnHeight {
		return false
	}
	if version < 1 || version > len(f) {
		return true
	}
	forced := f[version-1]
	return forced == nil || *forced > burnHeight
}
