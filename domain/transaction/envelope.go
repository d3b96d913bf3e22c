package transaction

import (
	"encoding/binary"
	"fmt"

	"strata/domain/c32"
	"strata/domain/hash"
)

// AuthType says whether another account than the sender pays the fee.
type AuthType uint8

// The two kinds of authorisation. Their values also mark, inside signature hashes, who signs.
const (
	AuthStandard  AuthType = 4
	AuthSponsored AuthType = 5
)

// Envelope is the part of a transaction that stays readable when what follows is of an unknown kind: for which chain
// it is, who sends it and who pays. Its methods are the view that the APIs show.
type Envelope struct {
	Version Version
	ChainID uint32
	Origin  SpendingCondition
	Sponsor *SpendingCondition // nil unless sponsored
}

// DecodeEnvelope reads the envelope of a raw transaction and ignores all bytes behind it. The error is a
// *DecodeError.
func DecodeEnvelope(raw []byte) (Envelope, error) {
	r := reader{b: raw}
	var e Envelope
	e.read(&r)
	return e, r.err
}

func (e *Envelope) read(r *reader) {
	e.Version = Version(r.u8("version"))
	e.ChainID = r.u32("chain id")
	start := r.off
	auth := AuthType(r.u8("auth type"))
	switch {
	case r.err != nil:
	case auth == AuthStandard:
		e.Origin.read(r, &originParts)
	case auth == AuthSponsored:
		e.Origin.read(r, &originParts)
		e.Sponsor = new(SpendingCondition)
		e.Sponsor.read(r, &sponsorParts)
	default:
		r.fail("auth type", start, fmt.Errorf("%w: auth type %d, want 4 or 5", ErrMalformed, auth))
	}
}

func (e *Envelope) appendTo(dst []byte) []byte {
	dst = append(dst, byte(e.Version))
	dst = binary.BigEndian.AppendUint32(dst, e.ChainID)
	dst = append(dst, byte(e.AuthType()))
	dst = e.Origin.appendTo(dst)
	if e.Sponsor != nil {
		dst = e.Sponsor.appendTo(dst)
	}
	return dst
}

// AuthType is AuthSponsored when there is a sponsor.
func (e *Envelope) AuthType() AuthType {
	if e.Sponsor != nil {
		return AuthSponsored
	}
	return AuthStandard
}

// Mainnet reports whether the addresses of the transaction are mainnet addresses.
func (e *Envelope) Mainnet() bool { return e.Version.Mainnet() }

// Sender is the account that acts. It is stated, not proven: see Verify.
func (e *Envelope) Sender() c32.Address { return e.Origin.Address(e.Mainnet()) }

// Sponsored reports whether another account than the sender pays the fee.
func (e *Envelope) Sponsored() bool { return e.Sponsor != nil }

// SponsorAddress is the sponsor's account, and false without a sponsor.
func (e *Envelope) SponsorAddress() (c32.Address, bool) {
	if e.Sponsor == nil {
		return c32.Address{}, false
	}
	return e.Sponsor.Address(e.Mainnet()), true
}

// FeePayer is the sponsor, or the sender without one.
func (e *Envelope) FeePayer() c32.Address { return e.payer().Address(e.Mainnet()) }

// Fee is what is charged, in microSTX: the sponsor's fee when there is a sponsor. The origin of a sponsored
// transaction may state another one, which is not charged.
func (e *Envelope) Fee() uint64 { return e.payer().Fee }

// Nonce is the sender's nonce.
func (e *Envelope) Nonce() uint64 { return e.Origin.Nonce }

// SponsorNonce is the sponsor's nonce, and false without a sponsor.
func (e *Envelope) SponsorNonce() (uint64, bool) {
	if e.Sponsor == nil {
		return 0, false
	}
	return e.Sponsor.Nonce, true
}

// IsBoot reports whether the transaction is one of those that a node makes itself, in the genesis block and when an
// epoch adds a boot contract: sent from the boot address (signer of twenty zero bytes) for no fee and without a
// signature. Such transactions are valid though Verify refuses them.
func (e *Envelope) IsBoot() bool {
	return e.Sponsor == nil && e.Origin.HashMode == P2PKH && e.Origin.Signer == hash.Hash20{} &&
		e.Origin.Nonce == 0 && e.Origin.Fee == 0 && e.Origin.Signature.IsZero()
}

func (e *Envelope) payer() *SpendingCondition {
	if e.Sponsor != nil {
		return e.Sponsor
	}
	return &e.Origin
}
