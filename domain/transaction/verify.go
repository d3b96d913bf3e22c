package transaction

import (
	"errors"
	"fmt"
)

// Reasons why Verify refuses a transaction, besides key.ErrRecover, key.ErrPublic and ErrKeys.
var (
	// ErrUnsigned means that a condition carries no signature, as in boot transactions (see IsBoot).
	ErrUnsigned = errors.New("not signed")
	// ErrSignatureCount means that there are more or fewer signatures than the condition requires.
	ErrSignatureCount = errors.New("wrong number of signatures")
	// ErrSignerMismatch means that the keys do not yield the signer hash that the condition states.
	ErrSignerMismatch = errors.New("keys do not belong to the signer")
)

// Verify checks that the origin, and the sponsor if there is one, signed exactly this transaction. It does not check
// nonces or balances. It accepts high-S signatures, because consensus refuses them only since epoch 4.0 and older
// blocks may hold them.
func (t *Transaction) Verify() error {
	if err := t.VerifyOrigin(); err != nil || t.Sponsor == nil {
		return err
	}
	if err := t.Sponsor.verify(t.SponsorWalk); err != nil {
		return fmt.Errorf("sponsor %s: %w", t.Sponsor.Address(t.Mainnet()), err)
	}
	return nil
}

// VerifyOrigin checks only the origin's signatures, as a sponsor does before signing.
func (t *Transaction) VerifyOrigin() error {
	if err := t.Origin.verify(t.OriginWalk); err != nil {
		return fmt.Errorf("origin %s: %w", t.Sender(), err)
	}
	return nil
}

// verify checks the number of signatures before it calls walk, which is expensive.
func (c *SpendingCondition) verify(walk func() (Walk, error)) error {
	n := c.signatures()
	if n == 0 {
		return ErrUnsigned
	}
	required := int(c.SignaturesRequired)
	switch {
	case c.HashMode.Sequential() && n != required:
		return fmt.Errorf("%d signatures: %w, want %d", n, ErrSignatureCount, required)
	case c.HashMode.OrderIndependent() && n < required:
		return fmt.Errorf("%d signatures: %w, want at least %d", n, ErrSignatureCount, required)
	}
	w, err := walk()
	if err != nil {
		return err
	}
	signer, err := SignerHash(c.HashMode, c.SignaturesRequired, w.PublicKeys...)
	if err != nil {
		return err
	}
	if signer != c.Signer {
		return fmt.Errorf("keys yield signer %s: %w, want %s", signer, ErrSignerMismatch, c.Signer)
	}
	return nil
}
