package transaction

import (
	"errors"
	"fmt"

	"strata/domain/transaction/key"
)

// ErrNoSponsor is returned when a sponsor signs a transaction that is not sponsored.
var ErrNoSponsor = errors.New("transaction has no sponsor")

// Sign signs t as a single-signature origin. It makes k the signer of the origin condition, whose hash mode (P2PKH or
// P2WPKHP2SH) stays as it is. Nonce, fee and everything else must be final. In a sponsored transaction the origin signs
// first, and needs to know only that there will be a sponsor. The error wraps ErrKeys for another hash mode, or
// ErrMalformed if the transaction cannot be encoded.
func Sign(t *Transaction, k key.Private) error {
	if err := t.Origin.assign(k.Public()); err != nil {
		return fmt.Errorf("sign as origin: %w", err)
	}
	if err := t.Validate(); err != nil {
		return fmt.Errorf("sign as origin: %w", err)
	}
	t.Origin.Signature = k.Sign(t.OriginDigest())
	return nil
}

// SignSponsor signs t as a single-signature sponsor, after the origin has signed. It makes k the signer of the sponsor
// condition, whose hash mode, nonce and fee stay as they are. The error is one of Sign, or wraps ErrNoSponsor.
func SignSponsor(t *Transaction, k key.Private) error {
	if t.Sponsor == nil {
		return fmt.Errorf("sign as sponsor: %w", ErrNoSponsor)
	}
	if err := t.Sponsor.assign(k.Public()); err != nil {
		return fmt.Errorf("sign as sponsor: %w", err)
	}
	if err := t.Validate(); err != nil {
		return fmt.Errorf("sign as sponsor: %w", err)
	}
	t.Sponsor.Signature = k.Sign(t.Sponsor.digest(t.SponsorSighash(), AuthSponsored))
	return nil
}

// assign makes p the signer of a single-signature condition and removes its signature.
func (c *SpendingCondition) assign(p key.Public) error {
	if !c.HashMode.Single() {
		return fmt.Errorf("one key for hash mode %s: %w", c.HashMode, ErrKeys)
	}
	signer, err := SignerHash(c.HashMode, 1, p)
	if err != nil {
		return err
	}
	c.Signer, c.KeyEncoding, c.Signature = signer, p.Encoding(), key.Signature{}
	return nil
}
