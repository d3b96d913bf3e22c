package transaction

import (
	"encoding/binary"
	"fmt"

	"strata/domain/c32"
	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// SpendingCondition states an account with its nonce and fee, and proves that the account agreed (SIP-005). KeyEncoding
// and Signature belong to the single-signature hash modes, Fields and SignaturesRequired to the others.
type SpendingCondition struct {
	HashMode HashMode
	Signer   hash.Hash20 // the hash from which the account's address is derived
	Nonce    uint64
	Fee      uint64 // microSTX

	KeyEncoding key.Encoding
	Signature   key.Signature // zero while unsigned

	Fields             []Field // empty while unsigned
	SignaturesRequired uint16
}

// sponsorSentinel stands for the sponsor's condition in the hash that the origin signs, because the origin does not
// know the sponsor.
var sponsorSentinel = SpendingCondition{HashMode: P2PKH, KeyEncoding: key.Compressed}

// Address returns the condition's account on mainnet or on testnets. The condition only claims it; Transaction.Verify
// proves it.
func (c *SpendingCondition) Address(mainnet bool) c32.Address {
	return c32.Address{Version: c.HashMode.AddressVersion(mainnet), Hash160: c.Signer}
}

// signatures returns the number of signatures that the condition carries.
func (c *SpendingCondition) signatures() int {
	if c.HashMode.Single() {
		if c.Signature.IsZero() {
			return 0
		}
		return 1
	}
	n := 0
	for i := range c.Fields {
		if c.Fields[i].Kind.Signature() {
			n++
		}
	}
	return n
}

// cleared returns the condition without nonce, fee and signatures, which the initial signature hash does not cover.
func (c *SpendingCondition) cleared() SpendingCondition {
	return SpendingCondition{
		HashMode:           c.HashMode,
		Signer:             c.Signer,
		KeyEncoding:        c.KeyEncoding,
		SignaturesRequired: c.SignaturesRequired,
	}
}

// conditionParts holds the names of a condition's parts for errors, so that decoding builds no strings.
type conditionParts struct {
	hashMode, signer, nonce, fee, keyEncoding, signature, fieldCount, field, required string
}

var (
	originParts = conditionParts{
		"origin hash mode", "origin signer", "origin nonce", "origin fee", "origin key encoding", "origin signature",
		"origin field count", "origin field", "origin signatures required",
	}
	sponsorParts = conditionParts{
		"sponsor hash mode", "sponsor signer", "sponsor nonce", "sponsor fee", "sponsor key encoding", "sponsor signature",
		"sponsor field count", "sponsor field", "sponsor signatures required",
	}
)

func (c *SpendingCondition) read(r *reader, part *conditionParts) {
	start := r.off
	c.HashMode = HashMode(r.u8(part.hashMode))
	if r.err == nil && !c.HashMode.Valid() {
		r.fail(part.hashMode, start, fmt.Errorf("%w: hash mode %d, want 0, 1, 2, 3, 5 or 7", ErrMalformed, c.HashMode))
		return
	}
	c.Signer = r.hash20(part.signer)
	c.Nonce = r.u64(part.nonce)
	c.Fee = r.u64(part.fee)
	if c.HashMode.Single() {
		c.readSingle(r, part)
	} else {
		c.readMulti(r, part)
	}
}

func (c *SpendingCondition) readSingle(r *reader, part *conditionParts) {
	start := r.off
	c.KeyEncoding = key.Encoding(r.u8(part.keyEncoding))
	if !c.KeyEncoding.Valid() {
		r.fail(part.keyEncoding, start, fmt.Errorf("%w: key encoding %d, want 0 or 1", ErrMalformed, c.KeyEncoding))
		return
	}
	copy(c.Signature[:], r.take(len(c.Signature), part.signature))
}

func (c *SpendingCondition) readMulti(r *reader, part *conditionParts) {
	n := r.u32(part.fieldCount)
	if r.err != nil {
		return
	}
	if least := uint64(n) * fieldMinSize; least > uint64(r.left()) {
		r.fail(part.field, r.off, fmt.Errorf("%w: %d fields need %d bytes, have %d", ErrTruncated, n, least, r.left()))
		return
	}
	if n > 0 {
		c.Fields = make([]Field, 0, n)
	}
	for range n {
		f := readField(r, part.field)
		if r.err != nil {
			return
		}
		c.Fields = append(c.Fields, f)
	}
	c.SignaturesRequired = r.u16(part.required)
}

func (c *SpendingCondition) appendTo(dst []byte) []byte {
	dst = append(dst, byte(c.HashMode))
	dst = append(dst, c.Signer[:]...)
	dst = binary.BigEndian.AppendUint64(dst, c.Nonce)
	dst = binary.BigEndian.AppendUint64(dst, c.Fee)
	if c.HashMode.Single() {
		dst = append(dst, byte(c.KeyEncoding))
		return append(dst, c.Signature[:]...)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(c.Fields)))
	for i := range c.Fields {
		dst = c.Fields[i].appendTo(dst)
	}
	return binary.BigEndian.AppendUint16(dst, c.SignaturesRequired)
}
