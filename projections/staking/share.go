package staking

import "math/big"

// setShares gives a staker shares of a bond, or of none, under a signer manager in the cycles from one up to, but not
// including, another. The shares that the staker had from the first of these cycles on are over.
func (s *state) setShares(e *event, staker string, bond, from, to int64, signer string, shares, ustx *big.Int) {
	s.cutShares(e, staker, bond, from)
	s.addShare(e, &share{bond: bond, from: from, to: to, shares: shares, ustx: ustx, staker: staker, signer: signer})
}

// scaleShares leaves a staker a number of shares of a bond in the cycles from one on. What counts for the weight of the
// signer manager stays.
func (s *state) scaleShares(e *event, staker string, bond, from int64, shares *big.Int) {
	for _, r := range s.cutShares(e, staker, bond, from) {
		s.addShare(e, &share{bond: bond, from: max(r.from, from), to: r.to, shares: shares, ustx: r.ustx, staker: staker, signer: r.signer})
	}
}

// cutShares ends the shares of a staker in the cycles from one on, and returns the rows that it has ended. Those that
// begin earlier are replaced by the part that is left.
func (s *state) cutShares(e *event, staker string, bond, from int64) (ended []*share) {
	var left []*share
	for _, r := range s.shares[staker] {
		if r.bond != bond || r.to <= from {
			left = append(left, r)
			continue
		}
		r.until = &e.n
		s.sums.share(r, -1)
		ended = append(ended, r)
	}
	s.shares[staker] = left
	for _, r := range ended {
		if r.from < from {
			part := *r
			part.to = from
			s.addShare(e, &part)
		}
	}
	return ended
}

// addShare adds a row, unless it is of no cycle or of nothing.
func (s *state) addShare(e *event, r *share) {
	if r.from >= r.to || r.shares.Sign() == 0 && r.ustx.Sign() == 0 {
		return
	}
	r.span = span{n: e.n, seq: e.seq}
	s.keepShare(r)
	s.sums.share(r, 1)
}
