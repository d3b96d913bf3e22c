package transaction

import (
	"crypto/sha512"
	"encoding/binary"

	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// InitialSighash is the hash that the origin's signing starts from: SHA-512/256 of the transaction whose conditions
// are cleared of nonce, fee and signatures, and whose sponsor, if any, is replaced by a fixed one (SIP-005).
func (t *Transaction) InitialSighash() hash.Hash32 {
	cleared := Envelope{Version: t.Version, ChainID: t.ChainID, Origin: t.Origin.cleared()}
	if t.Sponsor != nil {
		cleared.Sponsor = &sponsorSentinel
	}
	return sha512.Sum512_256(t.encode(&cleared))
}

// Presign is the hash that is signed: it adds to cur who signs (AuthStandard for the origin, AuthSponsored for the
// sponsor), and the signer's fee and nonce.
func Presign(cur hash.Hash32, who AuthType, fee, nonce uint64) hash.Hash32 {
	var b [32 + 1 + 8 + 8]byte
	copy(b[:32], cur[:])
	b[32] = byte(who)
	binary.BigEndian.PutUint64(b[33:41], fee)
	binary.BigEndian.PutUint64(b[41:49], nonce)
	return sha512.Sum512_256(b[:])
}

// NextSighash is the hash that the next signer starts from: it adds a signature to the hash that was signed.
func NextSighash(presign hash.Hash32, encoding key.Encoding, sig key.Signature) hash.Hash32 {
	var b [32 + 1 + key.SignatureSize]byte
	copy(b[:32], presign[:])
	b[32] = byte(encoding)
	copy(b[33:], sig[:])
	return sha512.Sum512_256(b[:])
}

// chain follows the hashes of a condition from start to the hash that the next condition starts from. It calls visit
// for every field in order; a single-signature condition counts as one signature field.
func (c *SpendingCondition) chain(start hash.Hash32, who AuthType, visit func(f *Field, presign hash.Hash32)) hash.Hash32 {
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
		presign := Presign(cur, who, c.Fee, c.Nonce)
		visit(f, presign)
		if !c.HashMode.OrderIndependent() {
			cur = NextSighash(presign, f.Kind.Encoding(), f.Signature)
		}
	}
	return cur
}

// result is where chain ends.
func (c *SpendingCondition) result(start hash.Hash32, who AuthType) hash.Hash32 {
	return c.chain(start, who, func(*Field, hash.Hash32) {})
}

// SponsorSighash is the hash that the sponsor's signing starts from: where the origin's ended.
func (t *Transaction) SponsorSighash() hash.Hash32 {
	return t.Origin.result(t.InitialSighash(), AuthStandard)
}

// OriginDigest is the hash that the origin's next signer has to sign. In a sequential multisig it depends on the
// fields that are there already.
func (t *Transaction) OriginDigest() hash.Hash32 {
	return t.Origin.digest(t.InitialSighash(), AuthStandard)
}

// SponsorDigest is the hash that the sponsor's next signer has to sign, and false without a sponsor. It depends on the
// origin's signatures.
func (t *Transaction) SponsorDigest() (hash.Hash32, bool) {
	if t.Sponsor == nil {
		return hash.Hash32{}, false
	}
	return t.Sponsor.digest(t.SponsorSighash(), AuthSponsored), true
}

func (c *SpendingCondition) digest(start hash.Hash32, who AuthType) hash.Hash32 {
	if c.HashMode.Sequential() {
		start = c.result(start, who)
	}
	return Presign(start, who, c.Fee, c.Nonce)
}
