package staking

import "math/big"

// noBond stands for the index of a bond in rows of STX that are staked without one.
const noBond = -1

// span is what all rows with an end have in common.
type span struct {
	n      int64
	until  *int64 // the event that ended the row; nil while it holds
	seq    int64
	stored bool // the row is in its table, except for an end that was set since
}

func (s *span) holds() bool { return s.until == nil }

// changed reports whether an end was set since the row was read.
func (s *span) changed() bool { return s.stored && s.until != nil }

// States of registrations.
const (
	enrolled = 1
	released = 2 // the sats were released early
	replaced = 3 // by another position
)

// registration is a row of the table registration.
type registration struct {
	span
	enrolledN                             int64
	bond                                  int64
	firstCycle, unlockCycle, unlockHeight int64
	status                                int16
	l1                                    bool
	enrolledSats, sats, ustx              *big.Int
	staker, signer                        string
}

// stake is a row of the table stake.
type stake struct {
	span
	enrolledN                             int64
	firstCycle, unlockCycle, unlockHeight int64
	ustx                                  *big.Int
	staker, signer                        string
}

// share is a row of the table share.
type share struct {
	span
	bond           int64
	from, to       int64 // cycles
	shares, ustx   *big.Int
	staker, signer string
}

// allowance is a row of the table allowlist.
type allowance struct {
	span
	bond    int64
	staker  string
	maxSats *big.Int
}

// signerKey is a row of the table signer_key.
type signerKey struct {
	span
	signer string
	key    []byte
}

// keyGrant is a row of the table key_grant.
type keyGrant struct {
	span
	signer string
	key    []byte
	authID *big.Int
}

// bond is a row of the table bond, without its sums.
type bond struct {
	*setup
	n, seq int64
	stored bool
}

// cycle returns the cycle of a burn height.
func (b *bond) cycle(height int64) int64 {
	length := (b.unlockHeight - b.startHeight) / (b.unlockCycle - b.firstCycle)
	if length < 1 {
		return b.firstCycle
	}
	passed := height - b.startHeight
	if passed < 0 {
		return b.firstCycle - 1 - (-passed-1)/length
	}
	return b.firstCycle + passed/length
}
