package transaction

import (
	"fmt"
	"math"

	"strata/domain/c32"
	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// Multisig is an account of several key holders, of whom a required number must sign.
type Multisig struct {
	mode     HashMode
	required uint16
	holders  []key.Public
	signer   hash.Hash20
}

// NewMultisig returns an account in one of the hash modes P2SH, P2WSHP2SH, P2SHOrderIndependent and
// P2WSHP2SHOrderIndependent. The address depends on the order of the holders. The error wraps ErrKeys.
func NewMultisig(mode HashMode, required int, holders ...key.Public) (Multisig, error) {
	if mode.Single() {
		return Multisig{}, fmt.Errorf("multisig in hash mode %s: %w", mode, ErrKeys)
	}
	if required < 1 || required > len(holders) || required > math.MaxUint16 {
		return Multisig{}, fmt.Errorf("%d signatures of %d holders: %w", required, len(holders), ErrKeys)
	}
	signer, err := SignerHash(mode, uint16(required), holders...)
	if err != nil {
		return Multisig{}, err
	}
	return Multisig{mode: mode, required: uint16(required), holders: holders, signer: signer}, nil
}

// SignerHash returns the hash from which the address is derived.
func (m Multisig) SignerHash() hash.Hash20 { return m.signer }

// Address returns the address of the account on mainnet or on testnets.
func (m Multisig) Address(mainnet bool) c32.Address {
	return c32.Address{Version: m.mode.AddressVersion(mainnet), Hash160: m.signer}
}

// Condition returns an unsigned spending condition of the account.
func (m Multisig) Condition(nonce, fee uint64) SpendingCondition {
	return SpendingCondition{
		HashMode:           m.mode,
		Signer:             m.signer,
		Nonce:              nonce,
		Fee:                fee,
		SignaturesRequired: m.required,
	}
}

// Sign signs t as the origin with the keys of some holders: in a sequential mode with exactly the required number, in
// an order-independent mode with at least that number. It replaces the origin condition, except for its nonce and fee.
// The error wraps ErrSignatureCount or ErrKeys, or ErrMalformed if the transaction cannot be encoded.
func (m Multisig) Sign(t *Transaction, keys ...key.Private) error {
	signers, err := m.signers(keys)
	if err != nil {
		return fmt.Errorf("sign as multisig origin: %w", err)
	}
	t.Origin = m.Condition(t.Origin.Nonce, t.Origin.Fee)
	if err := t.Validate(); err != nil {
		return fmt.Errorf("sign as multisig origin: %w", err)
	}
	t.Origin.signFields(t.InitialSighash(), AuthStandard, m.holders, signers)
	return nil
}

// SignSponsor signs t as the sponsor, after the origin has signed. Otherwise it works like Sign. The error may also
// wrap ErrNoSponsor.
func (m Multisig) SignSponsor(t *Transaction, keys ...key.Private) error {
	if t.Sponsor == nil {
		return fmt.Errorf("sign as multisig sponsor: %w", ErrNoSponsor)
	}
	signers, err := m.signers(keys)
	if err != nil {
		return fmt.Errorf("sign as multisig sponsor: %w", err)
	}
	*t.Sponsor = m.Condition(t.Sponsor.Nonce, t.Sponsor.Fee)
	if err := t.Validate(); err != nil {
		return fmt.Errorf("sign as multisig sponsor: %w", err)
	}
	t.Sponsor.signFields(t.SponsorSighash(), AuthSponsored, m.holders, signers)
	return nil
}

// signers returns the keys by public key. It fails if their number is wrong, or if one does not belong to a holder.
func (m Multisig) signers(keys []key.Private) (map[key.Public]key.Private, error) {
	if n := len(keys); n < int(m.required) || m.mode.Sequential() && n > int(m.required) {
		return nil, fmt.Errorf("%d keys for %d required signatures: %w", n, m.required, ErrSignatureCount)
	}
	signers := make(map[key.Public]key.Private, len(keys))
	for _, k := range keys {
		signers[k.Public()] = k
	}
	matches := 0
	for _, holder := range m.holders {
		if _, ok := signers[holder]; ok {
			matches++
		}
	}
	if matches != len(keys) {
		return nil, fmt.Errorf("%d keys belong to %d holders: %w", len(keys), matches, ErrKeys)
	}
	return signers, nil
}
