package staking

import (
	"bytes"
	"math/big"

	"strata/projections"
)

// registerSigner is the event register-signer.
type registerSigner struct {
	signer string
	key    []byte
}

func (a *registerSigner) needs(w *names) { w.signers[a.signer] = true }

func (a *registerSigner) apply(s *state, e *event) {
	if before := s.keys[a.signer]; before != nil {
		before.until = &e.n
	} else {
		s.lastPlace++
		s.signers = append(s.signers, []any{s.lastPlace, e.n, e.seq, a.signer})
	}
	s.keepKey(&signerKey{span: span{n: e.n, seq: e.seq}, signer: a.signer, key: a.key})
}

// grantKey is the event grant-signer-key.
type grantKey struct {
	signer string
	key    []byte
	authID *big.Int
}

func (a *grantKey) needs(w *names) { w.signers[a.signer] = true }

func (a *grantKey) apply(s *state, e *event) {
	s.keepGrant(&keyGrant{span: span{n: e.n, seq: e.seq}, signer: a.signer, key: a.key, authID: a.authID})
}

// revokeKey is the event revoke-signer-grant. There may have been no grant.
type revokeKey struct {
	signer string
	key    []byte
}

func (a *revokeKey) needs(w *names) { w.signers[a.signer] = true }

func (a *revokeKey) apply(s *state, e *event) {
	for _, r := range s.grants[a.signer] {
		if r.holds() && bytes.Equal(r.key, a.key) {
			r.until = &e.n
		}
	}
}

// claim is the event claim-rewards.
type claim struct {
	cycle             int64
	stx, bonds, total *big.Int
	signer            string
}

func (a *claim) needs(*names) {}

func (a *claim) apply(s *state, e *event) {
	s.claims = append(s.claims, []any{
		e.n, e.seq, a.cycle, projections.Amount(a.stx), projections.Amount(a.bonds), projections.Amount(a.total), a.signer,
	})
}

// stakerClaim is the event claim-staker-rewards-for-signer.
type stakerClaim struct {
	cycle, bond    int64
	amount         *big.Int
	staker, signer string
}

func (a *stakerClaim) needs(*names) {}

func (a *stakerClaim) apply(s *state, e *event) {
	s.settled = append(s.settled, []any{e.n, e.seq, a.cycle, a.bond, projections.Amount(a.amount), a.staker, a.signer})
	s.sums.stakerClaim(a.bond, a.cycle, a.amount, 1)
}
