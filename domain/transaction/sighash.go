package transaction

import (
	"crypto/sha512"
	"encoding/binary"

	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// InitialSighash returns the hash from which the origin's signing starts (SIP-005): SHA-512/256 of the transaction with
// an origin that is cleared of nonce, fee and signatures, and with a fixed condition in place of the sponsor's, if any.
func (t *Transaction) InitialSighash() hash.Hash32 {
	cleared := Envelope{Version: t.Version, ChainID: t.ChainID, Origin: t.Origin.cleared()}
	if t.Sponsor != nil {
		cleared.Sponsor = &sponsorSentinel
	}
	return sha512.Sum512_256(t.encode(&cleared))
}

// Presign returns the hash that a signer signs. It combines cur with the signer's role (AuthStandard for the origin,
// AuthSponsored for the sponsor), fee and nonce.
func Presign(cur hash.Hash32, role AuthType, fee, nonce uint64) hash.Hash32 {
	var b [32 + 1 + 8 + 8]byte
	copy(b[:32], cur[:])
	b[32] = byte(role)
	binary.BigEndian.PutUint64(b[33:41], fee)
	binary.BigEndian.PutUint64(b[41:49], nonce)
	return sha512.Sum512_256(b[:])
}

// NextSighash returns the hash from which the next signer starts. It combines the hash that was signed with the
// signature.
func NextSighash(presign hash.Hash32, encoding key.Encoding, sig key.Signature) hash.Hash32 {
	var b [32 + 1 + key.SignatureSize]byte
	copy(b[:32], presign[:])
	b[32] = byte(encoding)
	copy(b[33:], sig[:])
	return sha512.Sum512_256(b[:])
}

// chain computes the hashes of a condition one after the other, and returns the hash from which the next condition
// starts. It calls visit for every field in order, with the hash that a signature field signs. A single-signature
// condition counts as one signature field.
func (c *SpendingCondition) chain(start hash.Hash32, role AuthType, visit func(f *Field, presign hash.Hash32)) hash.Hash32 {
	fields := c.Fields
	if c.HashMode.Single() {
		fields = []Field{SignatureField(c.Signature, c.KeyEncoding)}
	}
	cur := start
	for i := range fields {
		f := &fields[i]
		if !f.Kind.Signature() {
			visit(f, hash.Hash32{})
			continue
		}
		presign := Presign(cur, role, c.Fee, c.Nonce)
		visit(f, presign)
		if !c.HashMode.OrderIndependent() {
			cur = NextSighash(presign, f.Kind.Encoding(), f.Signature)
		}
	}
	return cur
}

// result returns the hash at which chain ends.
func (c *SpendingCondition) result(start hash.Hash32, role AuthType) hash.Hash32 {
	return c.chain(start, role, func(*Field, hash.Hash32) {})
}

// SponsorSighash returns the hash from which the sponsor's signing starts: the one at which the origin's ended.
func (t *Transaction) SponsorSighash() hash.Hash32 {
	return t.Origin.result(t.InitialSighash(), AuthStandard)
}

// OriginDigest returns the hash that the origin's next signer must sign. In a sequential multisig it depends on the
// fields that the condition already holds.
func (t *Transaction) OriginDigest() hash.Hash32 {
	return t.Origin.digest(t.InitialSighash(), AuthStandard)
}

// SponsorDigest returns the hash that the sponsor's next signer must sign, or false if there is no sponsor. It depends
// on the origin's signatures.
func (t *Transaction) SponsorDigest() (hash.Hash32, bool) {
	if t.Sponsor == nil {
		return hash.Hash32{}, false
	}
	return t.Sponsor.digest(t.SponsorSighash(), AuthSponsored), true
}

// digest returns the hash that the next signer of the condition must sign.
func (c *SpendingCondition) digest(start hash.Hash32, role AuthType) hash.Hash32 {
	if c.HashMode.Sequential() {
		start = c.result(start, role)
	}
	return Presign(start, role, c.Fee, c.Nonce)
}
