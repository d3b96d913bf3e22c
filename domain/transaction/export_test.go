package transaction

import (
	"fmt"

	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// SignerHash returns the hash from which the address is derived.
func (m Multisig) SignerHash() hash.Hash20 { return m.signer }

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

// signFields sets the fields of a multisig condition. Holders whose private key is among keys sign; the others get a
// public key field.
func (c *SpendingCondition) signFields(
	start hash.Hash32, role AuthType, holders []key.Public, keys map[key.Public]key.Private,
) {
	c.Fields = make([]Field, 0, len(holders))
	for _, holder := range holders {
		k, signs := keys[holder]
		if !signs {
			c.Fields = append(c.Fields, PublicKeyField(holder))
			continue
		}
		presign := Presign(start, role, c.Fee, c.Nonce)
		f := SignatureField(k.Sign(presign), holder.Encoding())
		c.Fields = append(c.Fields, f)
		if c.HashMode.Sequential() {
			start = NextSighash(presign, holder.Encoding(), f.Signature)
		}
	}
}

// DecodePostConditions decodes a stored blob: mode, count and conditions, in the wire form of a transaction. They must
// take up all of blob. The result shares memory with blob. The error is a *DecodeError, which wraps ErrUnknownLayout
// for a condition of unknown layout.
func DecodePostConditions(blob []byte) (PostConditions, error) {
	r := reader{b: blob}
	p, known := readPostConditions(&r)
	if !known {
		r.fail("post-conditions", 0, ErrUnknownLayout)
	}
	if r.err == nil && r.left() > 0 {
		r.fail("post-conditions", r.off, fmt.Errorf("%w: %d", ErrTrailing, r.left()))
	}
	if r.err != nil {
		return PostConditions{}, r.err
	}
	return p, nil
}
