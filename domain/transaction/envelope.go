package transaction

import (
	"encoding/binary"
	"fmt"

	"strata/domain/c32"
	"strata/domain/hash"
)

// AuthType tells whether a sponsor pays the fee.
type AuthType uint8

// The two authorization types. In signature hashes, their values also mark the role of the signer: origin or sponsor.
const (
	AuthStandard  AuthType = 4
	AuthSponsored AuthType = 5
)

// Envelope is the part of a transaction that can be decoded even if the layout of the rest is unknown: the chain it is
// for, its sender and its fee payer. Its methods return what existing APIs show.
type Envelope struct {
	Version Version
	ChainID uint32
	Origin  SpendingCondition
	Sponsor *SpendingCondition // nil unless sponsored
}

// DecodeEnvelope decodes the envelope of a raw transaction and ignores the bytes after it. The error is a *DecodeError.
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

// AuthType returns AuthSponsored if there is a sponsor, and AuthStandard otherwise.
func (e *Envelope) AuthType() AuthType {
	if e.Sponsor != nil {
		return AuthSponsored
	}
	return AuthStandard
}

// Mainnet reports whether the transaction's addresses are mainnet addresses.
func (e *Envelope) Mainnet() bool { return e.Version.Mainnet() }

// Sender returns the account that the transaction acts for. The transaction only claims it; Verify proves it.
func (e *Envelope) Sender() c32.Address { return e.Origin.Address(e.Mainnet()) }

// Sponsored reports whether a sponsor pays the fee.
func (e *Envelope) Sponsored() bool { return e.Sponsor != nil }

// SponsorAddress returns the sponsor's account, or false if there is none.
func (e *Envelope) SponsorAddress() (c32.Address, bool) {
	if e.Sponsor == nil {
		return c32.Address{}, false
	}
	return e.Sponsor.Address(e.Mainnet()), true
}

// FeePayer returns the sponsor's account, or the sender if there is no sponsor.
func (e *Envelope) FeePayer() c32.Address { return e.payer().Address(e.Mainnet()) }

// Fee returns the fee that is charged, in microSTX. In a sponsored transaction that is the sponsor's fee; the origin
// may state another one, which is not charged.
func (e *Envelope) Fee() uint64 { return e.payer().Fee }

// Nonce returns the sender's nonce.
func (e *Envelope) Nonce() uint64 { return e.Origin.Nonce }

// SponsorNonce returns the sponsor's nonce, or false if there is no sponsor.
func (e *Envelope) SponsorNonce() (uint64, bool) {
	if e.Sponsor == nil {
		return 0, false
	}
	return e.Sponsor.Nonce, true
}

// IsBoot reports whether the transaction is one that a node creates itself, in the genesis block and when an epoch adds
// a boot contract: its sender is the boot address (a signer of twenty zero bytes), and it has no fee and no signature.
// Such transactions are valid, although Verify refuses them.
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
